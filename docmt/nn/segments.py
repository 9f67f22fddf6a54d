"""A partition of a packed stream into consecutive runs: who may attend to whom, in all architectures."""

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

    Both are kept, since kernels want the one and Python the other, and going from the first to the second would
    make the host wait for the GPU. Compared by identity: layers find what was prepared for a partition by it.
    """

    offsets: Numbers
    """(runs + 1,) int32: run i is offsets[i] to offsets[i + 1]."""
    lengths: tuple[int, ...]
    prepared: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary, repr=False)
    """What attention prepared for queries of these runs, by the keys' runs (see `docmt.nn.backends.bucketed`)."""
    rows: Numbers | None = None
    """(tokens,) the row of the states that each token is, where several tokens have one; none = token t is row t."""
    first: Numbers | None = None
    """(rows,) with `rows`: the first token of each row."""

    @classmethod
    def from_lengths(cls, lengths: Iterable[int], device: torch.device | str = "cpu") -> "Segments":
        lengths = tuple(int(length) for length in lengths)
        offsets = torch.tensor((0, *accumulate(lengths)), dtype=torch.int32)
        return cls(offsets.to(device, non_blocking=True), lengths)

    @property
    def runs(self) -> int:
        return len(self.lengths)

    @cached_property
    def tokens(self) -> int:
        return sum(self.lengths)

    @cached_property
    def longest(self) -> int:
        """Length of the longest run; 0 where there is none."""
        return max(self.lengths, default=0)

    @property
    def device(self) -> torch.device:
        return self.offsets.device

    def ids(self) -> Numbers:
        """The run's number of each token, from 0."""
        ids = np.repeat(np.arange(self.runs), self.lengths)
        return torch.from_numpy(ids).to(self.device, non_blocking=True)

    def positions(self) -> Numbers:
        """The place of each token within its run, from 0."""
        return torch.from_numpy(places(np.asarray(self.lengths, dtype=np.int64))).to(self.device, non_blocking=True)

    def to(self, device: torch.device | str) -> "Segments":
        shared = (None if part is None else part.to(device, non_blocking=True) for part in (self.rows, self.first))
        return Segments(self.offsets.to(device, non_blocking=True), self.lengths, WeakKeyDictionary(), *shared)

    def with_shared_rows(self, rows: np.ndarray) -> "Segments":
        """The same where token t is row `rows[t]`, rows being numbered as they come."""
        _, first = np.unique(rows, return_index=True)
        shared = (torch.from_numpy(part).to(self.device) for part in (rows, first))
        return Segments(self.offsets, self.lengths, WeakKeyDictionary(), *shared)

    def rows_to_tokens(self, x: Tensor) -> Tensor:
        """Of rows one for each token."""
        return x if self.rows is None else x.index_select(0, self.rows)

    def tokens_to_rows(self, x: Tensor) -> Tensor:
        """Of tokens one for each row."""
        return x if self.first is None else x.index_select(0, self.first)


def padded_indices(lengths: np.ndarray, runs: np.ndarray, widths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chosen runs of a stream, each padded at its right to its width: the token at each place, and if it is real.

    Where it is not, the token is 0.
    """
    real = np.repeat(lengths[runs], widths) > places(widths)
    return np.where(real, spans(starts(lengths)[runs], widths), 0), real


def pad_runs(x: Tensor, runs: Segments) -> tuple[Tensor, KeyMask]:
    """The runs of a stream as rows of equal length, and True where a token is real."""
    widths = np.full(runs.runs, max(runs.longest, 1))
    tokens, real = padded_indices(np.asarray(runs.lengths, dtype=np.int64), np.arange(runs.runs), widths)
    rows = x.index_select(0, torch.from_numpy(tokens).to(x.device))
    shape = (runs.runs, int(widths[0]))
    return rows.unflatten(0, shape), torch.from_numpy(real).to(x.device).unflatten(0, shape)
