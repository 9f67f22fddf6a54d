"""Matrix products and attention of long rows that oneDNN computes, on a CPU with AVX-512 in fp32.

torch calls MKL for products. On processors of AMD, MKL uses AVX2 alone, and reaches half of the rate of oneDNN, which
uses AVX-512 (benchmarks/training.md). On processors without AVX-512, MKL is the faster one. Both compute in fp32 and
differ only in rounding. torch has no switch for this choice, so that this module calls oneDNN's operations itself and
gives them gradients. oneDNN compiles a kernel for each number of rows, which takes as long as a small product. So
`pad_batch` gives streams few different numbers of rows, and rows of other numbers are padded here.

Attention: torch's fused kernel cuts the table of attention weights into blocks, and calls MKL for their products. The
blocks of rows of some hundred tokens are too small for oneDNN: such rows are computed here with the whole table, which
the backward pass reads. Longer rows are left to the kernel, which keeps no tables in memory, with oneDNN's products.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.autograd.function import once_differentiable
from torch.nn import functional

from docmt.nn.shapes import AnyRows, Float, KeyMask, PaddedKeys, PaddedQueries, Tensor

ROWS = 32  # Numbers of rows are multiples of this number, so that few kernels are compiled
FEWEST_ROWS = 32  # With fewer rows, the time of a product is that of reading the weights, in oneDNN and in MKL
HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
CAPABILITIES = torch.cpu.get_capabilities()
IS_FASTER = HAS_ONEDNN and bool(CAPABILITIES.get("avx512_f"))  # Whether oneDNN's products are faster than MKL's
FEWEST_TOKENS = 192
"""The number of queries and of keys of a row from which on this module is faster than the fused kernel."""
MOST_TOKENS = 768  # The largest number of queries and keys of a row whose table is computed as a whole
FEWEST_MULTIPLICATIONS = 1 << 20
"""The number of multiplications of a batched product from which on oneDNN is faster than MKL."""
IS_FP32 = not any(CAPABILITIES.get(f"amx_{unit}") for unit in ("tile", "bf16"))
"""Whether oneDNN's batched products are in fp32 (`products_by_onednn`)."""

HeadTable = Float[Tensor, "BxH Q L"]
HeadRows = Float[Tensor, "BxH _ K"]


def linear(x: AnyRows, weight: Float[Tensor, "V D"], bias: Tensor | None = None) -> AnyRows:
    """Return `x` times the transposed `weight`, plus `bias`, for each row of `x`."""
    if not uses_onednn(x):
        return functional.linear(x, weight, bias)
    rows = x.reshape(-1, x.shape[-1])
    if len(rows) < FEWEST_ROWS:
        return functional.linear(x, weight, bias)
    padding = -len(rows) % ROWS
    if padding:
        rows = functional.pad(rows, (0, 0, 0, padding))
    result = _Linear.apply(rows, weight, bias) if torch.is_grad_enabled() else product(rows, weight, bias)
    return result[: len(rows) - padding].view(*x.shape[:-1], len(weight))


def sum_of_products(x: Float[Tensor, "T V"], y: Float[Tensor, "T D"]) -> Float[Tensor, "V D"]:
    """Return the transposed `x` times `y`, which is a sum over rows. It has no gradient."""
    if not uses_onednn(x) or len(x) < FEWEST_ROWS:
        return x.t() @ y
    # oneDNN is faster where the first operand is the narrower one.
    return product(x.t(), y.t()) if x.shape[1] <= y.shape[1] else product(y.t(), x.t()).t()


def uses_onednn(x: Tensor) -> bool:
    """Return whether oneDNN computes products with `x`: on a CPU where it is faster, in fp32, not in compiled code."""
    is_fp32 = x.device.type == "cpu" and x.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    return is_fp32 and IS_FASTER and not torch.compiler.is_compiling()


def product(x: Float[Tensor, "T D"], weight: Float[Tensor, "V D"], bias: Tensor | None = None) -> Float[Tensor, "T V"]:
    """Return `x` times the transposed `weight`, plus `bias`, computed by oneDNN. Both may be transposed tensors."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        # The gradient is two products in oneDNN too.
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        gradient = gradient.contiguous()
        return (
            product(gradient, weight.t()) if of_x else None,
            sum_of_products(gradient, x) if of_weight else None,
            gradient.sum(0) if of_bias else None,
        )


def supports(q: PaddedQueries, k: PaddedKeys) -> bool:
    """Return whether this module can compute attention of these queries and keys, and is faster."""
    return IS_FP32 and min(q.shape[1], k.shape[1]) >= FEWEST_TOKENS and uses_onednn(q)


def supports_product(x: Tensor, y: Tensor) -> bool:
    """Return whether oneDNN can compute the batched product of `x` and `y`, and is faster."""
    return IS_FP32 and x.numel() * y.shape[-1] >= FEWEST_MULTIPLICATIONS and uses_onednn(x)


def batched_product(x: Tensor, y: Tensor) -> Tensor:
    """Return the products of the matrices of `x` and `y`, which have two axes of rows; they have no gradient."""
    with products_by_onednn():
        return torch.bmm(x.flatten(0, 1), y.flatten(0, 1)).unflatten(0, x.shape[:2])


def places(tokens: int) -> int:
    """Return the number of places of a row of so many tokens, for which there are kernels."""
    # oneDNN compiles a kernel for each number, which takes as long as the products of a row.
    return tokens if tokens < FEWEST_TOKENS else -(-tokens // ROWS) * ROWS


def attend(
    q: PaddedQueries, k: PaddedKeys, v: PaddedKeys, may_attend: KeyMask | None = None, causal: bool = False
) -> PaddedQueries:
    """Compute `docmt.nn.attention.attend_padded`."""
    is_small = max(q.shape[1], k.shape[1]) <= MOST_TOKENS
    return (_WholeTables if is_small else _FusedKernel).apply(q, k, v, may_attend, causal)


@contextmanager
def products_by_onednn() -> Iterator[None]:
    """Let oneDNN compute torch's batched products in fp32 until the end of the block.

    torch does so only where oneDNN may round operands to bf16. oneDNN rounds them on processors with AMX alone, on
    which this must not be called.
    """
    settings = torch.backends.mkldnn.matmul
    before, settings.fp32_precision = settings.fp32_precision, "bf16"
    try:
        yield
    finally:
        settings.fp32_precision = before


class _WholeTables(torch.autograd.Function):
    """Attention that stores its weights for the backward pass."""

    @staticmethod
    def forward(
        ctx: Any, q: PaddedQueries, k: PaddedKeys, v: PaddedKeys, may_attend: KeyMask | None, causal: bool
    ) -> PaddedQueries:
        rows, queries, heads, width = q.shape
        # Eq. 1: softmax(Q K^T / sqrt(d_k)) V.
        q, k, v = by_head(q * width**-0.5), by_head(k), by_head(v)
        scores = products(q, k.transpose(1, 2), heads)
        if causal:
            scores += later_keys(queries)
        elif may_attend is not None:
            # Minus infinity would give a row without keys weights that are not numbers.
            lowest = torch.finfo(scores.dtype).min
            scores.unflatten(0, (rows, heads)).add_(hidden_keys(may_attend, lowest))
        weights = scores.softmax(-1)
        if may_attend is not None and not (has_keys := may_attend.any(1)).all():
            weights.unflatten(0, (rows, heads)).mul_(has_keys[:, None, None, None])
        ctx.save_for_backward(q, k, v, weights)
        ctx.heads = heads
        return by_token(products(weights, v, heads), heads)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: PaddedQueries) -> tuple[Tensor | None, ...]:
        q, k, v, weights = ctx.saved_tensors
        g, heads = by_head(gradient), ctx.heads
        # With P = softmax(S), S = Q K^T and R = P V: dP = dR V^T, dS = P * (dP - sum(dP * P)), dQ = dS K, dK = dS^T Q,
        # dV = P^T dR.
        of_weights = products(g, v.transpose(1, 2), heads)
        of_scores = torch._softmax_backward_data(of_weights, weights, -1, weights.dtype)
        of_q = products(of_scores, k, heads).mul_(q.shape[-1] ** -0.5)
        # A product is faster where its first operand is the narrower one.
        of_k = products(q.transpose(1, 2), of_scores, heads).transpose(1, 2)
        of_v = products(g.transpose(1, 2), weights, heads).transpose(1, 2)
        return *(by_token(x, heads) for x in (of_q, of_k, of_v)), None, None


def products(x: Float[Tensor, "BxH _ _"], y: Float[Tensor, "BxH _ _"], heads: int) -> Float[Tensor, "BxH _ _"]:
    """Return the products of two batches of matrices."""
    result = x.new_empty((len(x), x.shape[1], y.shape[2]))
    with products_by_onednn():
        # They are computed for one row after another: oneDNN would compile kernels of their own for each number of
        # rows.
        for start in range(0, len(x), heads):
            part = slice(start, start + heads)
            torch.bmm(x[part], y[part], out=result[part])
    return result


@cache
def later_keys(queries: int) -> Float[Tensor, "Q Q"]:
    """Return what is added to the scores of causal attention: minus infinity for the keys after a query."""
    return torch.full((queries, queries), -torch.inf).triu_(1)


def hidden_keys(may_attend: KeyMask, lowest: float) -> Float[Tensor, "B 1 1 L"]:
    """Return what is added to the scores of keys: `lowest` for keys that no query of the row may attend to."""
    return torch.zeros(may_attend.shape).masked_fill_(~may_attend, lowest)[:, None, None]


def by_head(x: Float[Tensor, "B _ H K"]) -> HeadRows:
    """Return the tokens of each head of each row."""
    return x.transpose(1, 2).reshape(-1, x.shape[1], x.shape[3])


def by_token(x: HeadRows, heads: int) -> Float[Tensor, "B _ H K"]:
    """Return the heads of each token of each row."""
    return x.unflatten(0, (-1, heads)).transpose(1, 2)


class _FusedKernel(torch.autograd.Function):
    """torch's fused kernel, forward and backward, with products of oneDNN."""

    @staticmethod
    def forward(
        ctx: Any, q: PaddedQueries, k: PaddedKeys, v: PaddedKeys, may_attend: KeyMask | None, causal: bool
    ) -> PaddedQueries:
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        mask = None if may_attend is None or causal else hidden_keys(may_attend, -torch.inf)
        with products_by_onednn():
            results, normalisers = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
                q, k, v, 0.0, causal, attn_mask=mask
            )
        ctx.save_for_backward(q, k, v, results, normalisers, mask)
        ctx.causal = causal
        return results.transpose(1, 2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: PaddedQueries) -> tuple[Tensor | None, ...]:
        q, k, v, results, normalisers, mask = ctx.saved_tensors
        with products_by_onednn():
            gradients = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
                gradient.transpose(1, 2), q, k, v, results, normalisers, 0.0, ctx.causal, attn_mask=mask
            )
        return *(x.transpose(1, 2) for x in gradients), None, None
