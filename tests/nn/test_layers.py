import math

import pytest
import torch
from torch import nn

from docmt.base.vocabulary import PAD
from docmt.nn.layers import FIRST_POSITION, Dropout, Embedding, Residual, sinusoids
from docmt.settings.models import TransformerConfig


def test_positions_are_sines_then_cosines_of_falling_frequencies():
    table = sinusoids(50, 8)
    for position in (0, 1, 49):
        for i in range(4):
            angle = position * 10000 ** (-i / 3)
            assert table[position, i].item() == pytest.approx(math.sin(angle), abs=1e-5)
            assert table[position, 4 + i].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_embeddings_are_scaled_and_positions_added():
    embedding = Embedding(9, TransformerConfig(width=16, heads=2, dropout=0.0))
    tokens, positions = torch.tensor([7, 8]), torch.tensor([0, 5])
    expected = embedding.weight[tokens] * 4 + sinusoids(20, 16)[positions + FIRST_POSITION]
    torch.testing.assert_close(embedding(tokens, positions, 6), expected)


def test_embeddings_start_with_the_scale_of_the_width():
    torch.manual_seed(1)
    weight = Embedding(2000, TransformerConfig(width=64, dropout=0.0)).weight
    assert (weight[PAD] == 0).all()
    assert weight.std().item() == pytest.approx(1 / 8, rel=0.02)


def test_the_norm_stands_after_the_sum_or_before_the_sublayer():
    x = torch.randn(3, 4)
    norm = nn.LayerNorm(4)
    post, pre = (Residual(TransformerConfig(width=4, heads=2, dropout=0.0, norm=norm)) for norm in ("post", "pre"))
    torch.testing.assert_close(post(x, torch.exp), norm(x + x.exp()))
    torch.testing.assert_close(pre(x, torch.exp), x + norm(x).exp())


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_dropout_drops_its_share_and_scales_the_rest(share):
    torch.manual_seed(1)
    dropout, x = Dropout(share, 333), torch.full((301, 333), 2.0, requires_grad=True)
    y = dropout(x)
    is_selected = y != 0
    assert 1 - is_selected.double().mean().item() == pytest.approx(share, abs=0.01)
    assert y[is_selected].unique().numel() == 1 and y[is_selected][0].item() == pytest.approx(2 / (1 - share), rel=1e-4)
    assert torch.equal(torch.autograd.grad(y.sum(), x)[0] != 0, is_selected)


def test_dropout_rests_outside_training_and_repeats_with_its_seed():
    x = torch.randn(5, 7)
    assert Dropout(0.5, 7).eval()(x) is x
    assert Dropout(0.0, 7)(x) is x
    first, second = (Dropout(0.5, 7)(x) for _ in map(torch.manual_seed, (3, 3)))
    assert torch.equal(first, second)
