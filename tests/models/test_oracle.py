"""Transformer and G-Transformer against versions written from the equations."""

import pytest
import torch
from helpers.oracle_parts import Oracle, assert_logits_of_the_equations, cases_of
from torch import Tensor


class GTransformerOracle(Oracle):
    """G-Transformer, eq. 6 to 10, and what its Tables 5 and 6 take away."""

    def attention(self, name: str, query: Tensor, group: Tensor, whole: Tensor) -> Tensor:
        """`name`: stack.layer.attention."""
        stack, layer, attention = name.split(".")
        config = self.config
        if not (config.translation_locality if attention == "cross_attention" else config.language_locality):
            return self.multi_head(name, query, whole)
        layers = config.encoder_layers if stack == "encoder" else config.decoder_layers
        combined = config.combined()
        top = {
            "encoder.self_attention": combined["encoder_self_combined_layers"],
            "decoder.self_attention": combined["decoder_self_combined_layers"],
            "decoder.cross_attention": combined["cross_combined_layers"],
        }[f"{stack}.{attention}"]
        if int(layer) < layers - top or config.top_attention == "group":
            return self.multi_head(name, query, group)
        if config.top_attention == "global":
            return self.multi_head(name, query, whole)
        local = self.multi_head(f"{name}.group", query, group)
        global_ = self.multi_head(f"{name}.global_", query, whole)
        g = torch.sigmoid(self.linear(f"{name}.gate", torch.cat((local, global_))))
        return local * g + global_ * (1 - g)


@pytest.mark.parametrize("case", cases_of("transformer"))
def test_logits_of_the_transformer(case):
    assert_logits_of_the_equations(case, Oracle)


@pytest.mark.parametrize("case", cases_of("g_transformer"))
def test_logits_of_g_transformer(case):
    assert_logits_of_the_equations(case, GTransformerOracle)
