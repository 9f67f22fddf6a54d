"""Matrix products of linear maps, which oneDNN computes on a CPU with AVX-512 in fp32.

torch calls MKL for these products. On processors of AMD, MKL uses AVX2 alone, and reaches half of the rate of oneDNN,
which uses AVX-512 (benchmarks/training.md). On processors without AVX-512, MKL is the faster one. Both compute in fp32
and differ only in rounding. torch has no switch for this choice, so that this module calls oneDNN's operation itself
and gives it a gradient.

oneDNN compiles a kernel for each number of rows, which takes as long as a small product. So `pad_batch` gives streams
few different numbers of rows, and rows of other numbers are padded here.
"""

from typing import Any

import torch
from torch.nn import functional

from docmt.nn.shapes import AnyRows, Float, Tensor

ROWS = 32
"""Numbers of rows are multiples of this number, so that few kernels are compiled."""
FEWEST_ROWS = 32
"""With fewer rows, the time of a product is that of reading the weights, in oneDNN and in MKL."""
HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
CAPABILITIES = torch.cpu.get_capabilities()
IS_FASTER = HAS_ONEDNN and bool(CAPABILITIES.get("avx512_f"))
"""Whether oneDNN's products are faster than MKL's."""


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
    """The linear map with its gradient, three products in oneDNN."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return the mapped rows."""
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Return the gradients of the rows, of the weight and of the bias, where they are needed."""
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        gradient = gradient.contiguous()
        return (
            product(gradient, weight.t()) if of_x else None,
            sum_of_products(gradient, x) if of_weight else None,
            gradient.sum(0) if of_bias else None,
        )
