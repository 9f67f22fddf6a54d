"""Each architecture with what is new in it made neutral: on one-sentence documents it is then the sentence Transformer.

Neutral is a setting of parameters, stated here by kind. Where a layer norm of the new part stays, it and the norm
before it are set to no scale and no shift: a norm of what is normed is the same but for epsilon.
"""

from collections.abc import Callable
from dataclasses import fields

import torch
from helpers.model_cases import VOCABULARY
from torch import Tensor, nn

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.settings.models import TransformerConfig


def plain(norm: nn.LayerNorm) -> None:
    norm.weight.fill_(1)
    norm.bias.zero_()


def silent(linear: nn.Linear) -> None:
    linear.weight.zero_()
    linear.bias.zero_()


def copy(source: nn.Module, to: nn.Module) -> None:
    to.load_state_dict(source.state_dict())


def neutral_g_transformer(model: Transformer) -> None:
    """Both attentions the same: on one sentence they see the same, and any gate leaves it as it is."""
    for module in model.modules():
        if hasattr(module, "gate"):
            copy(module.group, to=module.global_)


def neutral_long_short(model: Transformer) -> None:
    """A feed-forward layer that gives the long stream back: relu(x) - relu(-x)."""
    if model.config.aggregation == "concatenation":
        width, identity = model.config.width, torch.eye(model.config.width)
        inner, outer = model.aggregation.inner, model.aggregation.outer
        silent(inner)
        silent(outer)
        for rows, sign in ((slice(width), 1), (slice(width, 2 * width), -1)):
            inner.weight[rows, :width] = sign * identity
            outer.weight[:, rows] = sign * identity


def neutral_lexical_chain(model: Transformer) -> None:
    """GC-Attn adds nothing; W_z = [0; 1]. A document without chains has nothing for LC-Attn."""
    for layer in model.encoder:
        if layer.general is not None:
            silent(layer.general.attention.output)
            if model.config.norm == "post":
                plain(layer.after_self.norm)
                plain(layer.general.residual.norm)
    if model.config.latent:
        silent(model.fusion.fusion)
        model.fusion.fusion.weight[:, model.config.latent_width :] = torch.eye(model.config.width)


def neutral_han(model: Transformer) -> None:
    """Gates closed."""
    stacks = (
        (model.source_context, model.encoder, "encoder_norm"),
        (model.target_context, model.decoder, "decoder_norm"),
    )
    for context, layers, last in stacks:
        if context is not None:
            silent(context.gate)
            context.gate.bias.fill_(-1e4)
            plain(context.norm)
            plain(getattr(model, last) if model.config.norm == "pre" else layers[-1].after_feed_forward.norm)


NEUTRAL: dict[str, Callable[[Transformer], None]] = {
    "transformer": lambda model: None,
    "g_transformer": neutral_g_transformer,
    "long_short": neutral_long_short,
    "lexical_chain": neutral_lexical_chain,
    "han": neutral_han,
    # Nothing is linked in a document without chains.
    "w_link": lambda model: None,
}


def sentence_model(model: Transformer) -> Transformer:
    """The Transformer of the parameters that the model has in common with it."""
    shared = {f.name: getattr(model.config, f.name) for f in fields(TransformerConfig) if f.name != "kind"}
    sentence = build(TransformerConfig(**shared), VOCABULARY, VOCABULARY).double().eval()
    weights = {name.replace(".group.", "."): tensor for name, tensor in model.state_dict().items()}
    sentence.load_state_dict({name: weights[name] for name in sentence.state_dict()})
    return sentence


def final_states(model: Transformer, states: Tensor) -> Tensor:
    """What is left of the new output layers: the tanh of ConVar, the sum of two equal streams."""
    if getattr(model.config, "latent", False):
        return states.tanh()
    return 2 * states if getattr(model.config, "aggregation", None) == "sum" else states
