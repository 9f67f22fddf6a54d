"""Linear maps whose products oneDNN computes, against the products of torch."""

import pytest
import torch
from torch.nn import functional

from docmt.nn import onednn as module
from docmt.nn.layers import Linear
from docmt.nn.onednn import linear, sum_of_products


@pytest.fixture(autouse=True)
def used(monkeypatch) -> None:
    """oneDNN is used on every processor."""
    assert module.HAS_ONEDNN, "torch for CPUs has oneDNN"
    monkeypatch.setattr(module, "IS_FASTER", True)


@pytest.fixture
def calls(monkeypatch) -> list[tuple[int, ...]]:
    """The shapes of the rows that oneDNN computes."""
    shapes, product = [], module.product

    def counted(x, *others):
        shapes.append(tuple(x.shape))
        return product(x, *others)

    monkeypatch.setattr(module, "product", counted)
    return shapes


@pytest.mark.parametrize("rows", [(1,), (31,), (32,), (33,), (3, 40), (2, 3, 64)])
@pytest.mark.parametrize("has_bias", [True, False])
def test_values_and_gradients_are_those_of_torch(rows, has_bias):
    torch.manual_seed(0)
    x, weight = torch.randn(*rows, 24, requires_grad=True), torch.randn(40, 24, requires_grad=True)
    inputs = (x, weight, torch.randn(40, requires_grad=True)) if has_bias else (x, weight)
    results = linear(*inputs), functional.linear(*inputs)
    factor = torch.randn_like(results[0])
    gradients = [torch.autograd.grad((result * factor).sum(), inputs) for result in results]
    for pair in (results, *zip(*gradients, strict=True)):
        torch.testing.assert_close(*pair, rtol=1e-4, atol=1e-4)


def test_products_have_few_numbers_of_rows(calls):
    weight = torch.randn(8, 16)
    for rows in range(1, 130):
        linear(torch.randn(rows, 16), weight)
    assert {shape[0] for shape in calls} == {32, 64, 96, 128, 160}


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_number_types_are_left_to_torch(dtype, calls):
    x, weight = torch.randn(64, 16, dtype=dtype), torch.randn(8, 16, dtype=dtype)
    assert torch.equal(linear(x, weight), functional.linear(x, weight)) and not calls
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(x.float(), weight.float()).dtype == torch.bfloat16 and not calls


def test_products_are_left_to_torch_where_it_is_faster(calls, monkeypatch):
    monkeypatch.setattr(module, "IS_FASTER", False)
    x, weight = torch.randn(64, 16, requires_grad=True), torch.randn(8, 16, requires_grad=True)
    assert torch.equal(linear(x, weight), functional.linear(x, weight))
    linear(x, weight).sum().backward()
    sum_of_products(x, x)
    assert not calls


@pytest.mark.parametrize("widths", [(16, 40), (40, 16), (16, 16)])
@pytest.mark.parametrize("rows", [5, 64])
def test_a_sum_of_products_is_a_product_of_transposed_rows(widths, rows):
    x, y = (torch.randn(rows, width) for width in widths)
    torch.testing.assert_close(sum_of_products(x, y), x.t() @ y, rtol=1e-5, atol=1e-5)


def test_a_gradient_that_is_not_needed_is_not_computed(calls):
    layer = Linear(16, 8)
    layer(torch.randn(64, 16)).sum().backward()
    assert len(calls) == 2, "the forward pass, and the gradient of the weight"
