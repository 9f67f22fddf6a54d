"""Numbers of parameters at the papers' sizes."""

import pytest
import torch

from docmt.models import build
from docmt.settings.models import GTransformerConfig, LexicalChainConfig, TransformerConfig

ROWS = 24_970
"""Embedding rows a side that make the baseline of Table 7 (69.71 M): 49,940 with target embedding and softmax tied."""


def millions(config) -> float:
    with torch.device("meta"):
        model = build(config, ROWS, ROWS)
    return sum(parameter.numel() for parameter in model.parameters()) / 1e6


def chain_model(**switches) -> float:
    off = {"lexical_attention": False, "latent": False, "general_attention": False}
    return millions(LexicalChainConfig(norm="pre", embeddings="target", **{**off, **switches}))


def test_the_vocabulary_is_that_of_the_published_baseline():
    assert millions(TransformerConfig(norm="pre", embeddings="target")) == pytest.approx(69.71, abs=0.01)
    assert chain_model() == pytest.approx(69.71, abs=0.01)


@pytest.mark.parametrize(
    "switch, published", [("lexical_attention", 6.42), ("latent", 3.10), ("general_attention", 6.33)]
)
def test_increments_of_table_7(switch, published):
    """LC-Attn and GC-Attn are one multi-head attention with its norm in each of 6 layers, which is 6.31 M."""
    assert chain_model(**{switch: True}) - chain_model() == pytest.approx(published, rel=0.02)


G_TRANSFORMER_SIZES = {
    "base": {"encoder_layers": 6, "decoder_layers": 6, "width": 512, "inner": 2048, "heads": 8},
    "big": {"encoder_layers": 6, "decoder_layers": 6, "width": 1024, "inner": 4096, "heads": 16},
    "large": {"encoder_layers": 12, "decoder_layers": 12, "width": 1024, "inner": 4096, "heads": 16},
}
"""G-Transformer (Bao et al. 2021), section 2."""


def closed_formula(layers: int, width: int, inner: int, combined: int) -> int:
    """Of a shared table of ROWS embeddings, as many layers on both sides, and `combined` combined attentions."""
    attention, norm, gate = 4 * (width * width + width), 2 * width, 2 * width * width + width
    feed_forward = 2 * width * inner + inner + width
    pair_of_layers = 3 * attention + 2 * feed_forward + 5 * norm
    return ROWS * width + layers * pair_of_layers + combined * (attention + gate)


@pytest.mark.parametrize("size", G_TRANSFORMER_SIZES)
@pytest.mark.parametrize(
    "settings, combined",
    [
        ({"combined_layers": 1}, 3),
        ({"combined_layers": 2}, 6),
        ({"combined_layers": 3}, 9),
        ({"decoder_self_combined_layers": 0}, 4),
        ({"combined_layers": 0}, 0),
        ({"top_attention": "group"}, 0),
        ({"top_attention": "global"}, 0),
        ({"language_locality": False}, 2),
        ({"language_locality": False, "translation_locality": False}, 0),
    ],
)
def test_g_transformers_are_as_large_as_the_closed_formula(size, settings, combined):
    sizes = G_TRANSFORMER_SIZES[size]
    expected = closed_formula(sizes["encoder_layers"], sizes["width"], sizes["inner"], combined)
    assert round(millions(GTransformerConfig(**sizes, **settings)) * 1e6) == expected
