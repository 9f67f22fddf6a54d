"""Segments: a partition of a packed stream into consecutive runs, the units of attention, and padded batches of runs.

Attention on any device is computed in padded batches, which are called buckets: runs of similar length share one call
of the fused kernel. A plan says how the tokens of two partitions go into buckets, and how the results go back. It is
computed once for a pair of partitions and is stored with the partition of the queries, so all layers and the backward
pass use the same plan. One gather sorts tokens into buckets, another sorts the results back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import torch

from docmt.base.ragged import places, spans, starts
from docmt.nn import onednn
from docmt.nn.shapes import HeadRows, KeyMask, Numbers, Tensor

Scope = Literal["sentence", "instance"]
"""The tokens that a token may attend to: those of its sentence or those of its instance."""


def upload(values: Tensor | np.ndarray | Sequence, device: torch.device | str) -> Tensor:
    """Return values of the host as a tensor on the device; the host does not wait until the device has them."""
    return torch.from_numpy(np.asarray(values)).to(device, non_blocking=True)


@dataclass(frozen=True, eq=False)
class Segments:
    """A partition of a stream into consecutive runs, as offsets on the device and as plain lengths on the host."""

    offsets: Numbers
    """(runs + 1,) int32: run i has the tokens from offsets[i] up to, but without, offsets[i + 1]."""
    # Both are stored, since kernels need the offsets and Python needs the lengths; reading the lengths from the device
    # would make the host wait for the GPU.
    lengths: tuple[int, ...]
    """The number of tokens of each run."""
    # Keys are weak, so that a plan is freed together with the batch that has the runs of the keys.
    # Partitions are compared by identity, so that all layers find the plans that were prepared for a partition.
    prepared: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary, repr=False)
    """Plans of attention for queries of these runs, by the runs of the keys (see `plan_of`)."""
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
        return upload(np.repeat(np.arange(self.runs), self.lengths), self.device)

    @cached_property
    def positions(self) -> Numbers:
        """The place of each token within its run, from 0."""
        return upload(places(np.asarray(self.lengths, dtype=np.int64)), self.device)

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


@dataclass(frozen=True, eq=False)
class Layout:
    """The two partitions of a stream, into sentences and into instances; each sentence is inside one instance."""

    sentences: Segments
    instances: Segments

    def runs(self, scope: Scope) -> Segments:
        """Return the sentences or the instances, whichever `scope` names."""
        return self.sentences if scope == "sentence" else self.instances

    def sentences_per_instance(self) -> np.ndarray:
        """Return the number of sentences of each instance; an empty sentence between instances counts to the first."""
        end_offsets = np.cumsum(self.sentences.lengths), np.cumsum(self.instances.lengths)
        return np.diff(np.searchsorted(end_offsets[0], end_offsets[1], side="right"), prepend=0)

    def twice(self) -> "Layout":
        """Return the layout of the stream followed by the stream once more, of long-short term masking."""
        sentences, windows = self.sentences, self.instances
        # Its sentences are the scope of self-attention: instances in the first (long) stream, sentences in the second
        # (short) one.
        self_attention_runs = Segments.from_lengths(windows.lengths + sentences.lengths, sentences.device)
        # Its instances are the scope of cross-attention: instances in both streams.
        both = Layout(self_attention_runs, Segments.from_lengths(windows.lengths * 2, sentences.device))
        if windows.rows is None:
            return both
        # The rows of the short stream follow those of the long stream, so its row numbers begin after them.
        rows = torch.cat((windows.rows, windows.rows + len(windows.first)))
        first = torch.cat((windows.first, windows.first + windows.tokens))
        return Layout(*(replace(runs, rows=rows, first=first) for runs in (both.sentences, both.instances)))

    def to(self, device: torch.device | str) -> "Layout":
        """Return the layout on the device."""
        return Layout(self.sentences.to(device), self.instances.to(device))

    def with_shared_rows(self, rows: np.ndarray) -> "Layout":
        """Return the layout of tokens that share rows: token t has row `rows[t]` (`Segments.with_shared_rows`)."""
        return Layout(self.sentences.with_shared_rows(rows), self.instances.with_shared_rows(rows))


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


@dataclass(frozen=True, eq=False)
class Bucket:
    """A padded batch of `rows` runs; each row has `queries` places for queries and `keys` places for keys."""

    rows: int
    queries: int
    keys: int
    may_attend: KeyMask | None
    """True where a key is real; None where no key of the bucket is padding."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order in which the tokens of a stream stand in the buckets."""

    tokens: Numbers  # the token at each place of the buckets, token 0 at a place of padding
    places: Numbers  # the place of each token
    padding: Numbers  # the places of padding
    outside: Numbers  # the tokens that are in no bucket

    def into_buckets(self, x: HeadRows) -> HeadRows:
        """Return the rows of a stream at their places in the buckets."""
        return _Move.apply(x, self.tokens, self.places, self.outside)

    def back(self, x: HeadRows) -> HeadRows:
        """Return the rows of the buckets as a stream."""
        return _Move.apply(x, self.places, self.tokens, self.padding)


class _Move(torch.autograd.Function):
    """A change of the order of rows, whose gradient is moved by the inverse order."""

    @staticmethod
    def forward(ctx: Any, x: HeadRows, index: Numbers, inverse: Numbers, unused: Numbers) -> HeadRows:
        ctx.save_for_backward(inverse, unused)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, gradient: HeadRows) -> tuple[HeadRows, None, None, None]:
        inverse, unused = ctx.saved_tensors
        # `index_select` would add up its gradient, row by row, in a tensor of zeros. No sum is needed here, since rows
        # of padding have no gradient: their results are not used, and their keys are hidden.
        return gradient.index_select(0, inverse).index_fill_(0, unused, 0), None, None, None


@dataclass(frozen=True, eq=False)
class BucketPlan:
    """The buckets, and the order of queries and keys in them; None where they are already in the right order."""

    buckets: tuple[Bucket, ...]
    queries: Order | None
    keys: Order | None


def plan_of(query_segments: Segments, key_segments: Segments) -> BucketPlan:
    """Return the plan for a pair of partitions, which is computed in the first call and then stored."""
    if key_segments not in query_segments.prepared:
        query_segments.prepared[key_segments] = _plan(query_segments, key_segments)
    return query_segments.prepared[key_segments]


def _plan(query_segments: Segments, key_segments: Segments) -> BucketPlan:
    device = query_segments.device
    query_lengths = np.asarray(query_segments.lengths, dtype=np.int64)
    key_lengths = np.asarray(key_segments.lengths, dtype=np.int64)
    # The plan is computed from lengths on the host: reading offsets on the device would make the host wait for it.
    groups = group_runs(query_lengths, key_lengths)
    buckets = tuple(_bucket(query_lengths[group], key_lengths[group], device) for group in groups)
    queries = _order(query_lengths, groups, [bucket.queries for bucket in buckets], device)
    return BucketPlan(buckets, queries, _order(key_lengths, groups, [bucket.keys for bucket in buckets], device))


def group_runs(query_lengths: np.ndarray, key_lengths: np.ndarray) -> list[np.ndarray]:
    """Return the numbers of the runs of each bucket.

    All runs of a bucket have nearly the same number of queries; runs without queries are in no bucket.
    """
    filled = np.flatnonzero(query_lengths)
    sizes = coarse(query_lengths[filled])
    order = np.lexsort((key_lengths[filled], sizes))
    return np.split(filled[order], np.flatnonzero(np.diff(sizes[order])) + 1)


def coarse(lengths: np.ndarray) -> np.ndarray:
    """Return the lengths rounded up to three significant bits: 1 to 8, 10, 12, 14, 16, 20, ..."""
    # Fewer buckets mean fewer calls of the kernel, and the queries of a run get padding of less than a quarter of their
    # number (benchmarks/attention.md).
    _, bits = np.frexp(lengths)
    step = 1 << np.maximum(bits - 3, 0)
    return -(-lengths // step) * step


def _bucket(query_lengths: np.ndarray, key_lengths: np.ndarray, device: torch.device) -> Bucket:
    # There is at least one place for keys, even where no run of the bucket has keys; the mask hides it.
    queries, keys = int(query_lengths.max()), max(1, int(key_lengths.max()))
    if device.type == "cpu":
        queries, keys = onednn.places(queries), onednn.places(keys)
    may_attend = None
    if key_lengths.min() < keys:
        may_attend = upload(np.arange(keys) < key_lengths[:, None], device)
    return Bucket(len(query_lengths), queries, keys, may_attend)


def _order(lengths: np.ndarray, groups: list[np.ndarray], widths: list[int], device: torch.device) -> Order | None:
    """None where each token is at its place in the stream."""
    runs = np.concatenate(groups)
    tokens, is_real = padded_indices(lengths, runs, np.repeat(widths, [len(group) for group in groups]))
    if np.array_equal(tokens, np.arange(lengths.sum())):
        return None
    places = np.full(lengths.sum(), -1)
    places[tokens[is_real]] = np.flatnonzero(is_real)
    outside = np.flatnonzero(places < 0)
    places[outside] = 0
    return Order(*(upload(part, device) for part in (tokens, places, np.flatnonzero(~is_real), outside)))


def check_runs(query_segments: Segments, key_segments: Segments) -> None:
    """Raise ValueError where queries and keys differ in their number of runs."""
    if query_segments.runs != key_segments.runs:
        raise ValueError(f"{query_segments.runs} runs of queries, {key_segments.runs} runs of keys")
