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
| section 3.2, eq. 6 to 15 | `Posterior`, `Prior`, `kl_divergence`; d_z is `latent_width` |
| section 3.3, eq. 16 to 19 | `ConsistencyFusion` |
| section 3.4, eq. 20 to 22 | `LexicalChain.forward`, `term_weights` |

Our reading, where the paper does not say: the order of sublayers is self, general, lexical, feed-forward (Figure 1);
there are no positions inside a chain; the two sums of eq. 20 are both divided by the update's target tokens. In
inference the latent variable is the mean of the prior, which gives the same translation every time; the paper takes a
sample, and so does the setting `latent_in_inference: sample`.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from docmt.base.runs import spans, starts
from docmt.models.transformer import EncoderLayer, ForwardPass, LossTerm, Transformer
from docmt.nn.attention import attend, attention_weights
from docmt.nn.caches import Cache
from docmt.nn.device import upload
from docmt.nn.layers import Residual
from docmt.nn.multihead import RunAttention
from docmt.nn.noise import key_scope, narrowed_key_scope, normal
from docmt.nn.segments import Segments
from docmt.nn.shapes import (
    ChainStates,
    Float,
    HypothesisStates,
    HypothesisTokens,
    Latents,
    MemberStates,
    Numbers,
    Queries,
    RowKeys,
    RunWeights,
    SourceStates,
    States,
    Tensor,
)
from docmt.nn.streams import Batch, Chains, Memory, Stream
from docmt.settings.models import LexicalChainConfig


class Gaussian(NamedTuple):
    """A normal distribution with a diagonal covariance for each chain."""

    mean: Latents
    log_variance: Latents

    def sample(self, keys: RowKeys | None = None) -> Latents:
        """Return a sample for each chain, reparameterised, so that gradients reach mean and variance.

        The noise follows from `keys`, the noise keys of the chains (`docmt.nn.noise`). Where `keys` is None, torch's
        generator draws the noise.
        """
        draws = torch.randn_like(self.mean) if keys is None else normal(keys, "latent", self.mean.shape[1])
        return self.mean + torch.exp(self.log_variance / 2) * draws.to(self.mean.dtype)


def chain_keys(source: Stream) -> RowKeys | None:
    """Return the noise key of each chain: the key of its first member, which is a member of no other chain."""
    first = source.chains.runs.offsets[:-1]
    return None if source.keys is None else source.keys.index_select(0, source.chains.tokens.index_select(0, first))


def kl_divergence(q: Gaussian, p: Gaussian) -> Tensor:
    """Return KL(q || p) between Gaussians in closed form, summed over chains, in nats. Paper: section 3.2, eq. 15.

    The computation is in fp32 at least: a sum in bf16 would have two or three digits.
    """
    q, p = (Gaussian(*(x.to(torch.promote_types(x.dtype, torch.float32)) for x in gaussian)) for gaussian in (q, p))
    ratio = torch.exp(q.log_variance - p.log_variance)
    distance = (q.mean - p.mean) ** 2 * torch.exp(-p.log_variance)
    return (ratio + distance - 1 - (q.log_variance - p.log_variance)).sum() / 2


class SoftAlignment(nn.Module):
    """Attention that finds the translation of each member of a chain in the target.

    Paper: section 3.2, eq. 8: Softmax(g W_s H^T) H. H are the states of the target sentence that translates the
    member's sentence.
    """

    def __init__(self, width: int) -> None:
        """Create the matrix W_s."""
        super().__init__()
        self.weight = nn.Linear(width, width, bias=False)
        nn.init.xavier_uniform_(self.weight.weight)

    def forward(self, members: MemberStates, chains: Chains, states: States, sentences: Segments) -> MemberStates:
        """Return the translation of each member: a mean of the target's `states`, weighted by the attention of eq. 8.

        `sentences` are the target sentences, as runs of `states`. The rows of `members`, which are source states, and
        the rows of the result are in the same order: chain after chain.
        """
        query = self._project_queries(members, chains)
        translations = attend(query, states[:, None], states[:, None], chains.sentences, sentences)[:, 0]
        return torch.zeros_like(translations).index_copy(0, chains.order, translations)

    def weights(self, members: MemberStates, chains: Chains, states: States, sentences: Segments) -> list[RunWeights]:
        """Return the weights of eq. 8 for each sentence: a row for each member in it, in the order `chains.order`."""
        return attention_weights(self._project_queries(members, chains), states[:, None], chains.sentences, sentences)

    def _project_queries(self, members: MemberStates, chains: Chains) -> Queries:
        """Return the queries, in the order of the members' sentences; the single head is as wide as the model."""
        # `attend` divides scores by the root of the width; eq. 8 does not, so the queries are multiplied by the root.
        return self.weight(members).index_select(0, chains.order)[:, None] * math.sqrt(members.shape[1])


class GaussianNetwork(nn.Module):
    """A network with one hidden layer for mean and log variance. Paper: section 3.2, eq. 10 and 11, 13 and 14.

    Our reading: the equations write one MLP for mean and variance, so the two share the hidden layer. The default width
    of the hidden layer (`latent_inner`) gives ConVar the number of parameters of Table 7. With `latent_variance:
    softplus` the variance is 1 or more, as in the equations.
    """

    def __init__(self, width: int, config: LexicalChainConfig) -> None:
        """Create the network for inputs of `width` values."""
        super().__init__()
        self.hidden = nn.Linear(width, config.latent_inner)
        self.mean = nn.Linear(config.latent_inner, config.latent_width)
        self.log_variance = nn.Linear(config.latent_inner, config.latent_width)
        self.softplus = config.latent_variance == "softplus"

    def forward(self, x: ChainStates) -> Gaussian:
        """Return the distribution of each chain."""
        hidden = self.hidden(x).relu()
        log_variance = self.log_variance(hidden)
        return Gaussian(self.mean(hidden), nn.functional.softplus(log_variance) if self.softplus else log_variance)


class Prior(GaussianNetwork):
    """The prior p(z | g_S), given the source side of a chain alone. Paper: section 3.2, eq. 12 to 14."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the network for the source side of a chain."""
        super().__init__(config.width, config)

    def forward(self, source: SourceStates, chains: Chains) -> Gaussian:
        """Return the prior of each chain; `source` has the source states of all tokens."""
        return super().forward(max_pool(source.index_select(0, chains.tokens), chains))


class Posterior(GaussianNetwork):
    """The posterior q(z | g_S, g^_S), given a chain and its translation. Paper: section 3.2, eq. 6 to 11."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the network and the attention that finds the translation of a chain."""
        super().__init__(2 * config.width, config)
        self.alignment = SoftAlignment(config.width)

    def forward(self, source: SourceStates, chains: Chains, states: States, sentences: Segments) -> Gaussian:
        """Return the posterior of each chain; `states` are the decoder's states H, `sentences` their runs."""
        members = source.index_select(0, chains.tokens)
        translations = self.alignment(members, chains, states, sentences)
        return super().forward(torch.cat((max_pool(members, chains), max_pool(translations, chains)), dim=-1))


def max_pool(members: MemberStates, chains: Chains) -> ChainStates:
    """Return the maximum over the members of each chain, feature by feature (maxP). Paper: section 3.2, eq. 10."""
    # segment_reduce refuses an empty list of segments.
    if not chains.runs.runs:
        return members
    # Where it is not told that lengths are right (`unsafe`), segment_reduce reads them back from the device.
    lengths = torch.diff(chains.runs.offsets).long()
    return torch.segment_reduce(members, "max", lengths=lengths, axis=0, unsafe=True)


class ConsistencyFusion(nn.Module):
    """The consistency feature of each decoding step, fused with the decoder's state. Paper: section 3.3, eq. 16 to 18.

    The part of W_z that is multiplied with the state starts as the identity, so that a training that starts from a
    sentence model begins close to that model's output (our choice; the paper does not say).
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the projection of queries and the fusion W_z."""
        super().__init__()
        self.query = nn.Linear(config.width, config.latent_width, bias=False)
        self.fusion = nn.Linear(config.latent_width + config.width, config.width)
        nn.init.xavier_uniform_(self.fusion.weight[:, : config.latent_width])
        nn.init.eye_(self.fusion.weight[:, config.latent_width :])
        nn.init.zeros_(self.fusion.bias)

    def forward(self, states: States, sentence: Numbers, chains: Chains, z: Latents) -> States:
        """Return the fused states; `sentence` is the number of the source sentence that each state translates."""
        similarity, relevant = self.similarity(states, sentence, chains, z)
        feature = (similarity[:, None] @ relevant)[:, 0]
        return torch.tanh(self.fusion(torch.cat((feature, states), dim=-1)))

    def similarity(
        self, states: States, sentence: Numbers, chains: Chains, z: Latents
    ) -> tuple[Float[Tensor, "T _"], Float[Tensor, "T _ Z"]]:
        """Return the similarity, from 0 to 1, of each state to its sentence's latent variables, and these variables.

        The columns of both are those of `chains.relevant`. Paper: section 3.3, eq. 16, and the weights of eq. 17.
        """
        # `chains.relevant` fills its rows with the number after the last chain. The latent variable of that number is
        # zero, and adds nothing to a feature.
        z = torch.cat((z, z.new_zeros((1, z.shape[1]))))
        relevant = z[chains.relevant.index_select(0, sentence)]
        return (torch.cosine_similarity(self.query(states)[:, None], relevant, dim=2) + 1) / 2, relevant


@dataclass(frozen=True, eq=False)
class ChainMemory(Memory):
    """An encoded source with its chains and, where the model has them, their prior and their latent variables `z`.

    In inference `z` comes from the prior; in training it is replaced by a sample from the posterior.
    """

    chains: Chains
    prior: Gaussian | None
    z: Latents | None

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "ChainMemory":
        """Return the memory of the instances `which`, without the prior, which `LexicalChain.forward` alone reads."""
        z = None if self.z is None else self.z.index_select(0, self._chains_of(which))
        return replace(super().repeat_instances(source, which), chains=source.chains, prior=None, z=z)

    def _chains_of(self, which: np.ndarray) -> Numbers:
        """Return the numbers of the chains of the instances `which`, in that order."""
        counts = self.chains.counts
        return upload(spans(starts(counts)[which], counts[which]), self.layout.instances.device)


@dataclass(frozen=True, eq=False)
class Summaries:
    """The first symbols of the sentences of a stream, which stand for their sentences.

    `tokens` has their places in the stream; `documents` has the first symbols of each document, as runs of `tokens`;
    `sentence` is the number of the sentence that each token of the stream belongs to.
    """

    tokens: Numbers
    documents: Segments
    sentence: Numbers


class GeneralContext(nn.Module):
    """Attention of the first symbols ([cls]) of a document to each other, whose result is added to all tokens.

    Each token of a sentence gets the result of the first symbol of its sentence. Paper: section 3.1, eq. 2 and 3.
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the attention with its residual connection."""
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: SourceStates, summaries: Summaries) -> SourceStates:
        """Return the source states after the sublayer; `summaries` has the first symbols of the sentences."""

        def sentence_context(y: SourceStates) -> SourceStates:
            with narrowed_key_scope(summaries.tokens):
                context = self.attention(y.index_select(0, summaries.tokens), summaries.documents)
            return context.index_select(0, summaries.sentence)

        return self.residual(x, sentence_context)


class LexicalConsistency(nn.Module):
    """Attention of the words of a chain to each other; the result replaces their states.

    Paper: section 3.1, eq. 4, MultiHead(D_c, D_c, D_c). The words have no positions here, so their order is ignored.
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the attention with its residual connection."""
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: SourceStates, chains: Chains) -> SourceStates:
        """Return the source states; the words of chains have new states."""
        members = x.index_select(0, chains.tokens)
        with narrowed_key_scope(chains.tokens):
            consistent = self.residual(members, lambda y: self.attention(y, chains.runs))
        return x.index_copy(0, chains.tokens, consistent.to(x.dtype))


class ChainEncoderLayer(EncoderLayer):
    """An encoder layer of four sublayers: self-attention inside sentences, GC-Attn, LC-Attn and feed-forward."""

    def __init__(self, config: LexicalChainConfig, self_attention: nn.Module) -> None:
        """Create the layer; `config` says which of the two additional sublayers it has."""
        super().__init__(config, self_attention)
        self.general = GeneralContext(config) if config.general_attention else None
        self.lexical = LexicalConsistency(config) if config.lexical_attention else None

    def forward(self, x: SourceStates, source: Stream, summaries: Summaries) -> SourceStates:
        """Return the source states after the layer."""
        x = self.after_self(x, lambda y: self.self_attention(y, source.layout))
        if self.general is not None:
            x = self.general(x, summaries)
        if self.lexical is not None:
            x = self.lexical(x, source.chains)
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
        """Return the states, fused with latent variables z, and the KL divergence of posterior and prior.

        In training z is a sample from the posterior, which reads the translation. In evaluation z is the latent
        variable of inference.
        """
        memory = self.encode(batch.source)
        states = super().decode(batch.target_in, memory)
        if not self.config.latent:
            return ForwardPass(states, {})
        posterior = self.posterior(memory.states, memory.chains, states, batch.target_in.sentences)
        kl = LossTerm(kl_divergence(posterior, memory.prior), memory.chains.runs.runs)
        if self.training:
            memory = replace(memory, z=posterior.sample(chain_keys(batch.source)))
        return ForwardPass(self._fuse(states, batch.target_in.sentences.ids(), memory), {"kl": kl})

    def term_weights(self, update: int) -> dict[str, float]:
        """Return the weight alpha, which rises from 0 to `kl_weight`. Paper: section 3.4, eq. 20; appendix B."""
        if not self.config.latent:
            return {}
        return {"kl": self.config.kl_weight * min(1.0, update / max(self.config.kl_warmup_updates, 1))}

    def encode(self, source: Stream) -> ChainMemory:
        """Return the encoded source with its latent variables. Raises ValueError for a stream without chains."""
        if source.chains is None:
            raise ValueError("a lexical chain model needs a source stream with its chains")
        with key_scope(source.keys):
            x = self.embed(self.source_embedding, source)
            states = self.run_encoder(x, source, summaries_of(source))
        prior = self.prior(states, source.chains) if self.config.latent else None
        return ChainMemory(states, source.layout, source.chains, prior, prior and self._infer_z(prior, source))

    def decode(self, target_in: Stream, memory: ChainMemory) -> States:
        """Return the final states, fused with the latent variables of the memory."""
        return self._fuse(super().decode(target_in, memory), target_in.sentences.ids(), memory)

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        """Return the final states of the newest tokens, fused with the latent variables of their source sentences."""
        return self._fuse(super().step(tokens, cache), cache.progress.source_run, cache.memory)

    def transfer_source(self, name: str) -> str | None:
        """Return the parameter of an initial model that `name` starts from; None: it starts at random.

        An additional attention starts from the self-attention of its layer (`new_attention: copied`) or at random; all
        other parameters start from the parameter of the same name. Departs: the paper does not say how the additional
        attentions start; the authors' later code copies.
        """
        for part in (".general.attention.", ".lexical.attention."):
            if part in name:
                return name.replace(part, ".self_attention.") if self.config.new_attention == "copied" else None
        return name

    def _infer_z(self, prior: Gaussian, source: Stream) -> Latents:
        """Return the latent variables of inference: the mean of the prior, or a sample."""
        return prior.mean if self.config.latent_in_inference == "mean" else prior.sample(chain_keys(source))

    def _fuse(self, states: States, sentence: Numbers, memory: ChainMemory) -> States:
        return self.fusion(states, sentence, memory.chains, memory.z) if self.config.latent else states


def summaries_of(source: Stream) -> Summaries:
    """Return the first symbols of the source's sentences: each has [cls] or `<s>`, so that no sentence is empty."""
    first, sentences = source.sentences.offsets[:-1].long(), source.layout.sentences_per_instance()
    documents = Segments.from_lengths(sentences.tolist(), source.layout.sentences.device)
    return Summaries(first, documents, source.sentences.ids())
