"""The parameters of a Transformer in CTranslate2's format.

CTranslate2's own converters read the models of other toolkits. Here its specification is filled directly. The table of
positions is written out, since docmt's sinusoids begin with another row than those of CTranslate2. A model is checked
before its export: nothing is written where that fails.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from docmt.base.errors import UserError, install
from docmt.base.foreign import library
from docmt.base.vocabulary import SPECIALS
from docmt.exporting.source import ExportedModel
from docmt.nn.frames import FRAMES
from docmt.nn.layers import Embedding, FeedForward, MultiHead, Residual
from docmt.settings.ctranslate2 import Obstacle, obstacles
from docmt.settings.models import TransformerConfig

BARRED = -1e9  # The bias of a piece that the model does not know
SINUSOID_ROWS = 4096  # The number of positions that are written out where the table of a model has no end


def ctranslate2() -> ModuleType:
    """Import CTranslate2; raise UserError where it is not installed."""
    return library("ctranslate2", "the export to CTranslate2 needs ctranslate2", install("ctranslate2"))


def position_rows(config: TransformerConfig) -> int:
    """Return the number of positions of the exported model."""
    return config.max_positions if config.position_table == "learned" else SINUSOID_ROWS


def save_ct2_model(source: ExportedModel, folder: Path) -> None:
    """Write model.bin, config.json and the vocabularies of a model that `check_ctranslate2` accepts."""
    network, config = source.network, source.network.config
    spec = _empty_spec(ctranslate2().specs, config)
    _fill_stack(spec.encoder, spec.encoder.embeddings[0], network.source_embedding, network.encoder_norm, config)
    _fill_stack(spec.decoder, spec.decoder.embeddings, network.target_embedding, network.decoder_norm, config)
    for layer, module in zip(spec.encoder.layer, network.encoder, strict=True):
        _fill_self_attention(layer.self_attention, module.self_attention, module.after_self)
        _fill_feed_forward(layer.ffn, module.feed_forward, module.after_feed_forward)
    for layer, module in zip(spec.decoder.layer, network.decoder, strict=True):
        _fill_self_attention(layer.self_attention, module.self_attention, module.after_self)
        _fill_cross_attention(layer.attention, module.cross_attention, module.after_cross)
        _fill_feed_forward(layer.ffn, module.feed_forward, module.after_feed_forward)
    spec.decoder.projection.weight = _values(network.output.weight)
    if config.absent_pieces:
        spec.decoder.projection.bias = np.zeros(network.target_size, dtype=np.float32)
        spec.decoder.projection.bias[[*config.absent_pieces]] = BARRED
    spec.register_source_vocabulary([*source.pieces[0]])
    spec.register_target_vocabulary([*source.pieces[1]])
    spec.config.layer_norm_epsilon = config.norm_epsilon
    spec.config.decoder_start_token = SPECIALS[FRAMES[config.frame].input_before.edge]
    spec.validate()
    spec.optimize("float32")
    spec.save(str(folder))


def _empty_spec(specs: ModuleType, config: TransformerConfig) -> Any:
    activations = specs.common_spec.Activation
    return specs.TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers),
        config.heads,
        pre_norm=config.norm == "pre",
        activation=activations.RELU if config.activation == "relu" else activations.GELU,
        layernorm_embedding=config.embedding_norm,
    )


def _fill_stack(spec: Any, table: Any, embedding: Embedding, norm: nn.Module, config: TransformerConfig) -> None:
    rows = position_rows(config)
    table.weight = _values(embedding.weight)
    spec.scale_embeddings = config.embedding_scale
    spec.position_encodings.encodings = _values(embedding.position(torch.arange(rows), rows))
    if config.embedding_norm:
        _fill_norm(spec.layernorm_embedding, embedding.norm)
    if config.norm == "pre":
        _fill_norm(spec.layer_norm, norm)


def _fill_self_attention(spec: Any, attention: MultiHead, residual: Residual) -> None:
    _fill_norm(spec.layer_norm, residual.norm)
    _fill_linear(spec.linear[0], attention.qkv)
    _fill_linear(spec.linear[1], attention.output)


def _fill_cross_attention(spec: Any, attention: MultiHead, residual: Residual) -> None:
    _fill_norm(spec.layer_norm, residual.norm)
    _fill_linear(spec.linear[0], attention.q)
    _fill_linear(spec.linear[1], attention.kv)
    _fill_linear(spec.linear[2], attention.output)


def _fill_feed_forward(spec: Any, feed_forward: FeedForward, residual: Residual) -> None:
    _fill_norm(spec.layer_norm, residual.norm)
    _fill_linear(spec.linear_0, feed_forward.inner)
    _fill_linear(spec.linear_1, feed_forward.outer)


def _fill_norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _values(norm.weight), _values(norm.bias)


def _fill_linear(spec: Any, linear: nn.Linear) -> None:
    spec.weight, spec.bias = _values(linear.weight), _values(linear.bias)


def _values(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().float().numpy()


def check_ctranslate2(
    source: ExportedModel,
    obstacles_of: Callable[..., Iterator[Obstacle]] = obstacles,
    remedy: str = "--to huggingface exports every model",
) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot translate as the model does."""
    for obstacle in obstacles_of(source.network.config, source.cut, source.text, source.decode):
        raise UserError(
            "CTranslate2 cannot translate as this model does",
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy=remedy,
        )
