"""The types of numbers in a training in bf16: products of matrices are in bf16, and what sums up is in fp32."""

from collections import defaultdict

import pytest
import torch
from helpers.model_cases import MOSTLY_SLOW, batch_of, documents, model_of
from torch.utils._python_dispatch import TorchDispatchMode

from docmt.training.computing import forward_context
from docmt.training.losses import batch_losses

aten = torch.ops.aten
IN_BF16 = (aten.mm, aten.addmm, aten.bmm)
"""Matrix products, whose kernels sum up in fp32."""
IN_FP32 = (aten._softmax, aten._log_softmax, aten.logsumexp)
"""Distributions: of the loss, of disagreement, of the alignment by attention."""


class Types(TorchDispatchMode):
    """Keeps the types of the numbers that operations are given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = defaultdict(set)

    def __torch_dispatch__(self, operation, types, arguments=(), named=None):
        tensors = [value for value in arguments if isinstance(value, torch.Tensor) and value.is_floating_point()]
        self.seen[operation.overloadpacket] |= {tensor.dtype for tensor in tensors}
        return operation(*arguments, **(named or {}))


@pytest.mark.parametrize("case", MOSTLY_SLOW)
def test_products_are_in_bf16_and_sums_in_fp32(case):
    model, batch = model_of(case).float().train(), batch_of(case, *documents())
    with Types() as types:
        losses = batch_losses(model, batch, 0.1, forward_context(torch.device("cpu"), "bf16"))
    loss, nll, terms = losses
    assert loss.dtype == nll.dtype == torch.float64
    assert {term.total.dtype for term in terms.values()} <= {torch.float32}
    assert all(types.seen[operation] <= {torch.bfloat16} for operation in IN_BF16) and types.seen[aten.addmm]
    assert all(types.seen[operation] <= {torch.float32} for operation in IN_FP32) and types.seen[aten._softmax]
    (loss + sum(term.total for term in terms.values())).backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    assert {gradient.dtype for gradient in gradients} == {torch.float32}


def test_the_loss_in_bf16_is_that_in_fp32_nearly():
    for case in ("transformer", "lexical_chain", "w_link"):
        model, batch = model_of(case).float().eval(), batch_of(case, *documents())
        losses = [
            batch_losses(model, batch, 0.1, forward_context(torch.device("cpu"), precision))
            for precision in ("fp32", "bf16")
        ]
        assert losses[1][0].item() == pytest.approx(losses[0][0].item(), rel=0.02)
        for name, term in losses[0][2].items():
            assert losses[1][2][name].total.item() == pytest.approx(term.total.item(), rel=0.1)
