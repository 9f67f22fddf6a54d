"""Lexical chains: their words see each other in the encoder, and a latent variable guides their translations.

Paper: Lyu et al. 2022, "Modeling Consistency Preference via Lexical Chains for Document-level NMT".
New against `transformer.py`: an encoder layer has two more sublayers, between sentences by their first symbols
(GC-Attn) and within chains (LC-Attn); each chain has a latent variable (ConVar), which the output layer
looks up. All else stays inside a sentence, so the sentences of a document are decoded synchronously.

| paper | here |
| --- | --- |
| section 3.1, eq. 2 and 3, General-Context Attention | `GeneralContext` |
| section 3.1, eq. 4, Lexical-Consistency Attention | `LexicalConsistency` |
| section 3.1, eq. 1 and 5, Figure 1, the layer | `ChainEncoderLayer` |
| section 3.2, eq. 6 to 15 | `docmt.models.latent.Posterior`, `Prior`, `kl_divergence` |
| section 3.3, eq. 16 to 19 | `docmt.models.latent.ConsistencyFusion` |
| section 3.4, eq. 20 to 22 | `LexicalChain.forward`, `term_weights` |

Our reading, where the paper is silent: the order of sublayers is self, general, lexical, feed-forward (Figure 1); no
positions inside a chain; the two sums of eq. 20 are both divided by the update's target tokens. In inference the
latent variable is the prior's mean, which gives the same translation every time (the paper: a sample; a setting).
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from docmt.base.runs import spans, starts
from docmt.models.latent import ConsistencyFusion, Gaussian, Posterior, Prior, chain_keys, kl_divergence
from docmt.models.transformer import EncoderLayer, ForwardPass, LossTerm, Transformer
from docmt.nn.caches import Cache
from docmt.nn.chains import Chains
from docmt.nn.layers import Residual
from docmt.nn.multihead import RunAttention
from docmt.nn.noise import narrowed, rows
from docmt.nn.segments import Segments
from docmt.nn.shapes import HypothesisStates, HypothesisTokens, Latents, Numbers, SourceStates, States
from docmt.nn.streams import Batch, Memory, Stream
from docmt.settings.models import LexicalChainConfig


@dataclass(frozen=True, eq=False)
class ChainMemory(Memory):
    """An encoded source with its chains and, where the model has them, the latent variables of inference, which come
    from `prior`."""

    chains: Chains
    prior: Gaussian | None
    z: Latents | None

    def spread(self, source: Stream, which: np.ndarray) -> "ChainMemory":
        """Without the prior, which only training looks at."""
        z = None if self.z is None else self.z.index_select(0, self._chains_of(which))
        return replace(super().spread(source, which), chains=source.chains, prior=None, z=z)

    def _chains_of(self, which: np.ndarray) -> Numbers:
        """The numbers of the chains of the instances `which`, in that order."""
        instances = self.layout.instances
        first_members = self.chains.tokens[self.chains.runs.offsets[:-1].long()]
        counts = instances.ids()[first_members].bincount(minlength=instances.runs).cpu().numpy()
        return torch.from_numpy(spans(starts(counts)[which], counts[which])).to(instances.device)


@dataclass(frozen=True, eq=False)
class Summaries:
    """The first symbols of a stream's sentences, by document; `sentence` says which one a token belongs to."""

    tokens: Numbers
    documents: Segments
    sentence: Numbers


class GeneralContext(nn.Module):
    """Sentences of a document attend to each other by their [cls], and each adds what it saw to all its tokens.

    Paper: section 3.1, eq. 2 and 3.
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: SourceStates, summaries: Summaries) -> SourceStates:
        def seen(y: SourceStates) -> SourceStates:
            with narrowed(summaries.tokens):
                context = self.attention(y.index_select(0, summaries.tokens), summaries.documents)
            return context.index_select(0, summaries.sentence)

        return self.residual(x, seen)


class LexicalConsistency(nn.Module):
    """Words of a chain attend to each other; what comes out takes their place.

    Paper: section 3.1, eq. 4, MultiHead(D_c, D_c, D_c). Without positions, so that a chain is a set.
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.residual = Residual(config)

    def forward(self, x: SourceStates, chains: Chains) -> SourceStates:
        members = x.index_select(0, chains.tokens)
        with narrowed(chains.tokens):
            consistent = self.residual(members, lambda y: self.attention(y, chains.runs))
        return x.index_copy(0, chains.tokens, consistent.to(x.dtype))


class ChainEncoderLayer(EncoderLayer):
    """Self-attention inside sentences, general context, lexical consistency, then feed-forward."""

    def __init__(self, config: LexicalChainConfig, self_attention: nn.Module) -> None:
        super().__init__(config, self_attention)
        self.general = GeneralContext(config) if config.general_attention else None
        self.lexical = LexicalConsistency(config) if config.lexical_attention else None

    def forward(self, x: SourceStates, source: Stream, summaries: Summaries) -> SourceStates:
        x = self.after_self(x, lambda y: self.self_attention(y, source.layout))
        if self.general is not None:
            x = self.general(x, summaries)
        if self.lexical is not None:
            x = self.lexical(x, source.chains)
        return self.after_feed_forward(x, self.feed_forward)


class LexicalChain(Transformer):
    """See above. Source streams need chains, which may be none. Paper: section 3."""

    config: LexicalChainConfig
    scope = "sentence"
    synchronous = True

    def __init__(self, config: LexicalChainConfig, source_size: int, target_size: int) -> None:
        super().__init__(config, source_size, target_size)
        if config.latent:
            self.prior, self.posterior = Prior(config), Posterior(config)
            self.fusion = ConsistencyFusion(config)

    def encoder_layer(self, layer: int) -> EncoderLayer:
        return ChainEncoderLayer(self.config, self.attention("encoder_self", layer))

    def forward(self, batch: Batch) -> ForwardPass:
        """In training z comes from the posterior, which sees the translation; else from the prior, as in inference."""
        memory = self.encode(batch.source)
        states = super().decode(batch.target_in, memory)
        if not self.config.latent:
            return ForwardPass(states, {})
        posterior = self.posterior(memory.states, memory.chains, states, batch.target_in.sentences)
        kl = LossTerm(kl_divergence(posterior, memory.prior), memory.chains.runs.runs)
        if self.training:
            memory = replace(memory, z=posterior.sample(chain_keys(batch.source)))
        return ForwardPass(self._fused(states, batch.target_in.sentences.ids(), memory), {"kl": kl})

    def term_weights(self, update: int) -> dict[str, float]:
        """alpha, which rises from 0 to `kl_weight` (KL annealing). Paper: section 3.4, eq. 20; appendix B."""
        if not self.config.latent:
            return {}
        return {"kl": self.config.kl_weight * min(1.0, update / max(self.config.kl_warmup_updates, 1))}

    def encode(self, source: Stream) -> ChainMemory:
        """Raises ValueError for a stream without chains."""
        if source.chains is None:
            raise ValueError("a lexical chain model needs a source stream with its chains")
        with rows(source.keys):
            x = self.embed(self.source_embedding, source)
            states = self.through_encoder(x, source, summaries_of(source))
        prior = self.prior(states, source.chains) if self.config.latent else None
        return ChainMemory(states, source.layout, source.chains, prior, prior and self._inferred(prior, source))

    def decode(self, target_in: Stream, memory: ChainMemory) -> States:
        return self._fused(super().decode(target_in, memory), target_in.sentences.ids(), memory)

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        return self._fused(super().step(tokens, cache), cache.progress.source_run, cache.memory)

    def taken_from(self, name: str) -> str | None:
        """Attention between words of a chain, or sentences, may start from the layer's self-attention.

        Departs: the paper does not say what it starts from; the copy is that of the authors' later code.
        """
        for own in (".general.attention.", ".lexical.attention."):
            if own in name:
                return name.replace(own, ".self_attention.") if self.config.new_attention == "copied" else None
        return name

    def _inferred(self, prior: Gaussian, source: Stream) -> Latents:
        return prior.mean if self.config.latent_in_inference == "mean" else prior.sample(chain_keys(source))

    def _fused(self, states: States, sentence: Numbers, memory: ChainMemory) -> States:
        return self.fusion(states, sentence, memory.chains, memory.z) if self.config.latent else states


def summaries_of(source: Stream) -> Summaries:
    """Every sentence of a source begins with a symbol, [cls] or `<s>`, so that none is empty."""
    first, sentences = source.sentences.offsets[:-1].long(), source.layout.sentences_per_instance()
    documents = Segments.from_lengths(sentences.tolist(), source.layout.sentences.device)
    return Summaries(first, documents, source.sentences.ids())
