"""The way a training computes: seeds, number type, deterministic algorithms, and the lengths of streams.

Compiled parts (`docmt.nn.compiled`) are an option of the job. A part is compiled for tensors of one shape. To have few
shapes, streams are padded to multiples of a quantum of rows. A part is compiled once for each number of rows; compiling
takes most of the time of the first updates. Validations do not use compiled parts. On a CPU oneDNN
compiles the matrix products in the same way, so that streams are padded there too.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial

import torch

from docmt.base.digests import canonical_json
from docmt.base.errors import UserError
from docmt.nn.onednn import ROWS
from docmt.settings.train import IN_FP32, Precision

ForwardContext = Callable[[], AbstractContextManager]
"""A function that returns the context of a forward pass."""


def derived_seed(seed: int, purpose: str, *numbers: int) -> int:
    """Return a seed for one purpose at one point of the run, such as ("noise", update); at least 0, below 2^63.

    Every random choice has its own seed, so that a resumed run needs no state of a generator.
    """
    name = canonical_json([seed, purpose, *numbers]).encode()
    # A seed of 63 bits is positive as a signed integer of 64 bits.
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


def forward_context(device: torch.device, precision: Precision) -> ForwardContext:
    """Return what opens the context of forward passes: autocast for bf16, and an empty context for fp32.

    Raises UserError for bf16 on a GPU that does not support it.
    """
    if precision == "fp32":
        return nullcontext
    if device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise UserError(
            "this GPU does not compute in bf16",
            where="train.precision",
            found=torch.cuda.get_device_name(device),
            remedy=IN_FP32,
        )
    return partial(torch.autocast, device.type, torch.bfloat16)


def is_slow(device: torch.device, precision: Precision) -> bool:
    """Return whether a device computes in this number type without instructions for it."""
    if precision == "fp32" or device.type != "cpu":
        return False
    return not any(has for name, has in torch.cpu.get_capabilities().items() if name.endswith("bf16"))


CUBLAS = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""The environment variable that fixes the size of cuBLAS' workspace, and its value. Without a fixed size, cuBLAS may
sum in a different order each time. cuBLAS reads the variable when it is first used."""


@contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Let torch use only algorithms whose results repeat to the bit while the block runs, if `wanted`.

    In the block, torch raises RuntimeError for an operation that has no such algorithm. On a CPU, the default
    algorithms repeat as well, as long as the number of threads is the same.
    """
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        # A value that the user has set remains.
        os.environ.setdefault(*CUBLAS)
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


QUANTA = 16
"""Number of quanta in a full batch. With 16 quanta, streams have about 16 different lengths, and about a thirtieth of a
stream is padding."""
TILE = 64
"""Number of rows of which a quantum is a multiple: a matrix kernel processes this number of rows at once."""


def quantum(device: torch.device, batch_tokens: int, compiled: bool) -> int:
    """Return the number of rows of which streams have a multiple; 1 where they are not padded.

    `batch_tokens` is the largest number of target tokens of a batch. Without compiled parts, streams are padded on a
    CPU all the same, since oneDNN compiles its products for each number of rows (`docmt.nn.onednn`).
    """
    if compiled:
        return max(TILE, batch_tokens // QUANTA // TILE * TILE)
    return ROWS if device.type == "cpu" else 1
