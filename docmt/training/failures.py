"""What ends a training under a name: no memory, no room on the disk, numbers that are none. Each is one message."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from docmt.base.foreign import MEGABYTE, disk_full, free_bytes
from docmt.nn.streams import Batch
from docmt.training.exit import Failure, Reason

MARKS = ("can't allocate memory", "out of memory", "ALLOC_FAILED")
"""In messages of the CPU's allocator, of CUDA and of its libraries, which raise no class of their own."""


def is_out_of_memory(problem: Exception) -> bool:
    if isinstance(problem, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(problem, RuntimeError) and any(mark in str(problem) for mark in MARKS)


@contextmanager
def out_of_memory_named(where: str, under_way: Callable[[], Batch | None], last_checkpoint: str) -> Iterator[None]:
    """Raises Failure where memory runs out within.

    `where` names the work, `under_way` gives the batch that is computed, `kept` says what was saved before.
    """
    try:
        yield
    except Exception as problem:
        if not is_out_of_memory(problem):
            raise
        said = str(problem).strip().splitlines() or [type(problem).__name__]
        raise Failure(
            Reason.OUT_OF_MEMORY,
            "out of memory",
            where=where,
            found=f"{size_of(under_way())}{said[0]}",
            remedy=f"lower train.batch_tokens: it only splits updates; {last_checkpoint}",
        ) from None


def size_of(batch: Batch | None) -> str:
    if batch is None:
        return ""
    source, target = batch.source.instances, batch.target_in.instances
    return (
        f"a batch of {source.runs} instances, {source.tokens} source and {target.tokens} target tokens, "
        f"the longest of {source.longest} and {target.longest}: "
    )


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


def check_update(update: int, loss: float, norm: float, rates: Mapping[str, float], last_checkpoint: str) -> None:
    """Raises Failure unless an update's loss and gradient norm are finite; `kept` says what there is to go on from."""
    if not (math.isfinite(loss) and math.isfinite(norm)):
        what = "loss" if not math.isfinite(loss) else "gradient"
        shown = ", ".join(f"{name} {rate:.3g}" for name, rate in rates.items())
        refuse_not_finite(what, update, f"loss {loss}, gradient norm {norm}, {shown}", last_checkpoint)


def check_weights(update: int, weights: Mapping[str, Tensor], last_checkpoint: str) -> None:
    """Raises Failure for weights that are not finite, as a step that is far too long can make of a finite gradient."""
    if bad := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        refuse_not_finite("step", update, f"weights that are not finite: {', '.join(bad[:3])}", last_checkpoint)


def refuse_not_finite(what: str, update: int, found: str, last_checkpoint: str) -> None:
    """Raises Failure."""
    raise Failure(
        Reason.NOT_FINITE,
        f"the {what} is not finite",
        where=f"update {update}",
        found=found,
        remedy=f"lower train.lr or set train.clip_norm; {last_checkpoint}",
    )
