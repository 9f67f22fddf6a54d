"""The parts of Transformer layers, over packed streams.

Paper: Vaswani et al. 2017, sections 3.1 to 3.5.
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from torch import nn

from docmt.core.vocabulary import PAD
from docmt.nn.shapes import AnyStates, Float, Numbers, States, Tensor, Tokens

FIRST_POSITION = 2
"""Row of the table of positions that the first token takes: fairseq's, whose rows 0 and 1 are never used."""


def sinusoids(count: int, width: int) -> Float[Tensor, "_ D"]:
    """Positions 0 to count - 1: sines of all frequencies, then cosines.

    Paper: section 3.5.
    Departs: halves instead of alternating columns, and wavelengths from 2 pi to 10000 * 2 pi inclusive, as fairseq.
    """
    half = width // 2
    frequencies = torch.exp(torch.arange(half) * -(math.log(10000) / max(half - 1, 1)))
    angles = torch.arange(count)[:, None] * frequencies
    return torch.cat((angles.sin(), angles.cos()), dim=1)


class Dropout(nn.Module):
    """Zero each value with probability `share` in training, and scale the others up.

    Departs from `nn.Dropout` on the CPU, where drawing the mask took more time than a layer norm: four values share
    one 64-bit draw, so `share` is a multiple of 2^-16 there.
    """

    DRAWS = 1 << 16

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: AnyStates) -> AnyStates:
        if not self.training or self.share == 0:
            return x
        if x.device.type != "cpu":
            return nn.functional.dropout(x, self.share)
        dropped = round(self.share * self.DRAWS)
        draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64).random_(-(1 << 63), None).view(torch.int16)
        kept = draws[: x.numel()].view(x.shape) >= dropped - self.DRAWS // 2
        return x * kept.to(x.dtype).mul_(self.DRAWS / (self.DRAWS - dropped))


class Embedding(nn.Module):
    """Embeddings scaled by the square root of the width, plus sinusoidal positions.

    Paper: sections 3.4 and 3.5.
    """

    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary, width))
        self.dropout = Dropout(dropout)
        self.register_buffer("positions", sinusoids(1024, width), persistent=False)
        nn.init.normal_(self.weight, std=width**-0.5)
        nn.init.zeros_(self.weight[PAD])

    def forward(self, tokens: Tokens, positions: Numbers, longest: int) -> States:
        """`positions` count from 0; `longest` is one more than the highest of them."""
        width = self.weight.shape[1]
        if longest + FIRST_POSITION > len(self.positions):
            self.positions = sinusoids(2 * (longest + FIRST_POSITION), width).to(self.positions)
        embedded = nn.functional.embedding(tokens, self.weight) * math.sqrt(width)
        return self.dropout(embedded + self.positions.index_select(0, positions + FIRST_POSITION))


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between. Paper: section 3.3, eq. 2."""

    def __init__(self, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.dropout = Dropout(dropout)

    def forward(self, x: States) -> States:
        return self.outer(self.dropout(self.inner(x).relu()))


class Residual(nn.Module):
    """A sublayer's dropout, residual connection and layer norm.

    Paper: section 3.1 and 5.4 for `post`, LayerNorm(x + Sublayer(x)); Xiong et al. 2020 for `pre`,
    x + Sublayer(LayerNorm(x)).
    """

    def __init__(self, width: int, norm: Literal["post", "pre"], dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.norm_first = norm == "pre"
        self.dropout = Dropout(dropout)

    def forward(self, x: States, sublayer: Callable[[States], States]) -> States:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))
