"""The latent variable of a lexical chain: its posterior and prior, and how the output layer uses it.

Paper: Lyu et al. 2022, sections 3.2 and 3.3; d_z is `latent_width`.
"""

import math
from typing import NamedTuple

import torch
from torch import nn

from docmt.nn.attention import attend, attention_weights
from docmt.nn.chains import Chains
from docmt.nn.noise import normal
from docmt.nn.segments import Segments
from docmt.nn.shapes import (
    ChainStates,
    Float,
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
from docmt.nn.streams import Stream
from docmt.settings.models import LexicalChainConfig


class Gaussian(NamedTuple):
    """A normal distribution with a diagonal covariance for each chain."""

    mean: Latents
    log_variance: Latents

    def sample(self, keys: RowKeys | None = None) -> Latents:
        """Reparameterised, so that gradients reach mean and variance.

        `keys` of the chains make the noise (`docmt.nn.noise`); none = torch's generator does.
        """
        draws = torch.randn_like(self.mean) if keys is None else normal(keys, "latent", self.mean.shape[1])
        return self.mean + torch.exp(self.log_variance / 2) * draws.to(self.mean.dtype)


def chain_keys(source: Stream) -> RowKeys | None:
    """The key of a chain is that of its first member, which is in no other."""
    first = source.chains.runs.offsets[:-1]
    return None if source.keys is None else source.keys.index_select(0, source.chains.tokens.index_select(0, first))


def kl_divergence(q: Gaussian, p: Gaussian) -> Tensor:
    """KL(q || p) summed over chains, in nats. Paper: section 3.2, eq. 15; the closed form between Gaussians."""
    ratio = torch.exp(q.log_variance - p.log_variance)
    distance = (q.mean - p.mean) ** 2 * torch.exp(-p.log_variance)
    return (ratio + distance - 1 - (q.log_variance - p.log_variance)).sum() / 2


class SoftAlignment(nn.Module):
    """Where the translation of each member of a chain stands in the target, found by attention.

    Paper: section 3.2, eq. 8: Softmax(g W_s H^T) H over the states H of the member's own sentence.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Linear(width, width, bias=False)
        nn.init.xavier_uniform_(self.weight.weight)

    def forward(self, members: MemberStates, chains: Chains, states: States, sentences: Segments) -> MemberStates:
        """`members`: source states, chain after chain; `states`: the target's, which `sentences` cuts."""
        query = self._queries(members, chains)
        found = attend(query, states[:, None], states[:, None], chains.sentences, sentences)[:, 0]
        return torch.zeros_like(found).index_copy(0, chains.order, found)

    def weights(self, members: MemberStates, chains: Chains, states: States, sentences: Segments) -> list[RunWeights]:
        """Of each sentence those of eq. 8: a row for each of its members, by `chains.order`, over its `states`."""
        return attention_weights(self._queries(members, chains), states[:, None], chains.sentences, sentences)

    def _queries(self, members: MemberStates, chains: Chains) -> Queries:
        """One head as wide as the model; the equation has no scale, so that of attention is taken back."""
        return self.weight(members).index_select(0, chains.order)[:, None] * math.sqrt(members.shape[1])


class GaussianNetwork(nn.Module):
    """Mean and log variance by one hidden layer. Paper: section 3.2, eq. 10 and 11, 13 and 14.

    Our reading: the equations write one MLP for both, so they share the hidden layer; its width makes the parameters
    of ConVar what Table 7 says. `latent_variance: softplus` keeps the variance at 1 or more, as the equations do.
    """

    def __init__(self, width: int, config: LexicalChainConfig) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, config.latent_inner)
        self.mean = nn.Linear(config.latent_inner, config.latent_width)
        self.log_variance = nn.Linear(config.latent_inner, config.latent_width)
        self.softplus = config.latent_variance == "softplus"

    def forward(self, x: ChainStates) -> Gaussian:
        hidden = self.hidden(x).relu()
        log_variance = self.log_variance(hidden)
        return Gaussian(self.mean(hidden), nn.functional.softplus(log_variance) if self.softplus else log_variance)


class Prior(GaussianNetwork):
    """p(z | g_S): from the source side of a chain alone. Paper: section 3.2, eq. 12 to 14."""

    def __init__(self, config: LexicalChainConfig) -> None:
        super().__init__(config.width, config)

    def forward(self, source: SourceStates, chains: Chains) -> Gaussian:
        return super().forward(pooled(source.index_select(0, chains.tokens), chains))


class Posterior(GaussianNetwork):
    """q(z | g_S, g^_S): from a chain and its translation, which attention finds. Paper: section 3.2, eq. 6 to 11."""

    def __init__(self, config: LexicalChainConfig) -> None:
        super().__init__(2 * config.width, config)
        self.alignment = SoftAlignment(config.width)

    def forward(self, source: SourceStates, chains: Chains, states: States, sentences: Segments) -> Gaussian:
        """`states`: the decoder's, H, which `sentences` cuts."""
        members = source.index_select(0, chains.tokens)
        translations = self.alignment(members, chains, states, sentences)
        return super().forward(torch.cat((pooled(members, chains), pooled(translations, chains)), dim=-1))


def pooled(members: MemberStates, chains: Chains) -> ChainStates:
    """maxP: the maximum over a chain's members, feature by feature. Paper: section 3.2, eq. 10."""
    if not chains.runs.runs:
        return members
    return torch.segment_reduce(members, "max", lengths=torch.diff(chains.runs.offsets).long(), axis=0)


class ConsistencyFusion(nn.Module):
    """The consistency feature of each decoding step, fused with its state. Paper: section 3.3, eq. 16 to 18.

    The part of W_z that sees the state starts as the identity, so that a model taken over from the sentence stage
    starts near its own output layer (our choice; the paper does not say).
    """

    def __init__(self, config: LexicalChainConfig) -> None:
        super().__init__()
        self.query = nn.Linear(config.width, config.latent_width, bias=False)
        self.fusion = nn.Linear(config.latent_width + config.width, config.width)
        nn.init.xavier_uniform_(self.fusion.weight[:, : config.latent_width])
        nn.init.eye_(self.fusion.weight[:, config.latent_width :])
        nn.init.zeros_(self.fusion.bias)

    def forward(self, states: States, sentence: Numbers, chains: Chains, z: Latents) -> States:
        """`sentence`: the number of the source sentence that each state translates."""
        similarity, relevant = self.similarity(states, sentence, chains, z)
        feature = (similarity[:, None] @ relevant)[:, 0]
        return torch.tanh(self.fusion(torch.cat((feature, states), dim=-1)))

    def similarity(
        self, states: States, sentence: Numbers, chains: Chains, z: Latents
    ) -> tuple[Float[Tensor, "T _"], Float[Tensor, "T _ Z"]]:
        """From 0 to 1, of each state to the latent variables of its sentence's chains, and these variables.

        Columns are those of `chains.relevant`. Paper: section 3.3, eq. 16, and the weights of eq. 17.
        """
        # The row after the last is what fills up `relevant`: a chain that says nothing.
        z = torch.cat((z, z.new_zeros((1, z.shape[1]))))
        relevant = z[chains.relevant.index_select(0, sentence)]
        return (torch.cosine_similarity(self.query(states)[:, None], relevant, dim=2) + 1) / 2, relevant
