"""A full disk: one message with the file, what it needs and what there is."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from docmt.base.foreign import MEGABYTE, disk_full, free_bytes
from docmt.training.exit import Failure, Reason


@contextmanager
def disk_full_named(path: Path, needed: int | None = None) -> Iterator[None]:
    """Raises Failure where something within finds the disk, or the user's quota, full.

    `path` is what is written, a file or a folder; `needed` its size in bytes, if that is known.
    """
    try:
        yield
    except Exception as problem:
        if isinstance(problem, Failure) or disk_full(problem) is None:
            raise
        raise Failure(
            Reason.DISK_FULL,
            "the disk is full",
            where=str(path),
            found=f"{free_bytes(path) / MEGABYTE:,.1f} MB free, or a quota used up",
            expected=None if needed is None else f"{needed / MEGABYTE:,.1f} MB",
            remedy="nothing that was saved is lost: make room, and run again to go on from the last checkpoint",
        ) from None


def tensor_bytes(value: Any) -> int:
    """Of all tensors within dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(tensor_bytes, value.values()))
    return sum(map(tensor_bytes, value)) if isinstance(value, list | tuple) else 0
