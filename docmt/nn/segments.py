"""Segments: a partition of a packed stream into consecutive runs; attention connects runs with each other."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from docmt.base.runs import places, spans, starts
from docmt.nn.shapes import KeyMask, Numbers, Tensor


@dataclass(frozen=True, eq=False)
class Segments:
    """Consecutive runs of a stream, as offsets on the device and as plain lengths on the host.

    Both are stored: kernels need the offsets and Python needs the lengths, and reading the lengths from the device
    would make the host wait for the GPU. Partitions are compared by identity: layers find by it what was prepared for a
    partition.
    """

    offsets: Numbers
    """(runs + 1,) int32: run i is offsets[i] to offsets[i + 1]."""
    lengths: tuple[int, ...]
    """Number of tokens of each run."""
    # Weak keys: a plan is freed with the batch that has the keys' runs.
    prepared: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary, repr=False)
    """Plans of attention for queries of these runs, by the runs of the keys (see `docmt.nn.backends.bucketed`)."""
    rows: Numbers | None = None
    """(tokens,): the row of the states that each token has, where tokens share rows; None: token t has row t."""
    first: Numbers | None = None
    """(rows,), with `rows`: the first token of each row."""

    @classmethod
    def from_lengths(cls, lengths: Iterable[int], device: torch.device | str = "cpu") -> "Segments":
        """Return the partition whose runs have these lengths."""
        lengths = tuple(int(length) for length in lengths)
        offsets = torch.tensor((0, *accumulate(lengths)), dtype=torch.int32)
        return cls(offsets.to(device, non_blocking=True), lengths)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.lengths)

    @cached_property
    def tokens(self) -> int:
        """Number of tokens of all runs."""
        return sum(self.lengths)

    @cached_property
    def longest(self) -> int:
        """Length of the longest run; 0 where there is no run."""
        return max(self.lengths, default=0)

    @property
    def device(self) -> torch.device:
        """The device of the offsets."""
        return self.offsets.device

    def ids(self) -> Numbers:
        """Return the number of the run of each token, from 0."""
        ids = np.repeat(np.arange(self.runs), self.lengths)
        return torch.from_numpy(ids).to(self.device, non_blocking=True)

    def positions(self) -> Numbers:
        """Return the place of each token within its run, from 0."""
        return torch.from_numpy(places(np.asarray(self.lengths, dtype=np.int64))).to(self.device, non_blocking=True)

    def to(self, device: torch.device | str) -> "Segments":
        """Return the partition on the device, without its plans, which are of the other device."""
        row_indices = (None if part is None else part.to(device, non_blocking=True) for part in (self.rows, self.first))
        return Segments(self.offsets.to(device, non_blocking=True), self.lengths, WeakKeyDictionary(), *row_indices)

    def with_shared_rows(self, rows: np.ndarray) -> "Segments":
        """Return the partition where token t has row `rows[t]`; rows are numbered by their first tokens."""
        _, first = np.unique(rows, return_index=True)
        row_indices = (torch.from_numpy(part).to(self.device) for part in (rows, first))
        return Segments(self.offsets, self.lengths, WeakKeyDictionary(), *row_indices)

    def rows_to_tokens(self, x: Tensor) -> Tensor:
        """Return a row for each token: a row that several tokens share is repeated."""
        return x if self.rows is None else x.index_select(0, self.rows)

    def tokens_to_rows(self, x: Tensor) -> Tensor:
        """Return a row for each shared row, that of its first token."""
        return x if self.first is None else x.index_select(0, self.first)


def padded_indices(lengths: np.ndarray, runs: np.ndarray, widths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the token at each place of the selected `runs`, padded at their right, and whether the place has a token.

    `lengths` are the lengths of all runs of the stream, `widths` the padded lengths of the selected ones. The token at
    a place of padding is 0.
    """
    is_real = np.repeat(lengths[runs], widths) > places(widths)
    return np.where(is_real, spans(starts(lengths)[runs], widths), 0), is_real


def pad_runs(x: Tensor, runs: Segments) -> tuple[Tensor, KeyMask]:
    """Return the runs of a stream as rows of equal length, and a mask that is true where a token is real."""
    # At least one place, so that a stream of empty runs has a padded batch too; the mask hides it.
    widths = np.full(runs.runs, max(runs.longest, 1))
    tokens, is_real = padded_indices(np.asarray(runs.lengths, dtype=np.int64), np.arange(runs.runs), widths)
    rows = x.index_select(0, torch.from_numpy(tokens).to(x.device))
    shape = (runs.runs, int(widths[0]))
    return rows.unflatten(0, shape), torch.from_numpy(is_real).to(x.device).unflatten(0, shape)
