"""Lexical chains: their words attend to each other in the encoder, and a latent variable guides their translations.

Paper: Lyu et al. 2022, "Modeling Consistency Preference via Lexical Chains for Document-level NMT".

The model adds three parts to the Transformer of `transformer.py`. An encoder layer has two more sublayers: attention
of sentences to each other by their first symbols (GC-Attn), and attention inside each chain (LC-Attn). Each chain has a
latent variable (ConVar), which is fused with the states before the output layer. All other attention is inside a
sentence, so the sentences of a document are decoded synchronously.

| paper | here |
| --- | --- |
| section 3.1, eq. 2 and 3, General-Context Attention | `GeneralContext` |
| section 3.1, eq. 4, Lexical-Consistency Attention | `LexicalConsistency` |
| section 3.1, eq. 1 and 5, Figure 1, the layer | `ChainEncoderLayer` |
| section 3.2, eq. 6 to 15 | `convar.py`: `Posterior`, `Prior`, `kl_divergence`; d_z is `latent_width` |
| section 3.3, eq. 16 to 19 | `ConsistencyFusion` |
| section 3.4, eq. 20 to 22 | `LexicalChain.forward`, `term_weights` |

Our reading, where the paper does not say: the order of sublayers is self, general, lexical, feed-forward (Figure 1);
there are no positions inside a chain; the two sums of eq. 20 are both divided by the update's target tokens. In
inference the latent variable is the mean of the prior, which gives the same translation every time; the paper takes a
sample, and so does the setting `latent_in_inference: sample`.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from docmt.models.convar import Gaussian, Posterior, Prior, chain_keys, kl_divergence
from docmt.models.transformer import EncoderLayer, ForwardPass, LossTerm, Place, Transformer, WholeStream
from docmt.nn.layers import Linear, Residual, RunAttention
from docmt.nn.streams import Batch, Chains, Memory, Segments, Stream, selected_rows
from docmt.settings.models import LexicalChainConfig


class ConsistencyFusion(nn.Module):
    """The consistency feature of each decoding step, fused with the decoder's state. Paper: section 3.3, eq. 16-18."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the projection of queries and the fusion W_z."""
        super().__init__()
        self.query = Linear(config.width, config.latent_width, bias=False)
        self.fusion = Linear(config.latent_width + config.width, config.width)
        nn.init.xavier_uniform_(self.fusion.weight[:, : config.latent_width])
        # The part of W_z that is multiplied with the state starts as the identity, so that a training that starts from
        # a sentence model begins close to that model's output (our choice; the paper does not say).
        nn.init.eye_(self.fusion.weight[:, config.latent_width :])
        nn.init.zeros_(self.fusion.bias)

    def forward(self, states: Tensor, place: Place, chains: Chains, z: Tensor) -> Tensor:
        """Return the fused states; `place` knows the source sentence that each of them translates."""
        similarity, latents = self.similarity(states, place, chains, z)
        # Eq. 17: the sum of the latent variables, weighted by their similarity to the state.
        return self._fused(states, place.from_source_sentence(similarity @ latents))

    def similarity(self, states: Tensor, place: Place, chains: Chains, z: Tensor) -> tuple[Tensor, Tensor]:
        """Return the similarity, from 0 to 1, of each state to its sentence's latent variables, and these variables.

        A row of both is a sentence or, in search, a hypothesis; states are padded to those of the longest sentence. The
        last axis of the former and the second of the latter are the columns of `chains.relevant`. Paper: section 3.3,
        eq. 16, and the weights of eq. 17.
        """
        query, sentences = place.by_source_sentence(self.query(states))
        latents = _latents_of(chains.relevant.index_select(0, sentences), z)
        return _similarity(query, latents), latents

    def _fused(self, states: Tensor, feature: Tensor) -> Tensor:
        # Eq. 18: tanh(W_z [feature; state]).
        return torch.tanh(self.fusion(torch.cat((feature, states), dim=-1)))


def _latents_of(relevant: Tensor, z: Tensor) -> Tensor:
    # Rows are filled with the number after the last chain. The latent variable of that number is zero, and adds
    # nothing to a feature.
    return torch.cat((z, z.new_zeros((1, z.shape[1]))))[relevant]


def _similarity(query: Tensor, latents: Tensor) -> Tensor:
    cosine = nn.functional.normalize(query, dim=-1) @ nn.functional.normalize(latents, dim=-1).transpose(1, 2)
    # Eq. 16, and the weights of eq. 17: from 0 to 1.
    return (cosine + 1) / 2


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainMemory(Memory):
    """An encoded source with its chains and, where the model has them, their prior and their latent variables `z`.

    In inference `z` comes from the prior; in training it is replaced by a sample from the posterior.
    """

    chains: Chains
    prior: Gaussian | None
    z: Tensor | None

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "ChainMemory":
        """Return the memory of the instances `which`, without the prior, which `LexicalChain.forward` alone reads."""
        z = None if self.z is None else self.z.index_select(0, self.chains.of_instances(which))
        return replace(super().repeat_instances(source, which), chains=source.chains, prior=None, z=z)


@dataclass(frozen=True, eq=False)
class Summaries:
    """The first symbols of the sentences of a stream, which stand for their sentences."""

    tokens: Tensor  # their places in the stream
    documents: Segments  # the first symbols of each document, as runs of `tokens`
    sentence: Tensor  # the number of the sentence of each token of the stream


class ChainStream(WholeStream):
    """The place of all tokens of a source stream with chains, which knows the first symbols of its sentences."""

    def __init__(self, source: Stream) -> None:
        """Find the first symbols of the sentences of `source`."""
        super().__init__(source)
        self.summaries = summaries_of(source)


class GeneralContext(nn.Module):
    """Attention of the first symbols ([cls]) of a document to each other, whose result is added to all tokens.

    Paper: section 3.1, eq. 2 and 3.
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the attention with its residual connection."""
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: Tensor, summaries: Summaries) -> Tensor:
        """Return the source states after the sublayer; `summaries` has the first symbols of the sentences."""
        return self.residual(x, self.sentence_context, summaries)

    def sentence_context(self, x: Tensor, summaries: Summaries) -> Tensor:
        """Return, for each token, what the first symbol of its sentence gets from those of its document."""
        with selected_rows(x, summaries.tokens) as first:
            # Eq. 2: the first symbols attend to each other.
            context = self.attention(first, summaries.documents)
        # Eq. 3: each token gets the result of the first symbol of its sentence.
        return context.index_select(0, summaries.sentence)


class LexicalConsistency(nn.Module):
    """Attention of the words of a chain to each other; the result replaces their states. Paper: section 3.1."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the attention with its residual connection."""
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: Tensor, chains: Chains) -> Tensor:
        """Return the source states; the words of chains have new states."""
        with selected_rows(x, chains.tokens) as members:
            # Eq. 4: MultiHead(D_c, D_c, D_c). The words have no positions here, so their order is ignored.
            consistent = self.residual(members, self.attention, chains.runs)
        return x.index_copy(0, chains.tokens, consistent.to(x.dtype))


class ChainEncoderLayer(EncoderLayer):
    """An encoder layer of four sublayers: self-attention inside sentences, GC-Attn, LC-Attn and feed-forward."""

    def __init__(self, config: LexicalChainConfig, self_attention: nn.Module) -> None:
        """Create the layer; `config` says which of the two additional sublayers it has."""
        super().__init__(config, self_attention)
        self.general = GeneralContext(config) if config.general_attention else None
        self.lexical = LexicalConsistency(config) if config.lexical_attention else None

    def forward(self, x: Tensor, place: ChainStream) -> Tensor:
        """Return the source states after the layer."""
        x = self.after_self(x, self.self_attention, place)
        if self.general is not None:
            x = self.general(x, place.summaries)
        if self.lexical is not None:
            x = self.lexical(x, place.stream.chains)
        return self.after_feed_forward(x, self.feed_forward)


class LexicalChain(Transformer):
    """The model of lexical chains; its source streams need (possibly empty) chains. Paper: section 3."""

    config: LexicalChainConfig
    scope = "sentence"
    synchronous = True

    def __init__(self, config: LexicalChainConfig, source_size: int, target_size: int) -> None:
        """Create the model; with `config.latent` it has a latent variable for each chain."""
        super().__init__(config, source_size, target_size)
        if config.latent:
            self.prior, self.posterior = Prior(config), Posterior(config)
            self.fusion = ConsistencyFusion(config)

    def encoder_layer(self, layer: int) -> EncoderLayer:
        """Return a new encoder layer with the additional sublayers; layer 0 is at the bottom."""
        return ChainEncoderLayer(self.config, self.attention("encoder_self", layer))

    def forward(self, batch: Batch) -> ForwardPass:
        """Return the states, fused with latent variables z, and the KL divergence of posterior and prior."""
        memory, target_in = self.encode(batch.source), batch.target_in
        place = WholeStream(target_in, memory)
        with place.noise():
            states = self.decoder_states(place)
        if not self.config.latent:
            return ForwardPass(states, {})
        posterior = self.posterior(memory.states, memory.chains, states, target_in.sentences)
        kl = LossTerm(kl_divergence(posterior, memory.prior), memory.chains.runs.runs)
        # In training z is a sample from the posterior, which reads the translation; else it is that of inference.
        if self.training:
            memory = replace(memory, z=posterior.sample(chain_keys(batch.source)))
        return ForwardPass(self.finish(states, WholeStream(target_in, memory)), {"kl": kl})

    def term_weights(self, update: int) -> dict[str, float]:
        """Return the weight alpha, which rises from 0 to `kl_weight`. Paper: section 3.4, eq. 20; appendix B."""
        if not self.config.latent:
            return {}
        # Eq. 20: alpha rises linearly until `kl_warmup_updates`.
        return {"kl": self.config.kl_weight * min(1.0, update / max(self.config.kl_warmup_updates, 1))}

    def encode(self, source: Stream) -> ChainMemory:
        """Return the encoded source with its latent variables. Raises ValueError for a stream without chains."""
        if source.chains is None:
            raise ValueError("a lexical chain model needs a source stream with its chains")
        memory = super().encode(source)
        prior = self.prior(memory.states, source.chains) if self.config.latent else None
        z = prior and self._infer_z(prior, source)
        return ChainMemory(memory.states, source.layout, chains=source.chains, prior=prior, z=z)

    def run_encoder(self, x: Tensor, place: WholeStream) -> Tensor:
        """Return the final states of the encoder."""
        return super().run_encoder(x, ChainStream(place.stream))

    def finish(self, states: Tensor, place: Place) -> Tensor:
        """Return the states, fused with the latent variables of the source sentences that they translate."""
        if not self.config.latent:
            return states
        return self.fusion(states, place, place.memory.chains, place.memory.z)

    def transfer_source(self, name: str) -> str | None:
        """Return the parameter of an initial model that `name` starts from; None: it starts at random.

        Departs: the paper does not say how the additional attentions start; the authors' later code copies.
        """
        # An additional attention starts from the self-attention of its layer (`new_attention: copied`) or at random;
        # all other parameters start from the parameter of the same name.
        for part in (".general.attention.", ".lexical.attention."):
            if part in name:
                return name.replace(part, ".self_attention.") if self.config.new_attention == "copied" else None
        return name

    def _infer_z(self, prior: Gaussian, source: Stream) -> Tensor:
        return prior.mean if self.config.latent_in_inference == "mean" else prior.sample(chain_keys(source))


def summaries_of(source: Stream) -> Summaries:
    """Return the first symbols of the source's sentences: each has [cls] or `<s>`, so that no sentence is empty."""
    first, sentences = source.sentences.offsets[:-1].long(), source.layout.sentences_per_instance()
    documents = Segments.from_lengths(sentences.tolist(), source.layout.sentences.device)
    return Summaries(first, documents, source.sentences.ids())
