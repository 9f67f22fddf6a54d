"""Attention inside the runs of packed streams; nothing else in the package calls an attention kernel.

Weights are made explicitly only to look at them, which is not for training, and to read them backwards.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1, for each run by itself.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch

from docmt.base.runs import spans
from docmt.nn.backends import bucketed, kernel, varlen
from docmt.nn.noise import WeightDropout
from docmt.nn.segments import Segments, pad_runs
from docmt.nn.shapes import Float, Keys, Queries, RunWeights, SourceStates, States, Tensor

Observer = Callable[[Queries, Keys, Segments, Segments, bool], None]
"""Told of a call of `attend`: queries, keys, the runs of both, whether it is causal."""
_observers: list[Observer] = []


@contextmanager
def observe_attention(observer: Observer) -> Iterator[None]:
    """Until the end of the block `observer` is told of every call of `attend`, before it is answered."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def attend(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: WeightDropout | None = None,
) -> Queries:
    """Let run i of the queries see run i of the keys, and nothing else.

    A run without keys gives zeros. `causal`: a token sees its own run up to itself; both sides then have the same
    runs. `dropout`: drops attention weights.

    Raises ValueError where the two sides differ in their number of runs, or in their lengths where causal.
    """
    _check_runs(query_segments, key_segments)
    if causal and query_segments.lengths != key_segments.lengths:
        raise ValueError("causal attention needs the same runs on both sides")
    for observer in _observers:
        observer(q, k, query_segments, key_segments, causal)
    backend = varlen if q.is_cuda and dropout is None and varlen.serves(q) else bucketed
    return backend.attend(q, k, v, query_segments, key_segments, causal, dropout)


attend_padded = kernel.attend_padded
"""Let the queries of a row see the keys of that row where `may_attend`."""
attend_shared = kernel.attend_shared
"""Let each hypothesis see what its instance has in common, and its own keys; hypotheses stand by instance."""


def attend_back(q: Queries, k: Keys, states: States, query_segments: Segments, key_segments: Segments) -> SourceStates:
    """For each key the mean of its run's `states`, one a query, weighted by what the queries attend to the key.

    The weights are those of `attend`, averaged over heads, and sum to one over the run's queries; where it has none,
    zeros. Runs are padded to the longest, and all scores held.
    Raises ValueError where the two sides differ in their number of runs.
    """
    _check_runs(query_segments, key_segments)
    (q_BQHK, is_query), (k_BLHK, is_key) = pad_runs(q, query_segments), pad_runs(k, key_segments)
    scores_BHQL = torch.einsum("bqhk,blhk->bhql", q_BQHK, k_BLHK) * q.shape[-1] ** -0.5
    scores_BHQL = scores_BHQL.to(torch.promote_types(scores_BHQL.dtype, torch.float32))
    hidden = torch.finfo(scores_BHQL.dtype).min
    # In logarithms, since a key may matter to no query at all.
    paid_BQL = scores_BHQL.masked_fill(~is_key[:, None, None], hidden).log_softmax(-1).logsumexp(1)
    weights_BQL = paid_BQL.masked_fill(~is_query[:, :, None], hidden).softmax(1) * is_query[:, :, None]
    states_BQD, _ = pad_runs(states, query_segments)
    found_BLD = weights_BQL.to(states.dtype).transpose(1, 2) @ states_BQD
    real = spans(np.arange(key_segments.runs) * is_key.shape[1], np.asarray(key_segments.lengths, dtype=np.int64))
    return found_BLD.flatten(0, 1).index_select(0, torch.from_numpy(real).to(q.device))


def attention_weights(q: Queries, k: Keys, query_segments: Segments, key_segments: Segments) -> list[RunWeights]:
    """Of each run the weights of `attend`, averaged over heads: a row for each query, which sums to one over the keys.

    To be looked at: no gradient, in fp32. Raises ValueError where the two sides differ in their number of runs.
    """
    _check_runs(query_segments, key_segments)
    return [one.mean(1) for one in _weights(q, k, query_segments, key_segments)]


@torch.no_grad()
def entropies(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Float[Tensor, "_ H"]:
    """Entropy of the attention weights of each query that sees a key, in bits, in fp32; queries in their order."""
    runs = _weights(q, k, query_segments, key_segments, causal)
    found = [torch.special.entr(one).sum(-1) / math.log(2) for one in runs if one.shape[2]]
    return torch.cat([q.new_zeros((0, q.shape[1]), dtype=torch.float32), *found])


def _weights(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Iterator[Float[Tensor, "_ H _"]]:
    """Of each run, with which its queries see its keys, in fp32 and without gradient; a run without keys has none."""
    runs = q.float().split(query_segments.lengths), k.float().split(key_segments.lengths)
    for queries, keys in zip(*runs, strict=True):
        yield _of_run(queries, keys, causal)


@torch.no_grad()
def _of_run(q: Queries, k: Keys, causal: bool) -> Float[Tensor, "T H S"]:
    with torch.autocast(q.device.type, enabled=False):
        scores_THS = torch.einsum("thk,shk->ths", q, k) * q.shape[-1] ** -0.5
        if causal:
            later = torch.ones(len(q), len(k), dtype=torch.bool, device=q.device).triu(1)
            scores_THS = scores_THS.masked_fill(later[:, None], -torch.inf)
        return scores_THS.softmax(-1)


def _check_runs(query_segments: Segments, key_segments: Segments) -> None:
    if query_segments.runs != key_segments.runs:
        raise ValueError(f"{query_segments.runs} runs of queries, {key_segments.runs} runs of keys")
