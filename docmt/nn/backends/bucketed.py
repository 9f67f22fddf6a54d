"""Attention on any device by padded batches: runs of similar length share one call of the fused kernel.

A plan says how the tokens of two partitions go into padded batches, which are called buckets, and how the results go
back. The plan is computed once for a pair of partitions and is stored with the partition of the queries, so all layers
and the backward pass use the same plan. One gather sorts tokens into buckets, another sorts the results back.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from docmt.nn.backends import kernel, onednn
from docmt.nn.device import upload
from docmt.nn.noise import WeightDropout
from docmt.nn.segments import Segments, padded_indices
from docmt.nn.shapes import HeadRows, KeyMask, Keys, Numbers, PaddedKeys, PaddedQueries, Queries, RowKeys


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
    """The order in which the tokens of a stream stand in the buckets.

    `tokens` has the token at each place of the buckets, and token 0 at a place of padding. `places` has the place of
    each token. `padding` are the places of padding, and `outside` the tokens that are in no bucket.
    """

    tokens: Numbers
    places: Numbers
    padding: Numbers
    outside: Numbers

    def into_buckets(self, x: HeadRows) -> HeadRows:
        """Return the rows of a stream at their places in the buckets."""
        return _Move.apply(x, self.tokens, self.places, self.outside)

    def back(self, x: HeadRows) -> HeadRows:
        """Return the rows of the buckets as a stream."""
        return _Move.apply(x, self.places, self.tokens, self.padding)


class _Move(torch.autograd.Function):
    """A change of the order of rows, whose gradient is moved by the inverse order.

    `index_select` would add up its gradient, row by row, in a tensor of zeros. No sum is needed here, since rows of
    padding have no gradient: their results are not used, and their keys are hidden.
    """

    @staticmethod
    def forward(ctx: Any, x: HeadRows, index: Numbers, inverse: Numbers, unused: Numbers) -> HeadRows:
        """Return the rows `index`; the rows `unused` of `x` are not among them."""
        ctx.save_for_backward(inverse, unused)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, gradient: HeadRows) -> tuple[HeadRows, None, None, None]:
        """Return the rows of the gradient in the inverse order, and zeros for the unused rows."""
        inverse, unused = ctx.saved_tensors
        return gradient.index_select(0, inverse).index_fill_(0, unused, 0), None, None, None


@dataclass(frozen=True, eq=False)
class BucketPlan:
    """The buckets, and the order of queries and keys in them; None where they are already in the right order."""

    buckets: tuple[Bucket, ...]
    queries: Order | None
    keys: Order | None


def attend(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: WeightDropout | None = None,
) -> Queries:
    """Compute `docmt.nn.attention.attend`."""
    if not query_segments.tokens or not key_segments.tokens:
        return torch.zeros_like(q)
    plan = plan_of(query_segments, key_segments)
    if plan.queries is not None:
        q = plan.queries.into_buckets(q)
    if plan.keys is not None:
        k, v = plan.keys.into_buckets(k), plan.keys.into_buckets(v)
    key_places = [bucket.rows * bucket.keys for bucket in plan.buckets]
    query_places = [bucket.rows * bucket.queries for bucket in plan.buckets]
    parts = zip(plan.buckets, q.split(query_places), k.split(key_places), v.split(key_places), strict=True)
    if dropout is None:
        results = [_attend_bucket(*part, causal) for part in parts]
    else:
        keys = dropout.keys if plan.queries is None else dropout.keys.index_select(0, plan.queries.tokens)
        results = [
            _attend_bucket_with_dropout(*part, causal, dropout, bucket_keys)
            for part, bucket_keys in zip(parts, keys.split(query_places), strict=True)
        ]
    result = torch.cat(results) if len(results) > 1 else results[0]
    return result if plan.queries is None else plan.queries.back(result)


def _attend_bucket(bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool) -> Queries:
    # Padding is at the right end of each row, so the causal mask hides it. The fused kernel accepts a mask or the
    # causal flag, but not both.
    may_attend = None if causal else bucket.may_attend
    return kernel.attend_padded(*_rows(bucket, q, k, v), may_attend, causal).flatten(0, 1)


def _attend_bucket_with_dropout(
    bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool, dropout: WeightDropout, keys: RowKeys
) -> Queries:
    keys_BQ = keys.unflatten(0, (bucket.rows, bucket.queries))
    results_BQHK = kernel.attend_with_dropout(*_rows(bucket, q, k, v), bucket.may_attend, causal, dropout, keys_BQ)
    return results_BQHK.flatten(0, 1)


def _rows(bucket: Bucket, q: Queries, k: Keys, v: Keys) -> tuple[PaddedQueries, PaddedKeys, PaddedKeys]:
    k_BLHK, v_BLHK = (x.unflatten(0, (bucket.rows, bucket.keys)) for x in (k, v))
    return q.unflatten(0, (bucket.rows, bucket.queries)), k_BLHK, v_BLHK


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
    """Return the lengths rounded up to three significant bits: 1 to 8, 10, 12, 14, 16, 20, ...

    Fewer buckets mean fewer calls of the kernel, and the queries of a run get padding of less than a quarter of their
    number (benchmarks/attention.md).
    """
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
        may_attend = torch.from_numpy(np.arange(keys) < key_lengths[:, None]).to(device, non_blocking=True)
    return Bucket(len(query_lengths), queries, keys, may_attend)


def _order(lengths: np.ndarray, groups: list[np.ndarray], widths: list[int], device: torch.device) -> Order | None:
    """Return the order of the tokens of runs in the buckets; None where each token is at its place in the stream."""
    runs = np.concatenate(groups)
    tokens, is_real = padded_indices(lengths, runs, np.repeat(widths, [len(group) for group in groups]))
    if np.array_equal(tokens, np.arange(lengths.sum())):
        return None
    places = np.full(lengths.sum(), -1)
    places[tokens[is_real]] = np.flatnonzero(is_real)
    outside = np.flatnonzero(places < 0)
    places[outside] = 0
    return Order(*(upload(part, device) for part in (tokens, places, np.flatnonzero(~is_real), outside)))
