"""The names of weights in each kind of checkpoint, and the parameter of the Transformer for each name."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class CheckpointFamily:
    """The names of weights in a kind of checkpoint, without `prefix`; the names end in `.weight` or `.bias`."""

    prefix: str
    """The beginning of all names where the model has a head, such as an output layer; else there is no prefix."""
    layer: str
    """The name of a part of a layer, as a format with `stack`, `number` and `part`."""
    stack: str
    """The pattern of the names of the stacks that have layers."""
    parts: Mapping[str, str | tuple[str, ...]]
    """The name in the checkpoint for each part of docmt's layers, or the names of the maps that the part joins."""
    outside: Mapping[str, str]
    """The name in the checkpoint for each of docmt's modules outside of layers."""
    positions: Mapping[str, str]
    """The name in the checkpoint for each of docmt's tables of positions."""
    tied: tuple[str, ...]
    """The possible names of the single table of embeddings."""
    embeddings: tuple[str, ...]
    """The parameters of docmt that start from the table of embeddings; a model with shared tables has fewer of them."""
    stacks: tuple[str, ...]
    """The beginnings of the names of the parameters that such a checkpoint must contain."""
    unused: re.Pattern
    """The pattern of the names of weights that a translation model does not use."""

    def without_prefix(self, name: str) -> str:
        """Return the name without prefix; the layer norms of the first BERT had gamma and beta for weight and bias."""
        bare = name.removeprefix(self.prefix)
        return re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", bare))

    def checkpoint_names(self, parameter: str) -> tuple[str, ...]:
        """Return the names in the checkpoint, without prefix, of the weights that lie side by side in a parameter.

        There is none where the parameter has no weight in such a checkpoint.
        """
        if parameter in self.embeddings:
            return self.tied[:1]
        if parameter in self.positions:
            return (self.positions[parameter],)
        stem, _, leaf = parameter.rpartition(".")
        if stem in self.outside:
            return (f"{self.outside[stem]}.{leaf}",)
        match = re.fullmatch(rf"(?P<stack>{self.stack})\.(?P<number>\d+)\.(?P<part>.+)", stem)
        if match is None:
            return ()
        parts = self.parts[match["part"]]
        return tuple(
            f"{self.layer.format(**{**match.groupdict(), 'part': part})}.{leaf}"
            for part in ((parts,) if isinstance(parts, str) else parts)
        )

    def places(self, parameters: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return, for each name in the checkpoint, its parameter, and its place among the weights that lie in it."""
        return {
            name: (parameter, place)
            for parameter in parameters
            for place, name in enumerate(self.checkpoint_names(parameter))
        }

    def side_by_side(self, weights: Mapping[str, Mapping[int, Tensor]]) -> dict[str, Tensor]:
        """Return each parameter of which all weights are there, from the weights by their places in it."""
        return {
            parameter: torch.cat([parts[place] for place in sorted(parts)]) if len(parts) > 1 else parts[0]
            for parameter, parts in weights.items()
            if len(parts) == len(self.checkpoint_names(parameter))
        }


def attention_names(ours: str, theirs: str, projections: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
    """Return the checkpoint's names of the four projections of an attention, by their names in docmt."""
    q, k, v, output = (f"{theirs}.{projections[role]}" for role in ("q", "k", "v", "output"))
    joined = {"q": q, "kv": (k, v)} if ours.startswith("cross") else {"qkv": (q, k, v)}
    return {f"{ours}.{name}": names for name, names in {**joined, "output": output}.items()}


BART_PROJECTIONS = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "output": "out_proj"}
BERT_PROJECTIONS = {"q": "self.query", "k": "self.key", "v": "self.value", "output": "output.dense"}

BART = CheckpointFamily(
    prefix="model.",
    layer="{stack}.layers.{number}.{part}",
    stack="encoder|decoder",
    parts={
        **attention_names("self_attention", "self_attn", BART_PROJECTIONS),
        **attention_names("cross_attention", "encoder_attn", BART_PROJECTIONS),
        "after_self.norm": "self_attn_layer_norm",
        "after_cross.norm": "encoder_attn_layer_norm",
        "feed_forward.inner": "fc1",
        "feed_forward.outer": "fc2",
        "after_feed_forward.norm": "final_layer_norm",
    },
    outside={
        "source_embedding.norm": "encoder.layernorm_embedding",
        "target_embedding.norm": "decoder.layernorm_embedding",
        "encoder_norm": "encoder.layer_norm",
        "decoder_norm": "decoder.layer_norm",
    },
    positions={
        "source_embedding.position.weight": "encoder.embed_positions.weight",
        "target_embedding.position.weight": "decoder.embed_positions.weight",
    },
    tied=("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"),
    embeddings=("source_embedding.weight", "target_embedding.weight", "output.weight"),
    stacks=("",),
    unused=re.compile(r"(encoder|decoder)\.version"),
)
"""The names of BART, and of mBART, which has more layer norms."""

BERT = CheckpointFamily(
    prefix="bert.",
    layer="{stack}.layer.{number}.{part}",
    stack="encoder",
    parts={
        **attention_names("self_attention", "attention", BERT_PROJECTIONS),
        "after_self.norm": "attention.output.LayerNorm",
        "feed_forward.inner": "intermediate.dense",
        "feed_forward.outer": "output.dense",
        "after_feed_forward.norm": "output.LayerNorm",
    },
    outside={"source_embedding.norm": "embeddings.LayerNorm"},
    positions={"source_embedding.position.weight": "embeddings.position_embeddings.weight"},
    tied=("embeddings.word_embeddings.weight",),
    embeddings=("source_embedding.weight",),
    stacks=("source_embedding.", "encoder"),
    unused=re.compile(r"pooler\..+|cls\..+|embeddings\.position_ids|embeddings\.token_type_ids"),
)
"""The names of BERT."""

FAMILIES = {"mbart": BART, "bart": BART, "bert": BERT}  # The names for each `model_type` of a checkpoint's config.json

TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
"""The name of BERT's embeddings of token types, which distinguish the first and the second text."""

BIAS_OF_LOGITS = "final_logits_bias"  # The name of the bias of BART's output layer; docmt's output layer has no bias
