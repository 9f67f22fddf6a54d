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

from typing import Literal, NamedTuple

import torch
from torch import nn

from docmt.nn.caches import Cache, Progress
from docmt.nn.frames import FRAMES
from docmt.nn.layers import Embedding, FeedForward, Residual
from docmt.nn.multihead import CrossAttention, SelfAttention
from docmt.nn.noise import key_scope
from docmt.nn.shapes import AnyStates, HypothesisStates, HypothesisTokens, Logits, States, Tensor
from docmt.nn.streams import Batch, Layout, Memory, Scope, Stream
from docmt.settings.models import TransformerConfig

Role = Literal["encoder_self", "decoder_self", "cross"]


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward(config)
        self.after_self, self.after_feed_forward = Residual(config), Residual(config)

    def forward(self, x: States, layout: Layout) -> States:
        x = self.after_self(x, lambda y: self.self_attention(y, layout))
        return self.after_feed_forward(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module, cross_attention: nn.Module) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = self_attention, cross_attention
        self.feed_forward = feed_forward(config)
        self.after_self, self.after_cross, self.after_feed_forward = (Residual(config) for _ in range(3))

    def forward(self, x: States, layout: Layout, memory: Memory) -> States:
        x = self.after_self(x, lambda y: self.self_attention(y, layout))
        x = self.after_cross(x, lambda y: self.cross_attention(y, layout, memory))
        return self.after_feed_forward(x, self.feed_forward)

    def step(self, x: HypothesisStates, cache: Cache) -> HypothesisStates:
        x = self.after_self(x, lambda y: self.self_attention.step(y, cache))
        x = self.after_cross(x, lambda y: self.cross_attention.step(y, cache))
        return self.after_feed_forward(x, self.feed_forward)


def feed_forward(config: TransformerConfig) -> FeedForward:
    return FeedForward(config.width, config.inner, config.activation_dropout, config.activation)


def final_norm(config: TransformerConfig) -> nn.Module:
    return nn.LayerNorm(config.width, config.norm_epsilon) if config.norm == "pre" else nn.Identity()


class LossTerm(NamedTuple):
    """A loss beside that of the translation: summed over so many things, such as lexical chains; nats."""

    total: Tensor
    count: int


class ForwardPass(NamedTuple):
    """Final states of the decoder's input, and the other losses by name."""

    states: States
    loss_terms: dict[str, LossTerm]


class Transformer(nn.Module):
    """The model contract.

    `encode`, `decode`, `logits`: what decoding and forced scores use. `start`, `step`: the same with caches. Calling
    the model: what training uses, which may look at the whole translation, and has loss terms; `term_weights` says
    how much they count. `transfer_source`: what a parameter starts from. `synchronous`: see there.
    """

    scope: Scope = "instance"
    """Within what tokens attend to each other."""
    synchronous = False
    """Whether the translation of a sentence depends on no other's: then each is searched for by itself."""

    def __init__(self, config: TransformerConfig, source_size: int, target_size: int) -> None:
        super().__init__()
        self.config, self.source_size, self.target_size = config, source_size, target_size
        self.source_embedding = Embedding(source_size, config)
        shared = self.source_embedding.weight if config.embeddings == "shared" else None
        self.target_embedding = Embedding(target_size, config, shared)
        self.output = nn.Linear(config.width, target_size, bias=False)
        nn.init.normal_(self.output.weight, std=config.width**-0.5)
        if config.embeddings != "separate":
            self.output.weight = self.target_embedding.weight
        self.encoder = nn.ModuleList(self.encoder_layer(layer) for layer in range(config.encoder_layers))
        self.decoder = nn.ModuleList(
            DecoderLayer(config, self.attention("decoder_self", layer), self.attention("cross", layer))
            for layer in range(config.decoder_layers)
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)

    def encoder_layer(self, layer: int) -> EncoderLayer:
        """The layer, counted from 0 at the bottom."""
        return EncoderLayer(self.config, self.attention("encoder_self", layer))

    def attention(self, role: Role, layer: int) -> nn.Module:
        """The attention of a layer, counted from 0 at the bottom; other architectures give another."""
        return plain_attention(self.config, role, self.scope)

    def embed(self, embedding: Embedding, stream: Stream) -> States:
        """Tokens with their positions in the segment or, where these restart, in the sentence."""
        runs = stream.instances if self.config.positions == "running" else stream.sentences
        return embedding(stream.tokens, runs.positions(), runs.longest)

    def forward(self, batch: Batch) -> ForwardPass:
        return ForwardPass(self.decode(batch.target_in, self.encode(batch.source)), {})

    def term_weights(self, update: int) -> dict[str, float]:
        """By how much each loss term counts in this update, the first being 1."""
        return {}

    def encode(self, source: Stream) -> Memory:
        with key_scope(source.keys):
            states = self.through_encoder(self.embed(self.source_embedding, source), source.layout)
        return Memory(states, source.layout)

    def through_encoder(self, x: AnyStates, *seen: object) -> AnyStates:
        """`seen`: what its layers take after `x`."""
        for layer in self.encoder:
            x = layer(x, *seen)
        return self.encoder_norm(x)

    def decode(self, target_in: Stream, memory: Memory) -> States:
        """Final states; the state of token t has seen the target up to t and the source.

        Rows that several tokens are (`Segments.rows`) are computed once.
        """
        with key_scope(target_in.keys):
            x = target_in.instances.tokens_to_rows(self.embed(self.target_embedding, target_in))
            for layer in self.decoder:
                x = layer(x, target_in.layout, memory)
        return target_in.instances.rows_to_tokens(self.decoder_norm(x))

    def logits(self, states: States) -> Logits:
        logits = self.output(states)
        if self.config.absent_pieces:
            absent = torch.tensor(self.config.absent_pieces, device=logits.device)
            logits = logits.index_fill(1, absent, -torch.inf)
        return logits

    @torch.no_grad()
    def start(self, memory: Memory, beam: int) -> Cache:
        """An empty cache for `beam` hypotheses of each instance of `memory`."""
        cache = Cache(memory, beam, FRAMES[self.config.frame].openings)
        for module in self.decoder.modules():
            if isinstance(module, SelfAttention | CrossAttention):
                module.open_cache(cache)
        return cache

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        """Final states of the newest token of each hypothesis; the frame says what opens a sentence."""
        x = self.embed_newest(tokens, cache.progress)
        for layer in self.decoder:
            x = layer.step(x, cache)
        return self.decoder_norm(x)

    def embed_newest(self, tokens: HypothesisTokens, progress: Progress) -> HypothesisStates:
        progress.advance(tokens)
        if self.config.positions == "restarting":
            return self.target_embedding(tokens, progress.cursor, progress.longest)
        return self.target_embedding(tokens, torch.full_like(tokens, progress.steps - 1), progress.steps)

    def transfer_source(self, name: str) -> str | None:
        """The parameter of an initial Transformer that `name` starts from; None = it starts anew."""
        return name


def plain_attention(config: TransformerConfig, role: Role, scope: Scope) -> SelfAttention | CrossAttention:
    if role == "cross":
        return CrossAttention(config.width, config.heads, scope, config.attention_dropout)
    return SelfAttention(config.width, config.heads, scope, role == "decoder_self", config.attention_dropout)


def parameter_shapes(config: TransformerConfig, source_size: int, target_size: int) -> dict[str, torch.Size]:
    """Of a Transformer with these settings, whatever architecture they are of, by name."""
    with torch.device("meta"):
        model = Transformer(config, source_size, target_size)
    return {name: parameter.shape for name, parameter in model.named_parameters()}
