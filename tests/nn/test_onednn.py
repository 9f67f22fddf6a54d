"""Attention of long rows by oneDNN's products, against the dense mask in double precision."""

from collections.abc import Iterator

import pytest
import torch
from helpers.dense_attention import attend as dense_attend

from docmt.nn import onednn
from docmt.nn.attention import attend, attend_padded
from docmt.nn.growing_caches import CachePart, attend_newest
from docmt.nn.segments import Segments

PRECISION = torch.backends.mkldnn.matmul
TOLERANCE = 2e-5 if onednn.IS_FP32 else 0.1
"""With AMX, on which docmt does not use the module, its products round their operands to bf16."""


@pytest.fixture(autouse=True)
def used(monkeypatch) -> None:
    """The module is used on every processor."""
    monkeypatch.setattr(onednn, "IS_FASTER", True)
    monkeypatch.setattr(onednn, "IS_FP32", True)


@pytest.fixture
def shapes(monkeypatch) -> list[tuple[int, ...]]:
    """The shapes of the first operands of products by rows."""
    seen, products = [], onednn.products

    def counted(x, y, heads):
        seen.append(tuple(x.shape[1:]))
        return products(x, y, heads)

    monkeypatch.setattr(onednn, "products", counted)
    return seen


def inputs(queries: int, keys: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(queries + 7 * keys)
    sizes = (queries, keys, keys)
    return [torch.randn(size, 2, 8, generator=generator, dtype=dtype).requires_grad_() for size in sizes]


def values_and_gradients(function, tensors, *runs) -> list[torch.Tensor]:
    results = function(*tensors, *runs)
    factors = torch.linspace(-1, 1, results.numel(), dtype=torch.float64).view(results.shape)
    return [results, *torch.autograd.grad((results * factors).sum(), tensors)]


@pytest.mark.parametrize(
    ("queries", "keys", "causal"),
    [
        ([200, 210], [220, 199], False),
        ([200, 190], [200, 190], True),
        ([200, 195], [0, 210], False),
        ([5, 200, 12, 400], [4, 230, 15, 380], False),
        ([769], [800], False),
        ([770, 800], [770, 800], True),
        ([780, 790], [0, 780], False),
    ],
)
def test_values_and_gradients_are_those_of_the_dense_mask(queries, keys, causal):
    runs = Segments.from_lengths(queries), Segments.from_lengths(keys)
    tensors = inputs(sum(queries), sum(keys))
    doubles = [x.detach().double().requires_grad_() for x in tensors]
    computed = values_and_gradients(attend, tensors, *runs, causal)
    for result, expected in zip(computed, values_and_gradients(dense_attend, doubles, *runs, causal), strict=True):
        torch.testing.assert_close(result.double(), expected, atol=TOLERANCE, rtol=TOLERANCE)


def test_long_rows_have_few_numbers_of_places(shapes):
    for tokens in range(160, 300, 2):
        runs = Segments.from_lengths([tokens, tokens - 1])
        attend(*inputs(runs.tokens, runs.tokens), runs, runs)
    assert {shape[0] for shape in shapes} == {192, 224, 256, 288, 320}


def test_one_row_is_computed_at_a_time(monkeypatch):
    seen, bmm = [], torch.bmm
    monkeypatch.setattr(torch, "bmm", lambda x, y, out: seen.append(len(x)) or bmm(x, y, out=out))
    rows = [torch.randn(3, 192, 2, 8) for _ in range(3)]
    attend_padded(*rows)
    assert seen == [2] * 6


@pytest.mark.parametrize(
    ("tokens", "dtype"), [(191, torch.float32), (192, torch.float64), (192, torch.bfloat16)], ids=str
)
def test_other_rows_are_left_to_the_fused_kernel(tokens, dtype, shapes):
    rows = [torch.randn(1, tokens, 2, 8, dtype=dtype) for _ in range(3)]
    assert attend_padded(*rows).dtype == dtype and not shapes


@pytest.mark.parametrize("name", ["IS_FASTER", "IS_FP32"])
def test_processors_on_which_it_is_slower_or_rounds_do_not_use_it(name, shapes, monkeypatch):
    monkeypatch.setattr(onednn, name, False)
    attend_padded(*(torch.randn(1, 192, 2, 8) for _ in range(3)))
    assert not shapes


@pytest.fixture
def ieee() -> Iterator[None]:
    """A setting of torch that is not its default."""
    before, PRECISION.fp32_precision = PRECISION.fp32_precision, "ieee"
    yield
    PRECISION.fp32_precision = before


def test_the_setting_of_torch_is_as_before(ieee):
    rows = [torch.randn(1, 192, 2, 8, requires_grad=True) for _ in range(3)]
    attend_padded(*rows).sum().backward()
    assert PRECISION.fp32_precision == "ieee"
    with pytest.raises(KeyboardInterrupt), onednn.products_by_onednn():
        raise KeyboardInterrupt
    assert PRECISION.fp32_precision == "ieee"


def newest(instances: int, tokens: int, is_steady: bool) -> tuple[torch.Tensor, CachePart]:
    """Queries of 5 hypotheses of each instance, and keys and values of so many tokens."""
    generator = torch.Generator().manual_seed(7)
    q, keys, values = (
        torch.randn(shape, generator=generator)
        for shape in ((instances * 5, 4, 32), (instances, 4, 32, tokens), (instances, 4, tokens, 32))
    )
    return q, CachePart(keys, values, None, is_steady)


def test_steps_of_decoding_give_the_same():
    q, part = newest(20, 128, True)
    assert onednn.supports_product(torch.empty(20, 4, 5, 32), part.keys)
    expected = attend_newest(q.double(), CachePart(part.keys.double(), part.values.double()))
    torch.testing.assert_close(attend_newest(q, part).double(), expected, atol=TOLERANCE, rtol=TOLERANCE)


@pytest.mark.parametrize(("instances", "is_steady", "number"), [(20, True, 2), (20, False, 0), (1, True, 0)])
def test_large_products_of_steps_are_computed_by_onednn_where_kernels_last(instances, is_steady, number, monkeypatch):
    precisions, bmm = [], torch.bmm
    monkeypatch.setattr(torch, "bmm", lambda x, y: precisions.append(PRECISION.fp32_precision) or bmm(x, y))
    attend_newest(*newest(instances, 128, is_steady))
    assert precisions == ["bf16"] * number
