"""The weights of a model, and the multiplications of its passes, from its settings alone: planning imports no torch.

The count is that of Kaplan et al. (2020, section 2.1): a token is multiplied with every weight of the layers, and
compared with the tokens that it attends to. What an architecture adds to a Transformer counts by its weights alone, so
that the count is rough: a test compares it with that of torch for every architecture.
"""

from collections.abc import Callable
from typing import Any

from docmt.estimates.passes import Pass
from docmt.settings.models import READS_CHAINS, TransformerConfig

BY_SEGMENT = ("transformer", "long_short")
"""The architectures whose tokens attend to whole segments; those of the others mostly attend to their sentence."""
LINKED = 0.18
"""Assumed share of source tokens in lexical chains (Lyu et al. 2022, Table 5: 14 to 21 % of words). They alone pass the
parts of architectures that read chains."""
STREAMS = {"long_short": 2}
"""The number of streams of states that the layers compute with the same weights, where it is not one."""


def multiplications(model: TransformerConfig, load: Pass, vocabulary: int) -> float:
    """Return the multiplications of a forward pass over a load; `vocabulary` is the number of target pieces.

    The backward pass has twice as many, and each comes with an addition.
    """
    tokens = (load.source + load.target) / 2
    runs = load.segments if model.kind in BY_SEGMENT else load.sentences
    attentions = model.encoder_layers + 2 * model.decoder_layers
    # Q K^T and P V: 2 D multiplications of a token with each token of its run.
    comparisons = attentions * 2 * model.width * load.source / max(runs, 1e-9)
    weights = weights_of_layers(model)
    if model.kind in READS_CHAINS:
        weights -= (1 - LINKED) * PARTS[model.kind](model)
    layers = STREAMS.get(model.kind, 1) * tokens * (weights + comparisons)
    return layers + load.target * model.width * vocabulary


def parameters(model: TransformerConfig, source_size: int, target_size: int) -> int:
    """Return the number of weights in the matrices of a model; biases and norms, under 1 % of all, are left out."""
    tables = {"shared": target_size, "target": source_size + target_size, "separate": source_size + 2 * target_size}
    positions = 2 * model.max_positions if model.position_table == "learned" else 0
    return weights_of_layers(model) + model.width * (tables[model.embeddings] + positions)


def weights_of_layers(model: TransformerConfig) -> int:
    """Return the number of weights in the matrices of the layers, and of the parts that an architecture adds."""
    square, oblong = model.width**2, 2 * model.width * model.inner
    layers = model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)
    return layers + PARTS.get(model.kind, lambda model: 0)(model)


def _combined_attentions(model: Any) -> int:
    """Return the weights of G-Transformer's second attentions and gates. Paper: section 4.2, and Tables 5 and 6."""
    if model.top_attention != "combined":
        return 0
    counts = model.combined()
    layers = {"encoder_self": model.encoder_layers, "decoder_self": model.decoder_layers, "cross": model.decoder_layers}
    combined = 0
    for attention, most in layers.items():
        is_local = model.translation_locality if attention == "cross" else model.language_locality
        combined += min(counts[f"{attention}_combined_layers"], most) if is_local else 0
    return 6 * model.width**2 * combined


def _aggregation(model: Any) -> int:
    """Return the weights of the layer that merges the two streams of long-short."""
    return 3 * model.width * model.aggregation_inner if model.aggregation == "concatenation" else 0


def _chains(model: Any) -> int:
    """Return the weights of GC-Attn, LC-Attn and ConVar."""
    width, inner, latent = model.width, model.latent_inner, model.latent_width
    attentions = model.encoder_layers * 4 * width**2 * (model.lexical_attention + model.general_attention)
    convar = 3 * width * inner + 4 * inner * latent + 2 * width**2 + 2 * width * latent
    return attentions + (convar if model.latent else 0)


PARTS: dict[str, Callable[[Any], int]] = {
    "g_transformer": _combined_attentions,
    "long_short": _aggregation,
    "lexical_chain": _chains,
    "w_link": lambda model: model.encoder_layers * 6 * model.width**2 * model.shared_context,
    "han": lambda model: (1 + (model.context == "joint")) * (10 * model.width**2 + 2 * model.width * model.inner),
}
"""The weights that an architecture has beside those of the Transformer, by the setting `model.kind`."""
