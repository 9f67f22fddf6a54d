"""Attention on any device by padded batches: runs of similar length share one call of the fused kernel.

A plan says how the tokens of two partitions go into padded batches, which are called buckets, and how the results go
back. The plan is computed once for a pair of partitions and is stored with the partition of the queries, so all layers
and the backward pass use the same plan. One gather sorts tokens into buckets, another sorts the results back.
"""

from dataclasses import dataclass

import numpy as np
import torch

from docmt.nn.backends import kernel
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
class BucketPlan:
    """The buckets, and the indices that gather queries and keys into them and the results back into the stream.

    An index is None where the tokens are already in the right order.
    """

    buckets: tuple[Bucket, ...]
    queries: Numbers | None
    keys: Numbers | None
    back: Numbers | None


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
    q, k, v = _gather(q, plan.queries), _gather(k, plan.keys), _gather(v, plan.keys)
    key_places = [bucket.rows * bucket.keys for bucket in plan.buckets]
    query_places = [bucket.rows * bucket.queries for bucket in plan.buckets]
    parts = zip(plan.buckets, q.split(query_places), k.split(key_places), v.split(key_places), strict=True)
    if dropout is None:
        results = [_attend_bucket(*part, causal) for part in parts]
    else:
        keys = _gather(dropout.keys, plan.queries).split(query_places)
        results = [
            _attend_bucket_with_dropout(*part, causal, dropout, bucket_keys)
            for part, bucket_keys in zip(parts, keys, strict=True)
        ]
    return _gather(torch.cat(results) if len(results) > 1 else results[0], plan.back)


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


def _gather(x: HeadRows | RowKeys, index: Numbers | None) -> HeadRows | RowKeys:
    return x if index is None else x.index_select(0, index)


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
    queries, back = _places(query_lengths, groups, [bucket.queries for bucket in buckets])
    keys, _ = _places(key_lengths, groups, [bucket.keys for bucket in buckets])
    tokens = query_segments.tokens, key_segments.tokens, len(queries)
    indices = (_index(*pair, device) for pair in zip((queries, keys, back), tokens, strict=True))
    return BucketPlan(buckets, *indices)


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
    may_attend = None
    if key_lengths.min() < keys:
        may_attend = torch.from_numpy(np.arange(keys) < key_lengths[:, None]).to(device, non_blocking=True)
    return Bucket(len(query_lengths), queries, keys, may_attend)


def _places(lengths: np.ndarray, groups: list[np.ndarray], widths: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the token at each place of the buckets, and the place of each token."""
    tokens, real = padded_indices(lengths, np.concatenate(groups), np.repeat(widths, [len(group) for group in groups]))
    token_places = np.zeros(lengths.sum(), dtype=np.int64)
    token_places[tokens[real]] = np.flatnonzero(real)
    return tokens, token_places


def _index(places: np.ndarray, tokens: int, device: torch.device) -> Numbers | None:
    """Return the index as a tensor on the device; None where the index leaves all `tokens` tokens in their places."""
    if np.array_equal(places, np.arange(tokens)):
        return None
    return torch.from_numpy(places).to(device, non_blocking=True)
