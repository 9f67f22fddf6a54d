"""The definition of `attend` as one boolean mask over all tokens: slow, plain, what the tests hold the others to."""

import torch

from docmt.nn.noise import WeightDropout
from docmt.nn.segments import Segments
from docmt.nn.shapes import Bool, Float, Keys, Queries, Tensor


def may_attend(query_segments: Segments, key_segments: Segments, causal: bool) -> Bool[Tensor, "T S"]:
    """True where a query sees a key: the same run, and, where causal, no later place in it."""
    same_run = query_segments.ids()[:, None] == key_segments.ids()[None, :]
    if not causal:
        return same_run
    return same_run & (key_segments.positions[None, :] <= query_segments.positions[:, None])


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
    visible_TS = may_attend(query_segments, key_segments, causal)
    scores_HTS = torch.einsum("thk,shk->hts", q, k) * q.shape[-1] ** -0.5
    weights_HTS = scores_HTS.masked_fill(~visible_TS, torch.finfo(q.dtype).min).softmax(-1) * visible_TS
    if dropout is not None:
        weights_HTS = weights_HTS * dropout_factors(dropout, key_segments, q.shape[1]).to(q.dtype)
    return torch.einsum("hts,shk->thk", weights_HTS, v)


def dropout_factors(dropout: WeightDropout, key_segments: Segments, heads: int) -> Float[Tensor, "H T S"]:
    """What each weight is multiplied with: a draw by the query, the head and the key's place in its run."""
    ones = torch.ones((len(dropout.keys), heads, key_segments.longest), device=dropout.keys.device)
    by_place_THL = dropout.drop(ones, dropout.keys)
    return by_place_THL.index_select(2, key_segments.positions).transpose(0, 1)
