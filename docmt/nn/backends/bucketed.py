"""Attention on any device by padded batches: runs of like lengths share one call of the fused kernel.

What goes where is planned once for a pair of partitions and kept with the queries' one, so that all layers and the
backward pass share it. A plan sorts tokens into buckets by one gather, and back by another.
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
    """Runs padded to one batch: `rows` of them, with `queries` and `keys` places each."""

    rows: int
    queries: int
    keys: int
    may_attend: KeyMask | None
    """None where no key is padding."""


@dataclass(frozen=True, eq=False)
class BucketPlan:
    """Where tokens go: gathers of queries and keys into the buckets, and of the results back; None = in place."""

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
    """See `docmt.nn.attention.attend`."""
    if not query_segments.tokens or not key_segments.tokens:
        return torch.zeros_like(q)
    plan = plan_of(query_segments, key_segments)
    q, k, v = _gather(q, plan.queries), _gather(k, plan.keys), _gather(v, plan.keys)
    key_places = [bucket.rows * bucket.keys for bucket in plan.buckets]
    query_places = [bucket.rows * bucket.queries for bucket in plan.buckets]
    parts = zip(plan.buckets, q.split(query_places), k.split(key_places), v.split(key_places), strict=True)
    if dropout is None:
        seen = [_attend_bucket(*part, causal) for part in parts]
    else:
        keys = _gather(dropout.keys, plan.queries).split(query_places)
        seen = [_thin_bucket(*part, causal, dropout, own) for part, own in zip(parts, keys, strict=True)]
    return _gather(torch.cat(seen) if len(seen) > 1 else seen[0], plan.back)


def _attend_bucket(bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool) -> Queries:
    # Padding stands at the right, so a causal query never sees it.
    may_attend = None if causal else bucket.may_attend
    return kernel.attend_padded(*_rows(bucket, q, k, v), may_attend, causal).flatten(0, 1)


def _thin_bucket(
    bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool, dropout: WeightDropout, keys: RowKeys
) -> Queries:
    keys_BQ = keys.unflatten(0, (bucket.rows, bucket.queries))
    seen_BQHK = kernel.attend_with_dropout(*_rows(bucket, q, k, v), bucket.may_attend, causal, dropout, keys_BQ)
    return seen_BQHK.flatten(0, 1)


def _rows(bucket: Bucket, q: Queries, k: Keys, v: Keys) -> tuple[PaddedQueries, PaddedKeys, PaddedKeys]:
    k_BLHK, v_BLHK = (x.unflatten(0, (bucket.rows, bucket.keys)) for x in (k, v))
    return q.unflatten(0, (bucket.rows, bucket.queries)), k_BLHK, v_BLHK


def _gather(x: HeadRows | RowKeys, index: Numbers | None) -> HeadRows | RowKeys:
    return x if index is None else x.index_select(0, index)


def plan_of(query_segments: Segments, key_segments: Segments) -> BucketPlan:
    """The plan for a pair of partitions; made at the first call."""
    if key_segments not in query_segments.prepared:
        query_segments.prepared[key_segments] = _plan(query_segments, key_segments)
    return query_segments.prepared[key_segments]


def _plan(query_segments: Segments, key_segments: Segments) -> BucketPlan:
    device = query_segments.device
    query_lengths = np.asarray(query_segments.lengths, dtype=np.int64)
    key_lengths = np.asarray(key_segments.lengths, dtype=np.int64)
    groups = group_runs(query_lengths, key_lengths)
    buckets = tuple(_bucket(query_lengths[group], key_lengths[group], device) for group in groups)
    queries, back = _places(query_lengths, groups, [bucket.queries for bucket in buckets])
    keys, _ = _places(key_lengths, groups, [bucket.keys for bucket in buckets])
    tokens = query_segments.tokens, key_segments.tokens, len(queries)
    indices = (_index(*pair, device) for pair in zip((queries, keys, back), tokens, strict=True))
    return BucketPlan(buckets, *indices)


def group_runs(query_lengths: np.ndarray, key_lengths: np.ndarray) -> list[np.ndarray]:
    """Numbers of the runs of each bucket: those with nearly as many queries; runs without queries are in none."""
    filled = np.flatnonzero(query_lengths)
    sizes = coarse(query_lengths[filled])
    order = np.lexsort((key_lengths[filled], sizes))
    return np.split(filled[order], np.flatnonzero(np.diff(sizes[order])) + 1)


def coarse(lengths: np.ndarray) -> np.ndarray:
    """Rounded up to three significant bits: 1 to 8, 10, 12, 14, 16, 20, ...

    Fewer buckets are fewer calls, and padding is below a quarter of a run (benchmarks/attention.md).
    """
    _, bits = np.frexp(lengths)
    step = 1 << np.maximum(bits - 3, 0)
    return -(-lengths // step) * step


def _bucket(query_lengths: np.ndarray, key_lengths: np.ndarray, device: torch.device) -> Bucket:
    queries, keys = int(query_lengths.max()), max(1, int(key_lengths.max()))
    may_attend = None
    if key_lengths.min() < keys:
        may_attend = torch.from_numpy(np.arange(keys) < key_lengths[:, None]).to(device, non_blocking=True)
    return Bucket(len(query_lengths), queries, keys, may_attend)


def _places(lengths: np.ndarray, groups: list[np.ndarray], widths: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """For each place of the buckets its token, and for each token its place."""
    tokens, real = padded_indices(lengths, np.concatenate(groups), np.repeat(widths, [len(group) for group in groups]))
    back = np.zeros(lengths.sum(), dtype=np.int64)
    back[tokens[real]] = np.flatnonzero(real)
    return tokens, back


def _index(places: np.ndarray, tokens: int, device: torch.device) -> Numbers | None:
    """As a tensor on the device; None where all of so many tokens stay where they are."""
    if np.array_equal(places, np.arange(tokens)):
        return None
    return torch.from_numpy(places).to(device, non_blocking=True)
