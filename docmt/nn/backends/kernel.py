"""Attention on padded batches: the only call of torch's fused kernel, and two variants that this kernel lacks."""

from typing import NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention

from docmt.nn.backends import onednn
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
    if onednn.supports(q, k):
        return onednn.attend(q, k, v, may_attend, causal)
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


class CachePart(NamedTuple):
    """Keys and values of a cache, with a row for each instance."""

    keys: Float[Tensor, "I H K _"]
    values: Float[Tensor, "I H _ K"]
    bias: Float[Tensor, "I 1 _ _"] | None = None
    """What is added to the scores of each hypothesis; None: nothing."""
    is_steady: bool = False
    """Whether the next steps of decoding have as many keys, so that oneDNN's kernels are worth their compilation."""


def attend_newest(q: HypothesisHeads, *parts: CachePart) -> HypothesisHeads:
    """Let the newest token of each hypothesis attend, in one softmax, to the keys of one or several parts of a cache.

    All hypotheses of an instance read a row of keys at once; they are in the order of their instances. The fused kernel
    is slower for so few queries (benchmarks/decoding.md).
    """
    # The hypotheses of an instance are the queries of a row: axes I H Q K.
    q_IHQK = (q * q.shape[-1] ** -0.5).unflatten(0, (len(parts[0].keys), -1)).transpose(1, 2)
    scores = [_product(q_IHQK, part.keys, part) for part in parts]
    scores = [x if part.bias is None else x + part.bias for x, part in zip(scores, parts, strict=True)]
    # One softmax covers all parts, so that the result does not depend on the parts in which the keys are stored.
    joined = torch.cat(scores, dim=3) if len(scores) > 1 else scores[0]
    weights = joined.softmax(3, dtype=torch.promote_types(q.dtype, torch.float32)).to(q.dtype)
    shares = weights.split([x.shape[3] for x in scores], dim=3)
    first, *others = (_product(share, part.values, part) for share, part in zip(shares, parts, strict=True))
    return sum(others, first).transpose(1, 2).flatten(0, 1)


def _product(x: Float[Tensor, "I H Q _"], y: Float[Tensor, "I H _ _"], part: CachePart) -> Float[Tensor, "I H Q _"]:
    if part.is_steady and onednn.supports_product(x, y):
        return onednn.batched_product(x, y)
    return x @ y
