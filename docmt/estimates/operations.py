"""The multiplications and the parameters of a model, from its settings alone: planning imports no torch.

Counted are the products with parameter matrices and the products between tokens in attention, as they are computed:
causal attention computes all of them. Embeddings, norms and activations are not counted. A test compares the counts
with those of torch for every architecture.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from docmt.settings.models import DocumentToSentenceConfig, TransformerConfig

LINKED = 0.18
"""Assumed share of source tokens in lexical chains (Lyu et al. 2022, Table 5: 14 to 21 % of words)."""
CHAIN = 3.0
"""Assumed number of tokens of a lexical chain."""

Role = Literal["encoder_self", "decoder_self", "cross"]
"""The use of an attention, as in `docmt.models.transformer`."""


@dataclass(frozen=True)
class Load:
    """Data that a model computes: segments, their sentences, and the tokens of both sides with special symbols."""

    segments: float
    sentences: float
    source: float
    target: float

    def times(self, factor: float) -> "Load":
        """Return `factor` times as much data of the same shape."""
        return Load(self.segments * factor, self.sentences * factor, self.source * factor, self.target * factor)

    def span(self, side: str, scope: str) -> float:
        """Return the mean number of tokens that a token attends to on a side: those of a sentence, or of a segment."""
        runs = self.sentences if scope == "sentence" else self.segments
        return getattr(self, side) / max(runs, 1e-9)


def multiplications(model: TransformerConfig, load: Load, vocabulary: int) -> float:
    """Return the multiplications of a forward pass over a load; `vocabulary` is the number of target pieces.

    The backward pass has twice as many, and each comes with an addition.
    """
    output = load.target * model.width * vocabulary
    return _stacks(model, load) + output + PARTS.get(model.kind, _no_part)(model, load, vocabulary)


def parameters(model: TransformerConfig, source_size: int, target_size: int) -> int:
    """Return the number of weights in the matrices of a model; biases and norms, under 1 % of all, are left out."""
    square, oblong = model.width**2, 2 * model.width * model.inner
    layers = model.encoder_layers * (4 * square + oblong) + model.decoder_layers * (8 * square + oblong)
    tables = {"shared": target_size, "target": source_size + target_size, "separate": source_size + 2 * target_size}
    positions = 2 * model.max_positions if model.position_table == "learned" else 0
    of_parts = PART_PARAMETERS.get(model.kind)
    return layers + model.width * (tables[model.embeddings] + positions) + (of_parts(model) if of_parts else 0)


def _stacks(model: TransformerConfig, load: Load) -> float:
    """Return the multiplications of the encoder's and the decoder's layers, in all streams."""
    feed_forward = 2 * model.width * model.inner
    encoder = decoder = 0.0
    for layer in range(model.encoder_layers):
        for scopes in _streams(model, "encoder_self", layer):
            encoder += _attention(model, load, "encoder_self", scopes) + load.source * feed_forward
    for layer in range(model.decoder_layers):
        both = zip(_streams(model, "decoder_self", layer), _streams(model, "cross", layer), strict=True)
        for self_scopes, cross_scopes in both:
            decoder += _attention(model, load, "decoder_self", self_scopes) + load.target * feed_forward
            decoder += _attention(model, load, "cross", cross_scopes)
    return encoder + decoder


def _streams(model: Any, role: Role, layer: int) -> list[tuple[str, ...]]:
    """Return the scopes of the attentions of a layer, for each stream of states; two scopes are combined by a gate."""
    if model.kind == "long_short":
        if role == "cross":
            return [("segment",), ("segment",)]
        is_single = role == "encoder_self" and model.cross_reads == "long"
        return [("segment",)] if is_single else [("segment",), ("sentence",)]
    if model.kind == "g_transformer":
        return [_group_scopes(model, role, layer)]
    return [("sentence",) if isinstance(model, DocumentToSentenceConfig) else ("segment",)]


def _group_scopes(model: Any, role: Role, layer: int) -> tuple[str, ...]:
    """Return the scopes of an attention of G-Transformer. Paper: section 4.2, and Tables 5 and 6."""
    if not (model.translation_locality if role == "cross" else model.language_locality):
        return ("segment",)
    layers = model.encoder_layers if role == "encoder_self" else model.decoder_layers
    if layer < layers - model.combined()[f"{role}_combined_layers"]:
        return ("sentence",)
    tops = {"combined": ("sentence", "segment"), "group": ("sentence",), "global": ("segment",)}
    return tops[model.top_attention]


def _attention(model: TransformerConfig, load: Load, role: Role, scopes: tuple[str, ...]) -> float:
    """Return the multiplications of an attention: its four projections, its two products, and a gate of two scopes."""
    square = model.width**2
    queries = load.source if role == "encoder_self" else load.target
    side = "target" if role == "decoder_self" else "source"
    spans = sum(load.span(side, scope) for scope in scopes)
    projections = len(scopes) * 2 * square * (queries + getattr(load, side))
    gate = 2 * square * queries if len(scopes) == 2 else 0
    return projections + 2 * model.width * queries * spans + gate


def _no_part(model: Any, load: Load, vocabulary: int) -> float:
    """Return the multiplications of an architecture without parts beside its layers."""
    return 0.0


def _aggregation(model: Any, load: Load, vocabulary: int) -> float:
    """Return those of the layer that merges the two streams of long-short."""
    is_layer = model.aggregation == "concatenation"
    return load.target * 3 * model.width * model.aggregation_inner if is_layer else 0.0


def _chains(model: Any, load: Load, vocabulary: int) -> float:
    """Return those of GC-Attn, LC-Attn and ConVar."""
    width, members = model.width, LINKED * load.source
    rows = members * model.lexical_attention + load.sentences * model.general_attention
    total = model.encoder_layers * rows * 4 * width**2
    if model.latent:
        networks = 3 * width * model.latent_inner + 4 * model.latent_inner * model.latent_width
        total += members / CHAIN * networks + members * width * (width + 2 * load.span("target", "sentence"))
        total += load.target * width * (2 * model.latent_width + width)
    return total


def _links(model: Any, load: Load, vocabulary: int) -> float:
    """Return those of the shared context of linked words, and of the loss that compares their translations."""
    width, members = model.width, LINKED * load.source
    total = model.encoder_layers * members * 6 * width**2 if model.shared_context else 0.0
    if model.agreement_weight:
        again = (load.source + load.target) * width**2 + 2 * load.target * width * load.span("source", "sentence")
        total += members * width * vocabulary + again
    return total


def _hierarchy(model: Any, load: Load, vocabulary: int) -> float:
    """Return those of HAN's attention to previous sentences, at the top of encoder, decoder or both."""
    width, per_segment = model.width, max(load.sentences / max(load.segments, 1e-9), 1.0)
    aware = 1 - 1 / per_segment
    # Sentence i of a segment has i sentences before it, of which the model reads up to `context_sentences`.
    few = min(model.context_sentences, per_segment)
    looks = few - few * (few + 1) / 2 / per_segment
    sides = {"encoder": ("source",), "decoder": ("target",), "joint": ("source", "target")}[model.context]
    by_look = looks * (3 * width**2 + 2 * width)
    by_aware = aware * (2 * width**2 + 2 * width * model.inner)
    return sum(
        getattr(load, side) * (5 * width**2 + by_aware + by_look + looks * 2 * width * load.span(side, "sentence"))
        for side in sides
    )


PARTS: dict[str, Callable[[Any, Load, int], float]] = {
    "long_short": _aggregation,
    "lexical_chain": _chains,
    "w_link": _links,
    "han": _hierarchy,
}
"""The multiplications of the parts that an architecture has beside its layers, by the setting `model.kind`."""


def _combined_parameters(model: Any) -> int:
    """Return the weights of G-Transformer's second attentions and gates."""
    roles: list[tuple[Role, int]] = [
        *(("encoder_self", layer) for layer in range(model.encoder_layers)),
        *((role, layer) for layer in range(model.decoder_layers) for role in ("decoder_self", "cross")),
    ]
    return sum(6 * model.width**2 for role, layer in roles if len(_group_scopes(model, role, layer)) == 2)


def _chain_parameters(model: Any) -> int:
    """Return the weights of GC-Attn, LC-Attn and ConVar."""
    width, inner, latent = model.width, model.latent_inner, model.latent_width
    attentions = model.encoder_layers * 4 * width**2 * (model.lexical_attention + model.general_attention)
    convar = 3 * width * inner + 4 * inner * latent + 2 * width**2 + 2 * width * latent
    return attentions + (convar if model.latent else 0)


PART_PARAMETERS: dict[str, Callable[[Any], int]] = {
    "g_transformer": _combined_parameters,
    "long_short": lambda model: int(_aggregation(model, Load(1, 1, 1, 1), 0)),
    "lexical_chain": _chain_parameters,
    "w_link": lambda model: model.encoder_layers * 6 * model.width**2 * model.shared_context,
    "han": lambda model: (1 + (model.context == "joint")) * (10 * model.width**2 + 2 * model.width * model.inner),
}
"""The weights that an architecture has beside those of the Transformer, by the setting `model.kind`."""
