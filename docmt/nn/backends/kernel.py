"""Attention on padded batches: the one call of the fused kernel, and what it cannot do."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from docmt.nn.noise import WeightDropout
from docmt.nn.shapes import Float, HypothesisHeads, Int, KeyMask, PaddedKeys, PaddedQueries, Tensor


def attend_padded(
    q: PaddedQueries,
    k: PaddedKeys,
    v: PaddedKeys,
    may_attend: KeyMask | None = None,
    causal: bool = False,
) -> PaddedQueries:
    """Scaled dot-product attention row by row; a query that may attend to nothing gets zeros."""
    mask = None if may_attend is None else may_attend[:, None, None, :]
    q_BHQK, k_BHLK, v_BHLK = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    seen = scaled_dot_product_attention(q_BHQK, k_BHLK, v_BHLK, attn_mask=mask, is_causal=causal)
    return seen.transpose(1, 2)


def attend_with_dropout(
    q: PaddedQueries,
    k: PaddedKeys,
    v: PaddedKeys,
    may_attend: KeyMask | None,
    causal: bool,
    dropout: WeightDropout,
    keys: Int[Tensor, "B Q"],
) -> PaddedQueries:
    """The same with weights dropped, which the fused kernel can do by torch's generator only; `keys`: the queries'."""
    scores_BQHL = torch.einsum("bqhk,blhk->bqhl", q, k) * q.shape[-1] ** -0.5
    visible = torch.ones((), dtype=torch.bool, device=q.device)
    if may_attend is not None:
        visible = visible & may_attend[:, None, None, :]
    if causal:
        visible = visible & torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=q.device).tril()[:, None]
    weights_BQHL = scores_BQHL.masked_fill(~visible, torch.finfo(scores_BQHL.dtype).min).softmax(-1) * visible
    return torch.einsum("bqhl,blhk->bqhk", dropout.drop(weights_BQHL, keys).to(v.dtype), v)


def attend_shared(
    q: HypothesisHeads, common: Float[Tensor, "2 I H C K"], own: Float[Tensor, "2 N H L K"]
) -> HypothesisHeads:
    """One softmax over keys of an instance, which its hypotheses read once together, and keys of each hypothesis."""
    instances = common.shape[1]
    q = q * q.shape[-1] ** -0.5
    scores_NHC = _by_hypothesis(_by_instance(q, instances) @ common[0].transpose(2, 3))
    scores_NHL = (own[0] @ q[..., None])[..., 0]
    weights_NHC, weights_NHL = (
        torch.cat((scores_NHC, scores_NHL), dim=2).softmax(2).split((common.shape[3], own.shape[3]), dim=2)
    )
    from_common_NHK = _by_hypothesis(_by_instance(weights_NHC, instances) @ common[1])
    return from_common_NHK + (weights_NHL[:, :, None] @ own[1])[:, :, 0]


def _by_instance(x: Float[Tensor, "N H _"], instances: int) -> Float[Tensor, "I H _ _"]:
    """Put the hypotheses of an instance side by side, behind the heads."""
    return x.unflatten(0, (instances, -1)).transpose(1, 2)


def _by_hypothesis(x: Float[Tensor, "I H _ _"]) -> Float[Tensor, "N H _"]:
    return x.transpose(1, 2).flatten(0, 1)
