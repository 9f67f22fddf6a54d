"""Segments: a partition of a packed stream into consecutive runs, the units of attention."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from docmt.base.runs import places, spans, starts
from docmt.nn.device import upload
from docmt.nn.shapes import KeyMask, Numbers, Tensor


@dataclass(frozen=True, eq=False)
class Segments:
    """A partition of a stream into consecutive runs, as offsets on the device and as plain lengths on the host.

    Both are stored, since kernels need the offsets and Python needs the lengths; reading the lengths from the device
    would make the host wait for the GPU. Partitions are compared by identity, so that all layers find the plans that
    were prepared for a partition.
    """

    offsets: Numbers
    """(runs + 1,) int32: run i has the tokens from offsets[i] up to, but without, offsets[i + 1]."""
    lengths: tuple[int, ...]
    """The number of tokens of each run."""
    # Keys are weak, so that a plan is freed together with the batch that has the runs of the keys.
    prepared: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary, repr=False)
    """Plans of attention for queries of these runs, by the runs of the keys (see `docmt.nn.backends.bucketed`)."""
    rows: Numbers | None = None
    """(tokens,): the row of the states for each token, where tokens share rows; None: token t has row t."""
    first: Numbers | None = None
    """(rows,): the first token of each row, where tokens share rows."""

    @classmethod
    def from_lengths(cls, lengths: Iterable[int], device: torch.device | str = "cpu") -> "Segments":
        """Return the partition whose runs have these lengths."""
        lengths = tuple(int(length) for length in lengths)
        offsets = torch.tensor((0, *accumulate(lengths)), dtype=torch.int32)
        return cls(offsets.to(device, non_blocking=True), lengths)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.lengths)

    @cached_property
    def tokens(self) -> int:
        """The number of tokens of all runs."""
        return sum(self.lengths)

    @cached_property
    def longest(self) -> int:
        """The length of the longest run; 0 where there is no run."""
        return max(self.lengths, default=0)

    @property
    def device(self) -> torch.device:
        """The device of the offsets."""
        return self.offsets.device

    def ids(self) -> Numbers:
        """Return the number, from 0, of the run that each token belongs to."""
        ids = np.repeat(np.arange(self.runs), self.lengths)
        return torch.from_numpy(ids).to(self.device, non_blocking=True)

    def positions(self) -> Numbers:
        """Return the place of each token within its run, from 0."""
        return torch.from_numpy(places(np.asarray(self.lengths, dtype=np.int64))).to(self.device, non_blocking=True)

    def to(self, device: torch.device | str) -> "Segments":
        """Return the partition on the device, without its plans, whose tensors are on the present device."""
        row_indices = (None if part is None else part.to(device, non_blocking=True) for part in (self.rows, self.first))
        return Segments(self.offsets.to(device, non_blocking=True), self.lengths, WeakKeyDictionary(), *row_indices)

    def with_shared_rows(self, rows: np.ndarray) -> "Segments":
        """Return the partition where token t has row `rows[t]`; rows are numbered in the order of first tokens."""
        _, first = np.unique(rows, return_index=True)
        row_indices = (upload(part, self.device) for part in (rows, first))
        return Segments(self.offsets, self.lengths, WeakKeyDictionary(), *row_indices)

    def rows_to_tokens(self, x: Tensor) -> Tensor:
        """Return the states with a row for each token: a row that several tokens share is repeated."""
        return x if self.rows is None else x.index_select(0, self.rows)

    def tokens_to_rows(self, x: Tensor) -> Tensor:
        """Return the states with a row for each shared row, which is the row of its first token in `x`."""
        return x if self.first is None else x.index_select(0, self.first)


def padded_indices(lengths: np.ndarray, runs: np.ndarray, widths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the token at each place of the selected `runs`, padded at their right, and whether the place has a token.

    `lengths` are the lengths of all runs of the stream, `widths` the padded lengths of the selected runs. A place of
    padding has the token number 0.
    """
    is_real = np.repeat(lengths[runs], widths) > places(widths)
    return np.where(is_real, spans(starts(lengths)[runs], widths), 0), is_real


def pad_runs(x: Tensor, runs: Segments) -> tuple[Tensor, KeyMask]:
    """Return the runs of a stream as rows of equal length, and a mask that is true where a token is real."""
    # Rows have at least one place, so that a stream of empty runs has a padded batch too; the mask hides the place.
    widths = np.full(runs.runs, max(runs.longest, 1))
    tokens, is_real = padded_indices(np.asarray(runs.lengths, dtype=np.int64), np.arange(runs.runs), widths)
    rows = x.index_select(0, upload(tokens, x.device))
    shape = (runs.runs, int(widths[0]))
    return rows.unflatten(0, shape), upload(is_real, x.device).unflatten(0, shape)


def unpad_runs(x: Tensor, runs: Segments) -> Tensor:
    """Return the rows of `pad_runs` as the stream that they come from, without the places of padding."""
    real = spans(np.arange(runs.runs) * x.shape[1], np.asarray(runs.lengths, dtype=np.int64))
    return x.flatten(0, 1).index_select(0, upload(real, x.device))
