"""How pretrained checkpoints name their weights, kind by kind, and which parameter of the Transformer each is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

GROUPS = {"number": r"(?P<number>\d+)", "part": "(?P<part>.+)"}
"""Patterns of what a layer's names have."""


@dataclass(frozen=True)
class Family:
    """Names are those without `prefix`, which models with a head put before them; they end in `.weight` or `.bias`."""

    prefix: str
    layer: str
    """What is inside a layer, in terms of `stack`, `number` and `part`."""
    stack: str
    """A pattern of the stacks that have layers."""
    parts: Mapping[str, str]
    """Our names of the parts of layers."""
    outside: Mapping[str, str]
    """Our names of what is outside of layers."""
    positions: Mapping[str, str]
    """Tables of positions."""
    tied: tuple[str, ...]
    """The names under which the one table of embeddings may stand."""
    embeddings: tuple[str, ...]
    """The parameters that it becomes; a model that shares them has fewer."""
    stacks: tuple[str, ...]
    """How the parameters begin that such a checkpoint must fill."""
    needless: re.Pattern
    """What a translation model has no use for."""

    def short(self, name: str) -> str:
        """Without prefix; the layer norms of the first BERT have gamma and beta."""
        short = name.removeprefix(self.prefix)
        return re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", short))

    def parameter(self, short: str) -> str | None:
        """Our name of a weight that is taken as it is."""
        stem, _, leaf = short.rpartition(".")
        if stem in self.outside:
            return f"{self.outside[stem]}.{leaf}"
        pattern = self.layer.replace(".", r"\.").format(stack=f"(?P<stack>{self.stack})", **GROUPS)
        match = re.fullmatch(pattern, stem)
        if match and match["part"] in self.parts:
            return f"{match['stack']}.{match['number']}.{self.parts[match['part']]}.{leaf}"
        return None

    def named(self, parameter: str) -> str | None:
        """The checkpoint's name of one of our parameters, without `prefix`; none where it has no such weight."""
        stem, _, leaf = parameter.rpartition(".")
        if parameter in self.embeddings:
            return self.tied[0]
        if parameter in self.positions.values():
            return _key_of(self.positions, parameter)
        if stem in self.outside.values():
            return f"{_key_of(self.outside, stem)}.{leaf}"
        match = re.fullmatch(rf"(?P<stack>{self.stack})\.(?P<number>\d+)\.(?P<part>.+)", stem)
        if match is None:
            return None
        return f"{self.layer.format(**{**match.groupdict(), 'part': _key_of(self.parts, match['part'])})}.{leaf}"


def _key_of(names: Mapping[str, str], value: str) -> str:
    return next(key for key, one in names.items() if one == value)


def _attention(theirs: str, ours: str, projections: Mapping[str, str]) -> dict[str, str]:
    return {f"{theirs}.{name}": f"{ours}.{role}" for role, name in projections.items()}


_BART_PROJECTIONS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
_BERT_PROJECTIONS = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}

BART = Family(
    prefix="model.",
    layer="{stack}.layers.{number}.{part}",
    stack="encoder|decoder",
    parts={
        **_attention("self_attn", "self_attention", _BART_PROJECTIONS),
        **_attention("encoder_attn", "cross_attention", _BART_PROJECTIONS),
        "self_attn_layer_norm": "after_self.norm",
        "encoder_attn_layer_norm": "after_cross.norm",
        "fc1": "feed_forward.inner",
        "fc2": "feed_forward.outer",
        "final_layer_norm": "after_feed_forward.norm",
    },
    outside={
        "encoder.layernorm_embedding": "source_embedding.norm",
        "decoder.layernorm_embedding": "target_embedding.norm",
        "encoder.layer_norm": "encoder_norm",
        "decoder.layer_norm": "decoder_norm",
    },
    positions={
        "encoder.embed_positions.weight": "source_embedding.position.weight",
        "decoder.embed_positions.weight": "target_embedding.position.weight",
    },
    tied=("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"),
    embeddings=("source_embedding.weight", "target_embedding.weight", "output.weight"),
    stacks=("",),
    needless=re.compile(r"(encoder|decoder)\.version"),
)
"""BART, and mBART, which has norms at other places."""

BERT = Family(
    prefix="bert.",
    layer="{stack}.layer.{number}.{part}",
    stack="encoder",
    parts={
        **_attention("attention", "self_attention", _BERT_PROJECTIONS),
        "attention.output.LayerNorm": "after_self.norm",
        "intermediate.dense": "feed_forward.inner",
        "output.dense": "feed_forward.outer",
        "output.LayerNorm": "after_feed_forward.norm",
    },
    outside={"embeddings.LayerNorm": "source_embedding.norm"},
    positions={"embeddings.position_embeddings.weight": "source_embedding.position.weight"},
    tied=("embeddings.word_embeddings.weight",),
    embeddings=("source_embedding.weight",),
    stacks=("source_embedding.", "encoder"),
    needless=re.compile(r"pooler\..+|cls\..+|embeddings\.position_ids|embeddings\.token_type_ids"),
)

FAMILIES = {"mbart": BART, "bart": BART, "bert": BERT}
"""By the `model_type` of config.json."""

TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
"""BERT's embeddings of a first and a second text."""

BIAS_OF_LOGITS = "final_logits_bias"
"""Of BART's; our output has none."""
