"""Small random checkpoints in the form of mBART and BERT, for scales that do not use the released checkpoints.

The weights are those of a plain Transformer under the checkpoint's names, drawn with a fixed seed. The additional
weights of such checkpoints are BERT's token types and its head for predicting the next sentence, and the rows before
the first position of mBART's tables.
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

SAFE, PICKLED = WEIGHTS[0], WEIGHTS[-1]  # The names of the files with the weights, as safetensors and as a pickle
POSITIONS = {"mbart": 1024, "bert": 512}
"""The number of tokens that the tables of positions cover, as in the released models."""
DEVIATION = 0.1
"""The standard deviation of weights around 0, and of the scales of layer norms around 1.

The released models were initialised with a standard deviation of 0.02, at widths of 768 and 1024.
"""
SEED = 1  # The seed of all random weights


def write_random_checkpoint(checkpoint: RandomCheckpoint, pieces: int, folder: Path) -> None:
    """Write config.json and the weights; the bytes depend on the sizes and on the number of pieces alone."""
    weights = random_weights(checkpoint, pieces)
    # awesome-align reads the weights as a pickle only.
    if checkpoint.kind == "aligner":
        with atomic_file(folder / PICKLED, "wb") as stream:
            torch.save(weights, stream)
    else:
        with atomic_file(folder / SAFE, "wb") as stream:
            stream.write(save(weights, metadata={"format": "pt"}))
    write_json(
        folder / CONFIG, {STANDS_FOR: checkpoint.stands_for, "vocab_size": pieces, **hugging_face_config(checkpoint)}
    )


def hugging_face_config(checkpoint: RandomCheckpoint) -> dict[str, Any]:
    """Return the entries of config.json that describe the model."""
    positions = {"model_type": checkpoint.family, "max_position_embeddings": POSITIONS[checkpoint.family]}
    if checkpoint.family == "bert":
        return {
            **positions,
            "num_hidden_layers": checkpoint.layers,
            "hidden_size": checkpoint.width,
            "intermediate_size": checkpoint.inner,
            "num_attention_heads": checkpoint.heads,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "type_vocab_size": 2,
        }
    sizes = {"ffn_dim": checkpoint.inner, "attention_heads": checkpoint.heads}
    return {
        **positions,
        "d_model": checkpoint.width,
        "encoder_layers": checkpoint.encoder_layers,
        "decoder_layers": checkpoint.decoder_layers,
        **{f"{stack}_{name}": size for stack in ("encoder", "decoder") for name, size in sizes.items()},
        "activation_function": "gelu",
        "scale_embedding": True,
    }


def random_weights(checkpoint: RandomCheckpoint, pieces: int) -> dict[str, Tensor]:
    """Return random weights by the names of the checkpoint's family."""
    # The generator is not torch's global one, so that the weights do not depend on other draws of the process.
    family, generator = FAMILIES[checkpoint.family], torch.Generator().manual_seed(SEED)
    weights: dict[str, Tensor] = {}
    for name, shape in transformer_shapes(checkpoint, pieces).items():
        mean = 1.0 if name.endswith("norm.weight") else 0.0
        names = family.checkpoint_names(name)
        for short in names:
            offset = POSITION_OFFSET[checkpoint.family] if name in family.positions else 0
            size = (shape[0] // len(names) + offset, *shape[1:])
            weights[family.prefix + short] = mean + DEVIATION * torch.randn(size, generator=generator)
    if checkpoint.family == "bert":
        width = checkpoint.width
        for name, size in {family.prefix + TOKEN_TYPES: (2, width), **next_sentence_head(width)}.items():
            weights[name] = DEVIATION * torch.randn(size, generator=generator)
    return weights


def next_sentence_head(width: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of BERT's head for predicting the next sentence, which trainings from BERT do not use."""
    head = {"bert.pooler.dense": width, "cls.seq_relationship": 2}
    return {
        f"{name}.{leaf}": size
        for name, out in head.items()
        for leaf, size in (("weight", (out, width)), ("bias", (out,)))
    }


def transformer_shapes(checkpoint: RandomCheckpoint, pieces: int) -> dict[str, torch.Size]:
    """Return the shapes of the parameters of a Transformer with the checkpoint's sizes."""
    config = TransformerConfig(
        encoder_layers=checkpoint.layers,
        decoder_layers=checkpoint.decoder_layers,
        width=checkpoint.width,
        inner=checkpoint.inner,
        heads=checkpoint.heads,
        norm="pre" if checkpoint.family == "mbart" else "post",
        embedding_norm=True,
        position_table="learned",
        max_positions=POSITIONS[checkpoint.family],
    )
    return parameter_shapes(config, pieces, pieces)
