"""The Transformer, which translates sentences, windows of k sentences or whole documents, whichever the view gives.

Paper: Vaswani et al. 2017, "Attention Is All You Need".

| paper | here |
| --- | --- |
| section 3.1, encoder and decoder stacks | `EncoderLayer`, `DecoderLayer` |
| section 3.2.3, the three uses of attention | `Transformer.attention` |
| section 3.4, shared embeddings, scaled | `Transformer.__init__`, `docmt.nn.layers.Embedding` |
| section 3.5, positions | `docmt.nn.layers.sinusoids`; `positions` says whether they restart in each sentence |

Departs: the initialisation and the form of the sinusoids are those of fairseq (Xavier with gain 1/sqrt 2 for q, k, v;
embeddings N(0, 1/d)); with `norm: pre` each stack ends in a layer norm.
"""

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from docmt.nn.attention import Place, WholeStream
from docmt.nn.layers import CrossAttention, Embedding, FeedForward, Linear, Residual, SelfAttention
from docmt.nn.segments import Scope
from docmt.nn.streams import Batch, Memory, Stream
from docmt.settings.models import TransformerConfig

Role = Literal["encoder_self", "decoder_self", "cross"]
"""The use of an attention: encoder self-attention, decoder self-attention or cross-attention."""


class EncoderLayer(nn.Module):
    """A layer of the encoder: self-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module) -> None:
        """Create the layer around `self_attention`, which the architecture chooses."""
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward(config)
        self.after_self, self.after_feed_forward = Residual(config), Residual(config)

    def forward(self, x: Tensor, place: Place) -> Tensor:
        """Return the states after the layer."""
        x = self.after_self(x, self.self_attention, place)
        return self.after_feed_forward(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """A layer of the decoder: causal self-attention, cross-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig, self_attention: nn.Module, cross_attention: nn.Module) -> None:
        """Create the layer around the two attentions, which the architecture chooses."""
        super().__init__()
        self.self_attention, self.cross_attention = self_attention, cross_attention
        self.feed_forward = feed_forward(config)
        self.after_self, self.after_cross, self.after_feed_forward = (Residual(config) for _ in range(3))

    def forward(self, x: Tensor, place: Place) -> Tensor:
        """Return the states after the layer: of all target tokens or, in search, of the newest one of hypotheses."""
        x = self.after_self(x, self.self_attention, place)
        x = self.after_cross(x, self.cross_attention, place)
        return self.after_feed_forward(x, self.feed_forward)


def feed_forward(config: TransformerConfig) -> FeedForward:
    """Return a new feed-forward layer of the sizes in `config`."""
    return FeedForward(config.width, config.inner, config.activation_dropout, config.activation)


def final_norm(config: TransformerConfig) -> nn.Module:
    """Return the norm at the end of a stack: a layer norm with `norm: pre`, else the identity."""
    return nn.LayerNorm(config.width, config.norm_epsilon) if config.norm == "pre" else nn.Identity()


class LossTerm(NamedTuple):
    """A loss beside that of the translation: a sum, in nats, over `count` things such as lexical chains."""

    total: Tensor
    count: int


class ForwardPass(NamedTuple):
    """The final states of the decoder for its input, and the additional losses by name."""

    states: Tensor
    loss_terms: dict[str, LossTerm]


class Transformer(nn.Module):
    """The Transformer, whose methods and attributes are the interface of all architectures.

    Forced scores call `encode`, `decode` and `logits`; a search calls `target_states` with a `docmt.nn.cache.Cache`.
    Training calls the model itself, which may read the whole translation and returns additional losses; `term_weights`
    gives the weights of these losses. `transfer_source` names the parameter of an initial model that a parameter starts
    from. `synchronous` says whether sentences may be decoded independently.
    """

    scope: Scope = "instance"
    """The tokens that a token may attend to."""
    synchronous = False
    """True where a sentence's translation depends on no other translation: each sentence is searched by itself."""
    streams = 1
    """The number of streams of hidden states."""

    def __init__(self, config: TransformerConfig, source_size: int, target_size: int) -> None:
        """Create the model with new parameters; `source_size` and `target_size` are numbers of pieces."""
        super().__init__()
        self.config, self.source_size, self.target_size = config, source_size, target_size
        self.source_embedding = Embedding(source_size, config)
        shared_weight = self.source_embedding.weight if config.embeddings == "shared" else None
        self.target_embedding = Embedding(target_size, config, shared_weight)
        self.output = Linear(config.width, target_size, bias=False)
        nn.init.normal_(self.output.weight, std=config.width**-0.5)
        # Both modules have the same parameter object, so that its gradients add up, and checkpoints store it once.
        if config.embeddings != "separate":
            self.output.weight = self.target_embedding.weight
        self.encoder = nn.ModuleList(self.encoder_layer(layer) for layer in range(config.encoder_layers))
        self.decoder = nn.ModuleList(
            DecoderLayer(config, self.attention("decoder_self", layer), self.attention("cross", layer))
            for layer in range(config.decoder_layers)
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)
        # A buffer moves to the device with the model, so that no step of decoding copies these numbers there.
        absent = torch.tensor(config.absent_pieces) if config.absent_pieces else None
        self.register_buffer("absent", absent, persistent=False)

    def encoder_layer(self, layer: int) -> EncoderLayer:
        """Return a new encoder layer; layer 0 is at the bottom."""
        return EncoderLayer(self.config, self.attention("encoder_self", layer))

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Return a new attention of a layer; layer 0 is at the bottom. Each architecture has its own attentions."""
        return plain_attention(self.config, role, self.scope)

    def embed(self, embedding: Embedding, place: Place) -> Tensor:
        """Return the embedded tokens of `place`."""
        return embedding(place.tokens, *place.positions(self.config))

    def forward(self, batch: Batch) -> ForwardPass:
        """Return the final states of the decoder and the additional losses; training and validation call this."""
        return ForwardPass(self.decode(batch.target_in, self.encode(batch.source)), {})

    def term_weights(self, update: int) -> dict[str, float]:
        """Return the weight of each additional loss in this update; the loss of the translation has weight 1."""
        return {}

    def encode(self, source: Stream) -> Memory:
        """Return the encoded source."""
        place = WholeStream(source)
        with place.noise():
            states = self.run_encoder(self.embed(self.source_embedding, place), place)
        return Memory(states, source.layout, source.layout.twice() if self.streams == 2 else None)

    def run_encoder(self, x: Tensor, place: WholeStream) -> Tensor:
        """Return the final states of the encoder."""
        for layer in self.encoder:
            x = layer(x, place)
        return self.encoder_norm(x)

    def decode(self, target_in: Stream, memory: Memory) -> Tensor:
        """Return the final states of the decoder; that of token t depends on the source and on the target up to t."""
        return self.target_states(WholeStream(target_in, memory))

    def target_states(self, place: Place) -> Tensor:
        """Return the final states of the tokens of `place`: a whole stream or, in search, the newest tokens."""
        with place.noise():
            return self.finish(self.decoder_states(place), place)

    def decoder_states(self, place: Place) -> Tensor:
        """Return the states above the layers of the decoder."""
        # A row of states that several tokens share (`Segments.rows`) is computed once.
        x = place.tokens_to_rows(self.embed(self.target_embedding, place))
        return place.rows_to_tokens(self.run_decoder(x, place))

    def run_decoder(self, x: Tensor, place: Place) -> Tensor:
        """Return the states after the layers; `x` has a row for each row of `place`."""
        for layer in self.decoder:
            x = layer(x, place)
        return self.decoder_norm(x)

    def finish(self, states: Tensor, place: Place) -> Tensor:
        """Return the final states, which the output layer reads; architectures that add something add it here."""
        return states

    def logits(self, states: Tensor) -> Tensor:
        """Return the logits of the next token; pieces that the model does not know (`absent_pieces`) have -inf."""
        logits = self.output(states)
        # In place, since the logits are the largest table of a step of decoding.
        return logits if self.absent is None else logits.index_fill_(1, self.absent, -torch.inf)

    def transfer_source(self, name: str) -> str | None:
        """Return the parameter of an initial model that the parameter `name` starts from; None: it starts at random."""
        return name


def plain_attention(config: TransformerConfig, role: Role, scope: Scope) -> SelfAttention | CrossAttention:
    """Return a new attention of the Transformer, with this role and scope."""
    if role == "cross":
        return CrossAttention(config.width, config.heads, scope, config.attention_dropout)
    return SelfAttention(config.width, config.heads, scope, role == "decoder_self", config.attention_dropout)


def parameter_shapes(config: TransformerConfig, source_size: int, target_size: int) -> dict[str, torch.Size]:
    """Return the shape of each parameter of a plain Transformer with these settings; their architecture is ignored."""
    # Meta tensors have shapes and no values, so that this costs no memory.
    with torch.device("meta"):
        model = Transformer(config, source_size, target_size)
    return {name: parameter.shape for name, parameter in model.named_parameters()}
