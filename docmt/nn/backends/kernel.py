"""Attention on padded batches: the only call of torch's fused kernel, and two variants that this kernel lacks."""

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
    """Return scaled dot-product attention in each row; the result of a query that may attend to no key is zero."""
    mask = None if may_attend is None else may_attend[:, None, None, :]
    q_BHQK, k_BHLK, v_BHLK = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    results_BHQK = scaled_dot_product_attention(q_BHQK, k_BHLK, v_BHLK, attn_mask=mask, is_causal=causal)
    return results_BHQK.transpose(1, 2)


def attend_with_dropout(
    q: PaddedQueries,
    k: PaddedKeys,
    v: PaddedKeys,
    may_attend: KeyMask | None,
    causal: bool,
    dropout: WeightDropout,
    keys: Int[Tensor, "B Q"],
) -> PaddedQueries:
    """Return the result of `attend_padded` with dropout of attention weights; `keys` has the queries' noise keys.

    The fused kernel drops weights only by torch's generator, so this function computes the weights explicitly.
    """
    scores_BQHL = torch.einsum("bqhk,blhk->bqhl", q, k) * q.shape[-1] ** -0.5
    visible = torch.ones((), dtype=torch.bool, device=q.device)
    if may_attend is not None:
        visible = visible & may_attend[:, None, None, :]
    if causal:
        visible = visible & torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=q.device).tril()[:, None]
    # The lowest number replaces -inf, and the mask is multiplied: softmax of a row that is all -inf would be NaN.
    weights_BQHL = scores_BQHL.masked_fill(~visible, torch.finfo(scores_BQHL.dtype).min).softmax(-1) * visible
    return torch.einsum("bqhl,blhk->bqhk", dropout.drop(weights_BQHL, keys).to(v.dtype), v)


def attend_shared(
    q: HypothesisHeads, common: Float[Tensor, "2 I H C K"], separate: Float[Tensor, "2 N H L K"]
) -> HypothesisHeads:
    """Let each hypothesis attend, in one softmax, to the `common` keys of its instance and to its `separate` keys.

    The common keys are read once for all hypotheses of an instance.
    """
    instances = common.shape[1]
    q = q * q.shape[-1] ** -0.5
    scores_NHC = _by_hypothesis(_by_instance(q, instances) @ common[0].transpose(2, 3))
    scores_NHL = (separate[0] @ q[..., None])[..., 0]
    # One softmax covers both kinds of keys, so the result does not depend on the number of tokens that are common.
    weights_NHC, weights_NHL = (
        torch.cat((scores_NHC, scores_NHL), dim=2).softmax(2).split((common.shape[3], separate.shape[3]), dim=2)
    )
    from_common_NHK = _by_hypothesis(_by_instance(weights_NHC, instances) @ common[1])
    return from_common_NHK + (weights_NHL[:, :, None] @ separate[1])[:, :, 0]


def _by_instance(x: Float[Tensor, "N H _"], instances: int) -> Float[Tensor, "I H _ _"]:
    """Put the hypotheses of an instance side by side, after the axis of heads."""
    return x.unflatten(0, (instances, -1)).transpose(1, 2)


def _by_hypothesis(x: Float[Tensor, "I H _ _"]) -> Float[Tensor, "N H _"]:
    """Reverse `_by_instance`: return a row for each hypothesis."""
    return x.transpose(1, 2).flatten(0, 1)
