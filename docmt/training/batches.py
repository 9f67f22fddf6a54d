"""The batches of a training: the instances of each update, and their split into batches that fit a device.

Lengths are numbers of target tokens, including the ends of sentences. The seed, the epoch and `tokens_per_update`
determine the instances of an update; `batch_tokens` and the number of ranks only split the instances into batches.
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from docmt.nn.compiled import pad_batch
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.streams import Batch
from docmt.supervision.ranks import Ranks
from docmt.training.computing import derived_seed
from docmt.training.task import Task


@dataclass(frozen=True)
class UpdateBatches:
    """The batches of an update that this rank computes, on its device, and the target tokens of all ranks' batches."""

    batches: Iterable[Batch]
    tokens: int
    is_last: bool
    """Whether the epoch ends with this update."""


class Batches:
    """The batches of all updates, in the frame of the model and with the keys of its noise."""

    def __init__(self, task: Task, ranks: Ranks, quantum: int = 1) -> None:
        """Prepare the batches of `task`, whose streams have multiples of `quantum` rows."""
        self._task, self._ranks, self._quantum = task, ranks, quantum
        order = partial(epoch_updates, task.rows.target_tokens, task.train.tokens_per_update, task.seed)
        self._updates = lru_cache(maxsize=1)(order)

    def of_update(self, update: int, epoch: int, position: int) -> UpdateBatches:
        """Return the batches of the update with this number, which has this position in its epoch."""
        updates = self._updates(epoch)
        tokens = int(self._task.rows.target_tokens[updates[position]].sum())
        return UpdateBatches(self._make(updates[position], update, epoch), tokens, position + 1 == len(updates))

    def _make(self, instances: np.ndarray, update: int, epoch: int) -> Iterator[Batch]:
        """Yield this rank's batches, one at a time.

        Words are dropped in the first `word_dropout_epochs` epochs, or in all epochs where this setting is None.
        """
        task, train = self._task, self._task.train
        dropping = train.word_dropout_epochs is None or epoch < train.word_dropout_epochs
        seed, budgets = derived_seed(task.seed, "noise", update), (train.tokens_per_update, train.batch_tokens)
        for part in self._ranks.share(micro_batches(instances, task.rows.target_tokens, *budgets, self._ranks.count)):
            batch = frame_batch(task.rows.take(part), task.model.config.frame).with_keys(document_keys(seed, part))
            batch = batch.with_word_dropout(train.word_dropout if dropping else 0.0)
            yield pad_batch(batch, self._quantum).to(task.device)


def pack(lengths: np.ndarray, budget: int) -> list[slice]:
    """Return consecutive ranges of items whose lengths sum to at most `budget`; a longer item is a range by itself."""
    ends = np.cumsum(lengths)
    ranges, start, done = [], 0, 0
    while start < len(lengths):
        stop = max(int(np.searchsorted(ends, done + budget, side="right")), start + 1)
        ranges.append(slice(start, stop))
        start, done = stop, int(ends[stop - 1])
    return ranges


def epoch_updates(lengths: np.ndarray, tokens_per_update: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Return the instances of each update of an epoch: a permutation of all instances, cut where the budget is full."""
    generator = np.random.Generator(np.random.PCG64(derived_seed(seed, "order", epoch)))
    order = generator.permutation(len(lengths))
    return [order[part] for part in pack(lengths[order], tokens_per_update)]


def micro_batches(
    instances: np.ndarray, lengths: np.ndarray, tokens_per_update: int, batch_tokens: int, ranks: int = 1
) -> list[np.ndarray]:
    """Return an update's instances in parts of nearly equal size and at most `batch_tokens`; each is one batch.

    The number of parts is 1, 2, 4, 8 ... times the odd factor of the number of ranks. It is the smallest such number
    that is at least the number of ranks, at least `tokens_per_update` / `batch_tokens`, and keeps each part within
    `batch_tokens`. So 1, 2, 4 and 8 ranks compute the same parts where `batch_tokens` requires 8 parts or more; they
    only sum the gradients in a different order. Where there are fewer instances than parts, each instance is a part.
    """
    # The odd factor of the number of ranks.
    parts = ranks // (ranks & -ranks)
    while parts < ranks or parts * batch_tokens < tokens_per_update:
        parts *= 2
    tokens = lengths[instances]
    shares = balanced_shares(tokens, parts)
    while parts < len(instances) and max(tokens[share].sum() for share in shares) > batch_tokens:
        parts *= 2
        shares = balanced_shares(tokens, parts)
    return [instances[share] for share in shares if len(share)]


def balanced_shares(lengths: np.ndarray, parts: int) -> list[np.ndarray]:
    """Return the indices of the lengths in `parts` shares of nearly equal sums.

    Items are assigned from the longest to the shortest, each item to the share that has the smallest sum then.
    """
    sums = [(0, part) for part in range(parts)]
    owner = np.empty(len(lengths), dtype=np.int64)
    for number in np.argsort(-lengths, kind="stable"):
        total, part = sums[0]
        owner[number] = part
        heapq.heapreplace(sums, (total + int(lengths[number]), part))
    return [np.flatnonzero(owner == part) for part in range(parts)]
