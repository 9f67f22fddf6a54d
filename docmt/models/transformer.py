"""The Transformer: the sentence model, and by its view concatenation (windows of k sentences, whole instances).

Paper: Vaswani et al. 2017, "Attention Is All You Need".

| paper | here |
| --- | --- |
| section 3.1, encoder and decoder stacks | `EncoderLayer`, `DecoderLayer` |
| section 3.2.3, the three uses of attention | `Transformer.attention` |
| section 3.4, shared embeddings, scaled | `Transformer.__init__`, `docmt.nn.layers.Embedding` |
| section 3.5, positions | `docmt.nn.layers.sinusoids`; they run over the instance |

Departs: initialisation is fairseq's (Xavier with gain 1/sqrt 2 for q, k, v; embeddings N(0, 1/d)), and so is the form
of the sinusoids; with `norm: pre` each stack ends in a layer norm.
"""

from typing import Literal

import torch
from torch import nn

from docmt.core.config import TransformerConfig
from docmt.nn.caches import Cache
from docmt.nn.layers import Embedding, FeedForward, Residual
from docmt.nn.multihead import CrossAttention, SelfAttention
from docmt.nn.shapes import HypothesisStates, HypothesisTokens, Logits, States
from docmt.nn.streams import Layout, Memory, Scope, Stream

Role = Literal["encoder_self", "decoder_self", "cross"]


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = FeedForward(config.width, config.inner, config.activation_dropout)
        self.after_self, self.after_feed_forward = residuals(config, 2)

    def forward(self, x: States, layout: Layout) -> States:
        x = self.after_self(x, lambda y: self.self_attention(y, layout))
        return self.after_feed_forward(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module, cross_attention: nn.Module) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = self_attention, cross_attention
        self.feed_forward = FeedForward(config.width, config.inner, config.activation_dropout)
        self.after_self, self.after_cross, self.after_feed_forward = residuals(config, 3)

    def forward(self, x: States, layout: Layout, memory: Memory) -> States:
        x = self.after_self(x, lambda y: self.self_attention(y, layout))
        x = self.after_cross(x, lambda y: self.cross_attention(y, layout, memory))
        return self.after_feed_forward(x, self.feed_forward)

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        x = self.after_self(x, lambda y: self.self_attention.step(y, cache))
        x = self.after_cross(x, lambda y: self.cross_attention.step(y, cache))
        return self.after_feed_forward(x, self.feed_forward)


def residuals(config: TransformerConfig, count: int) -> list[Residual]:
    return [Residual(config.width, config.norm, config.dropout) for _ in range(count)]


def final_norm(config: TransformerConfig) -> nn.Module:
    return nn.LayerNorm(config.width) if config.norm == "pre" else nn.Identity()


class Transformer(nn.Module):
    """The model contract: `encode`, `decode`, `logits`; `start`, `step` for cached decoding; `taken_from`."""

    def __init__(self, config: TransformerConfig, source_size: int, target_size: int) -> None:
        super().__init__()
        self.config, self.source_size, self.target_size = config, source_size, target_size
        self.source_embedding = Embedding(source_size, config.width, config.dropout)
        self.target_embedding = self.source_embedding
        if config.embeddings != "shared":
            self.target_embedding = Embedding(target_size, config.width, config.dropout)
        self.output = nn.Linear(config.width, target_size, bias=False)
        nn.init.normal_(self.output.weight, std=config.width**-0.5)
        if config.embeddings != "separate":
            self.output.weight = self.target_embedding.weight
        self.encoder = nn.ModuleList(
            EncoderLayer(config, self.attention("encoder_self", layer)) for layer in range(config.encoder_layers)
        )
        self.decoder = nn.ModuleList(
            DecoderLayer(config, self.attention("decoder_self", layer), self.attention("cross", layer))
            for layer in range(config.decoder_layers)
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)

    def attention(self, role: Role, layer: int) -> nn.Module:
        """The attention of a layer, counted from 0 at the bottom; other architectures give another."""
        return plain_attention(self.config, role, scope="instance")

    def encode(self, source: Stream) -> Memory:
        x = self.source_embedding(source.tokens, source.instances.positions(), source.instances.longest)
        for layer in self.encoder:
            x = layer(x, source.layout)
        return Memory(self.encoder_norm(x), source.layout)

    def decode(self, target_in: Stream, memory: Memory) -> States:
        """Final states; the state of token t has seen the target up to t and the source."""
        x = self.target_embedding(target_in.tokens, target_in.instances.positions(), target_in.instances.longest)
        for layer in self.decoder:
            x = layer(x, target_in.layout, memory)
        return self.decoder_norm(x)

    def logits(self, states: States) -> Logits:
        return self.output(states)

    @torch.no_grad()
    def start(self, memory: Memory, beam: int) -> Cache:
        """An empty cache for `beam` hypotheses of each instance of `memory`."""
        cache = Cache(memory, beam)
        for module in self.decoder.modules():
            if isinstance(module, SelfAttention | CrossAttention):
                module.open_cache(cache)
        return cache

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        """Final states of the newest token of each hypothesis; a sentence opens with `<s>` or `<sep>`."""
        position = torch.full_like(tokens, cache.progress.steps)
        cache.progress.advance(tokens)
        x = self.target_embedding(tokens, position, cache.progress.steps)
        for layer in self.decoder:
            x = layer.step(x, cache)
        return self.decoder_norm(x)

    def taken_from(self, name: str) -> str | None:
        """The parameter of an initial Transformer that `name` starts from; None = it starts anew."""
        return name


def plain_attention(config: TransformerConfig, role: Role, scope: Scope) -> SelfAttention | CrossAttention:
    if role == "cross":
        return CrossAttention(config.width, config.heads, scope, config.attention_dropout)
    return SelfAttention(config.width, config.heads, scope, role == "decoder_self", config.attention_dropout)
