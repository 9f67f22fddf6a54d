"""Small random checkpoints in the form of mBART's and BERT's: what a scale trains from where it makes its own.

The weights are those of a plain Transformer by the checkpoint's names, drawn by a fixed seed, and what a checkpoint has
besides: BERT's types of texts, the rows before the first position of mBART's tables.
"""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from docmt.base.artifacts import atomic_file, write_json
from docmt.models.families import FAMILIES, TOKEN_TYPES
from docmt.models.transformer import parameter_shapes
from docmt.nn.shapes import Tensor
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import CONFIG, POSITION_OFFSET, STANDS_FOR, WEIGHTS, RandomCheckpoint

SAFE, PICKLED = WEIGHTS[0], WEIGHTS[-1]
"""Names of the file of the weights, by its form."""
POSITIONS = {"mbart": 1024, "bert": 512}
"""Tokens that the tables of positions reach, as in the released models."""
DEVIATION = 0.1
"""Of weights from 0, and of norms' scales from 1. The released models start with 0.02, at widths of 768 and 1024."""
SEED = 1


def write_random_checkpoint(made: RandomCheckpoint, pieces: int, folder: Path) -> None:
    """Write config.json and the weights; the same bytes for the same sizes and number of pieces."""
    weights = random_weights(made, pieces)
    if made.kind == "aligner":
        with atomic_file(folder / PICKLED, "wb") as stream:
            torch.save(weights, stream)
    else:
        with atomic_file(folder / SAFE, "wb") as stream:
            stream.write(save(weights, metadata={"format": "pt"}))
    write_json(folder / CONFIG, {STANDS_FOR: made.stands_for, "vocab_size": pieces, **hugging_face_config(made)})


def hugging_face_config(made: RandomCheckpoint) -> dict[str, Any]:
    """What config.json says of the model."""
    positions = {"model_type": made.family, "max_position_embeddings": POSITIONS[made.family]}
    if made.family == "bert":
        return {
            **positions,
            "num_hidden_layers": made.layers,
            "hidden_size": made.width,
            "intermediate_size": made.inner,
            "num_attention_heads": made.heads,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "type_vocab_size": 2,
        }
    sizes = {"ffn_dim": made.inner, "attention_heads": made.heads}
    return {
        **positions,
        "d_model": made.width,
        "encoder_layers": made.encoder_layers,
        "decoder_layers": made.decoder_layers,
        **{f"{stack}_{name}": size for stack in ("encoder", "decoder") for name, size in sizes.items()},
        "activation_function": "gelu",
        "scale_embedding": True,
    }


def random_weights(made: RandomCheckpoint, pieces: int) -> dict[str, Tensor]:
    """The weights by the names of the family."""
    family, generator = FAMILIES[made.family], torch.Generator().manual_seed(SEED)
    weights: dict[str, Tensor] = {}
    for name, shape in shapes(made, pieces).items():
        around = 1.0 if name.endswith("norm.weight") else 0.0
        short = family.named(name)
        if short is not None:
            offset = POSITION_OFFSET[made.family] if name in family.positions else 0
            size = (shape[0] + offset, *shape[1:])
            weights[family.prefix + short] = around + DEVIATION * torch.randn(size, generator=generator)
    if made.family == "bert":
        width = made.width
        for name, size in {family.prefix + TOKEN_TYPES: (2, width), **next_sentence_head(width)}.items():
            weights[name] = DEVIATION * torch.randn(size, generator=generator)
    return weights


def next_sentence_head(width: int) -> dict[str, tuple[int, ...]]:
    """Shapes of what a BERT predicts by whether a sentence is the next one; training from it needs none of them."""
    head = {"bert.pooler.dense": width, "cls.seq_relationship": 2}
    return {
        f"{name}.{leaf}": size
        for name, out in head.items()
        for leaf, size in (("weight", (out, width)), ("bias", (out,)))
    }


def shapes(made: RandomCheckpoint, pieces: int) -> dict[str, torch.Size]:
    """Of the parameters of a Transformer of ours with these sizes."""
    config = TransformerConfig(
        encoder_layers=made.layers,
        decoder_layers=made.decoder_layers,
        width=made.width,
        inner=made.inner,
        heads=made.heads,
        norm="pre" if made.family == "mbart" else "post",
        embedding_norm=True,
        position_table="learned",
        max_positions=POSITIONS[made.family],
    )
    return parameter_shapes(config, pieces, pieces)
