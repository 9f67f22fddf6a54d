"""The size of batches where `train.batch_tokens` is not stated: as large as the update and the memory of the GPU allow.

The size changes how sums are rounded, so a training keeps it in its state folder, and a resumed one reads it there.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from docmt.base.artifacts import read_object_if_there, write_json
from docmt.base.foreign import reading
from docmt.supervision.exit import Reason
from docmt.training.computing import forward_context
from docmt.training.losses import accumulate_gradients
from docmt.training.task import Task
from docmt.training.validate import dev_batch

FILE = "batch.json"
"""Name of the file in the state folder."""
ON_CPU = 4096
"""Target tokens of a batch on a CPU, which computes no faster with more of them (benchmarks/training.md)."""
TRIAL = 1024
"""Target tokens of the first trial on a GPU; the second has twice as many."""
FILLED = 0.85
"""Share of a GPU's memory that a batch may fill. The rest is for batches with more source tokens than the trials had,
and for pieces of free memory that fit nothing."""
ADAM = 2
"""Numbers that Adam keeps for each parameter; it has none yet when the trials are made."""

Peak = Callable[[np.ndarray], int]
"""A function that returns the peak memory, in bytes, of an update whose one batch has these instances."""


def batch_tokens(
    task: Task, state: Path, ended: Reason | None, peak: Peak | None = None, memory: int | None = None
) -> int:
    """Return the largest number of target tokens of a batch: as stated, as kept in `state`, or as chosen now.

    `ended` is why the last job of this training ended: after a lack of memory, the number that was kept is halved.
    `peak` and `memory`, in bytes, stand in for those of the GPU. No batch is smaller than the longest instance.
    """
    if task.train.batch_tokens is not None:
        return task.train.batch_tokens
    tokens = kept(state / FILE)
    if tokens is not None:
        tokens //= 2 if ended is Reason.OUT_OF_MEMORY else 1
    elif task.device.type == "cpu":
        tokens = ON_CPU
    else:
        memory = memory or torch.cuda.get_device_properties(task.device).total_memory
        tokens = fitting(task, peak or partial(peak_bytes, task), memory)
    tokens = max(tokens, int(task.rows.target_tokens.max()))
    write_json(state / FILE, {"tokens": tokens})
    return tokens


def kept(file: Path) -> int | None:
    """Return the number in the state folder, or None where there is none. Raises UserError for a damaged file."""
    plain = read_object_if_there(file, "tokens")
    if plain is None:
        return None
    with reading(file, "not the size of batches", remedy="remove it: the size is then chosen again"):
        return int(plain["tokens"])


def fitting(task: Task, peak: Peak, memory: int) -> int:
    """Return the number of target tokens of the largest batch that fits, at most those of an update.

    Two batches of the longest instances are tried. What one token needs more follows from their difference.
    """
    update = task.train.tokens_per_update
    few, many = (longest_instances(task.rows.target_tokens, tokens) for tokens in (TRIAL, 2 * TRIAL))
    counts = [int(task.rows.target_tokens[some].sum()) for some in (few, many)]
    if update <= counts[0] or counts[0] == counts[1]:
        return update
    try:
        # The first of all computations fills caches that stay, so that it is no measure.
        peak(few)
        low, high = peak(few), peak(many)
    except torch.OutOfMemoryError:
        return counts[0]
    trained = sum(p.numel() * p.element_size() for p in task.model.parameters() if p.requires_grad)
    room = FILLED * memory - ADAM * trained - high
    of_token = max(high - low, 1) / (counts[1] - counts[0])
    return min(update, counts[1] + int(room / of_token))


def longest_instances(lengths: np.ndarray, tokens: int) -> np.ndarray:
    """Return the longest instances, so many that they have at least `tokens` tokens, or all."""
    order = np.argsort(-lengths, kind="stable")
    return order[: int(np.searchsorted(np.cumsum(lengths[order]), tokens)) + 1]


def peak_bytes(task: Task, instances: np.ndarray) -> int:
    """Return the peak memory of a GPU, in bytes, for the gradients of a batch."""
    torch.cuda.reset_peak_memory_stats(task.device)
    task.model.train()
    batch = dev_batch(task.model, task.rows.take(instances), instances, task.device)
    tokens, weights = int(task.rows.target_tokens[instances].sum()), task.model.term_weights(1)
    context = forward_context(task.device, task.train.precision)
    accumulate_gradients(task.model, [batch], tokens, task.train.label_smoothing, weights, context)
    task.optimiser.zero_grad()
    return torch.cuda.max_memory_allocated(task.device)
