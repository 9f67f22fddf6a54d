"""Long-short term masking against a version written from the paper: each stream by itself, sentence by sentence."""

import pytest
import torch
from helpers.oracle_parts import Oracle, assert_logits_of_the_equations, cases_of
from torch import Tensor


class ShortStream(Oracle):
    """Self-attention has the sentence only (section 2.1); cross-attention is plain."""

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        return self.multi_head(name, query, whole if name.endswith("cross_attention") else group)


class LongShortOracle(Oracle):
    """Section 2.1: two sets of states by the same parameters; what becomes one of them is predicted from."""

    def __init__(self, model) -> None:
        super().__init__(model)
        self.long, self.short = Oracle(model), ShortStream(model)

    def logits(self, source: list[list[int]], target: list[list[int]]) -> Tensor:
        memory = self.long.encode(source)
        long = torch.cat(self.long.decode(target, memory))
        memory = self.short.encode(source) if self.config.cross_reads == "own" else memory
        short = torch.cat(self.short.decode(target, memory))
        rows = [self.aggregated(*pair) for pair in zip(long, short, strict=True)]
        return torch.stack(rows) @ self.weights["output.weight"].T

    def aggregated(self, long: Tensor, short: Tensor) -> Tensor:
        if self.config.aggregation == "long":
            return long
        if self.config.aggregation == "sum":
            return long + short
        return self.feed_forward("aggregation", [torch.cat((long, short))])[0]


@pytest.mark.parametrize("case", cases_of("long_short"))
def test_logits_of_the_equations(case):
    assert_logits_of_the_equations(case, LongShortOracle)
