"""Failures that end a training with a reason of their own: no memory, a full disk, and numbers that are not finite.

A failure gives the user a single message.
"""

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
"""Parts of messages about a lack of memory. The CPU's allocator, CUDA and its libraries report a lack of memory as a
RuntimeError with such a message."""


def is_out_of_memory(problem: Exception) -> bool:
    """Return whether an exception is about a lack of memory, on the CPU or on a GPU."""
    if isinstance(problem, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(problem, RuntimeError) and any(mark in str(problem) for mark in MARKS)


@contextmanager
def out_of_memory_named(where: str, under_way: Callable[[], Batch | None], last_checkpoint: str) -> Iterator[None]:
    """Raise Failure where memory runs out in the block.

    `where` names the work, `under_way` returns the batch that is being computed, and `last_checkpoint` is a phrase
    about the newest checkpoint.
    """
    try:
        yield
    except Exception as problem:
        if not is_out_of_memory(problem):
            raise
        # The first line of the message is the cause; allocators add lines about their settings.
        lines = str(problem).strip().splitlines() or [type(problem).__name__]
        raise Failure(
            Reason.OUT_OF_MEMORY,
            "out of memory",
            where=where,
            found=f"{size_of(under_way())}{lines[0]}",
            remedy=f"lower train.batch_tokens: it only splits updates; {last_checkpoint}",
        ) from None


def size_of(batch: Batch | None) -> str:
    """Return the numbers of instances and tokens of a batch, and its longest instances, as the start of a message."""
    if batch is None:
        return ""
    source, target = batch.source.instances, batch.target_in.instances
    return (
        f"a batch of {source.runs} instances, {source.tokens} source and {target.tokens} target tokens, "
        f"the longest of {source.longest} and {target.longest}: "
    )


@contextmanager
def disk_full_named(path: Path, needed: int | None = None) -> Iterator[None]:
    """Raise Failure where writing in the block fails since the disk, or the quota of the user, is full.

    `path` is the file or folder that is being written; `needed` is its size in bytes, or None where it is unknown.
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
    """Return the size in bytes of all tensors in nested dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(tensor_bytes, value.values()))
    return sum(map(tensor_bytes, value)) if isinstance(value, list | tuple) else 0


def check_update(update: int, loss: float, norm: float, rates: Mapping[str, float], last_checkpoint: str) -> None:
    """Raise Failure unless the loss and the gradient norm of an update are finite.

    `rates` has the learning rates by name, for the message; `last_checkpoint` is a phrase about the newest checkpoint.
    """
    if not (math.isfinite(loss) and math.isfinite(norm)):
        what = "loss" if not math.isfinite(loss) else "gradient"
        rates_text = ", ".join(f"{name} {rate:.3g}" for name, rate in rates.items())
        refuse_not_finite(what, update, f"loss {loss}, gradient norm {norm}, {rates_text}", last_checkpoint)


def check_weights(update: int, weights: Mapping[str, Tensor], last_checkpoint: str) -> None:
    """Raise Failure for weights that are not finite; a finite gradient can cause them by far too long a step."""
    if bad := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        refuse_not_finite("step", update, f"weights that are not finite: {', '.join(bad[:3])}", last_checkpoint)


def refuse_not_finite(what: str, update: int, values: str, last_checkpoint: str) -> None:
    """Raise Failure for a loss, a gradient or a step (`what`) that is not finite."""
    raise Failure(
        Reason.NOT_FINITE,
        f"the {what} is not finite",
        where=f"update {update}",
        found=values,
        remedy=f"lower train.lr or set train.clip_norm; {last_checkpoint}",
    )
