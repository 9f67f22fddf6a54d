"""Attention weights themselves, for those who read them: the fused kernels of `docmt.nn.attention` give none.

`attention_weights` and `entropies` have no gradient. `attend_back` gives means of the queries' states.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1, for each run by itself.
"""

import math
from collections.abc import Iterator

import torch

from docmt.nn.segments import Segments, check_runs, pad_runs, unpad_runs
from docmt.nn.shapes import Float, Keys, Queries, RunWeights, SourceStates, States, Tensor

MOST_WEIGHTS = 1 << 22
"""The largest number of attention weights that are in memory at a time where only their entropies are asked for."""


def attend_back(q: Queries, k: Keys, states: States, query_segments: Segments, key_segments: Segments) -> SourceStates:
    """Return, for each key, the mean of the `states` of the queries in its run, weighted by their attention to the key.

    `states` has a row for each query. A key whose run has no queries gets zeros.

    Raises ValueError where queries and keys differ in their number of runs.
    """
    check_runs(query_segments, key_segments)
    # Runs are padded to the longest run, and the scores of all runs are in memory at once.
    (q_BQHK, is_query), (k_BLHK, is_key) = pad_runs(q, query_segments), pad_runs(k, key_segments)
    # Eq. 1 without V: Q K^T / sqrt(d_k).
    scores_BHQL = torch.einsum("bqhk,blhk->bhql", q_BQHK, k_BLHK) * q.shape[-1] ** -0.5
    scores_BHQL = scores_BHQL.to(torch.promote_types(scores_BHQL.dtype, torch.float32))
    lowest = torch.finfo(scores_BHQL.dtype).min
    # Weights are logarithms here: the weights of a key may all underflow to zero, and zeros could not be normalised.
    # The sum over heads: a mean over heads would give the same shares.
    log_attention_BQL = scores_BHQL.masked_fill(~is_key[:, None, None], lowest).log_softmax(-1).logsumexp(1)
    # The weights of a key are divided by their sum over the queries of the run.
    weights_BQL = log_attention_BQL.masked_fill(~is_query[:, :, None], lowest).softmax(1) * is_query[:, :, None]
    states_BQD, _ = pad_runs(states, query_segments)
    return unpad_runs(weights_BQL.to(states.dtype).transpose(1, 2) @ states_BQD, key_segments)


def attention_weights(q: Queries, k: Keys, query_segments: Segments, key_segments: Segments) -> list[RunWeights]:
    """Return the attention weights of each run, averaged over heads: a row for each query, which sums to one.

    They are in fp32 and have no gradient, since they are only read. Raises ValueError where queries and keys differ in
    their number of runs.
    """
    check_runs(query_segments, key_segments)
    return [run_weights.mean(1) for run_weights in _iterate_weights(q, k, query_segments, key_segments)]


@torch.no_grad()
def entropies(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Float[Tensor, "_ H"]:
    """Return the entropy, in bits, of the attention weights of each query that attends to at least one key.

    The result is in fp32. It has a row for each query, in their order, and a column for each head.
    """
    # Weights are in memory for some queries at a time (`MOST_WEIGHTS`).
    parts = _iterate_weights(q, k, query_segments, key_segments, causal, MOST_WEIGHTS)
    # H = -sum p log2 p; entr gives -p ln p.
    values = [torch.special.entr(weights).sum(-1) / math.log(2) for weights in parts if weights.shape[2]]
    return torch.cat([q.new_zeros((0, q.shape[1]), dtype=torch.float32), *values])


def _iterate_weights(
    q: Queries,
    k: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    most: int | None = None,
) -> Iterator[Float[Tensor, "_ H _"]]:
    """Yield the attention weights of each run, in fp32 and without gradient; a run without keys has a width of 0."""
    runs = q.float().split(query_segments.lengths), k.float().split(key_segments.lengths)
    for queries, keys in zip(*runs, strict=True):
        # A run that has more than `most` weights comes in parts of some queries.
        step = max(1, len(queries) if most is None else most // max(1, keys.shape[:2].numel()))
        for first in range(0, max(1, len(queries)), step):
            yield _weights(queries[first : first + step], keys, first if causal else None)


@torch.no_grad()
def _weights(q: Queries, k: Keys, last: int | None) -> Float[Tensor, "T H S"]:
    """Return the weights of consecutive queries; the first of them attends to the keys up to number `last`.

    Where `last` is None, each query attends to all keys.
    """
    # The computation is in fp32 even in a training in bf16, in which entropies would have two or three digits.
    with torch.autocast(q.device.type, enabled=False):
        # Eq. 1 without V: softmax(Q K^T / sqrt(d_k)).
        scores_THS = torch.einsum("thk,shk->ths", q, k) * q.shape[-1] ** -0.5
        if last is not None:
            later = torch.ones(len(q), len(k), dtype=torch.bool, device=q.device).triu(last + 1)
            scores_THS = scores_THS.masked_fill(later[:, None], -torch.inf)
        return scores_THS.softmax(-1)
