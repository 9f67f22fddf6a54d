"""Attention weights made explicitly: to look at them, which is not for training, and to read them backwards."""

import math
from collections.abc import Iterator

import numpy as np
import torch

from docmt.nn.segments import Segments, pad_runs, spans
from docmt.nn.shapes import Float, Keys, Queries, SourceStates, States, Tensor


def weights(
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


@torch.no_grad()
def entropies(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Float[Tensor, "_ H"]:
    """Entropy of the attention weights of each query that sees a key, in bits, in fp32; queries in their order."""
    runs = weights(q, k, query_segments, key_segments, causal)
    found = [torch.special.entr(one).sum(-1) / math.log(2) for one in runs if one.shape[2]]
    return torch.cat([q.new_zeros((0, q.shape[1]), dtype=torch.float32), *found])


def attend_back(q: Queries, k: Keys, states: States, query_segments: Segments, key_segments: Segments) -> SourceStates:
    """See `docmt.nn.attention.attend_back`. Runs are padded to the longest, and all scores held."""
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
