"""A full disk: one message with the file, what it needs and what there is."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from docmt.training.exit import Failure, Reason

FULL = (errno.ENOSPC, errno.EDQUOT)
MEGABYTE = 1_000_000


@contextmanager
def disk_full_named(path: Path, needed: int | None = None) -> Iterator[None]:
    """Raises Failure where something within finds the disk, or the user's quota, full.

    `path` is what is written, a file or a folder; `needed` its size in bytes, if that is known.
    """
    try:
        yield
    except Exception as problem:
        if isinstance(problem, Failure) or not is_disk_full(problem):
            raise
        free = shutil.disk_usage(next(folder for folder in (path, *path.parents) if folder.is_dir())).free
        raise Failure(
            Reason.DISK_FULL,
            "the disk is full",
            where=str(path),
            found=f"{free / MEGABYTE:,.1f} MB free, or a quota used up",
            expected=None if needed is None else f"{needed / MEGABYTE:,.1f} MB",
            remedy="nothing that was saved is lost: make room, and run again to go on from the last checkpoint",
        ) from None


def is_disk_full(problem: BaseException | None) -> bool:
    """torch.save raises an error of its own over the one that the file system gave."""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in FULL:
            return True
        problem = problem.__cause__ or problem.__context__
    return False


def tensor_bytes(value: Any) -> int:
    """Of all tensors within dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(tensor_bytes, value.values()))
    return sum(map(tensor_bytes, value)) if isinstance(value, list | tuple) else 0
