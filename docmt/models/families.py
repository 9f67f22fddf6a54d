"""How pretrained checkpoints name their weights, kind by kind, and which parameter of the Transformer each is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CheckpointFamily:
    """Names are those without `prefix`, which models with a head put before them; they end in `.weight` or `.bias`."""

    prefix: str
    layer: str
    """What is inside a layer, in terms of `stack`, `number` and `part`."""
    stack: str
    """A pattern of the stacks that have layers."""
    parts: Mapping[str, str]
    """Of our parts of layers, what they are called there."""
    outside: Mapping[str, str]
    """The same of what is outside of layers."""
    positions: Mapping[str, str]
    """The same of tables of positions."""
    tied: tuple[str, ...]
    """The names under which the one table of embeddings may stand."""
    embeddings: tuple[str, ...]
    """The parameters that it becomes; a model that shares them has fewer."""
    stacks: tuple[str, ...]
    """How the parameters begin that such a checkpoint must fill."""
    unused: re.Pattern
    """What a translation model has no use for."""

    def short(self, name: str) -> str:
        """Without prefix; the layer norms of the first BERT have gamma and beta."""
        short = name.removeprefix(self.prefix)
        return re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", short))

    def named(self, parameter: str) -> str | None:
        """The checkpoint's name of one of our parameters, without `prefix`; none where it has no such weight."""
        if parameter in self.embeddings:
            return self.tied[0]
        if parameter in self.positions:
            return self.positions[parameter]
        stem, _, leaf = parameter.rpartition(".")
        if stem in self.outside:
            return f"{self.outside[stem]}.{leaf}"
        match = re.fullmatch(rf"(?P<stack>{self.stack})\.(?P<number>\d+)\.(?P<part>.+)", stem)
        if match is None:
            return None
        return f"{self.layer.format(**{**match.groupdict(), 'part': self.parts[match['part']]})}.{leaf}"


def attention(ours: str, theirs: str, projections: Mapping[str, str]) -> dict[str, str]:
    """Names of the parts of an attention."""
    return {f"{ours}.{role}": f"{theirs}.{name}" for role, name in projections.items()}


BART_PROJECTIONS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
BERT_PROJECTIONS = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}

BART = CheckpointFamily(
    prefix="model.",
    layer="{stack}.layers.{number}.{part}",
    stack="encoder|decoder",
    parts={
        **attention("self_attention", "self_attn", BART_PROJECTIONS),
        **attention("cross_attention", "encoder_attn", BART_PROJECTIONS),
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
"""BART, and mBART, which has norms at other places."""

BERT = CheckpointFamily(
    prefix="bert.",
    layer="{stack}.layer.{number}.{part}",
    stack="encoder",
    parts={
        **attention("self_attention", "attention", BERT_PROJECTIONS),
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

FAMILIES = {"mbart": BART, "bart": BART, "bert": BERT}
"""By the `model_type` of config.json."""

TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
"""BERT's embeddings of a first and a second text."""

BIAS_OF_LOGITS = "final_logits_bias"
"""Of BART's; our output has none."""
