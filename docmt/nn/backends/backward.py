"""Attention read backwards: to which queries a key matters."""

import numpy as np
import torch

from docmt.nn.segments import Segments, pad_runs, spans
from docmt.nn.shapes import Keys, Queries, SourceStates, States


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
