"""The same bytes from the same seed on a GPU too, for speed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

CUBLAS = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""Without a workspace of fixed size cuBLAS may sum up in another order; read when it is first used."""


@contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Within the block torch takes algorithms that repeat to the bit, and raises RuntimeError where it has none.

    On a CPU the others repeat as well, as long as the number of threads is the same.
    """
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        os.environ.setdefault(*CUBLAS)
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
