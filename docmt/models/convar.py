"""ConVar, the latent variable of each lexical chain: its prior, its posterior, and the divergence between them.

Paper: Lyu et al. 2022, "Modeling Consistency Preference via Lexical Chains for Document-level NMT", section 3.2.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from docmt.nn.attention import attend, attention_weights
from docmt.nn.layers import Linear
from docmt.nn.noise import normal
from docmt.nn.streams import Chains, Segments, Stream
from docmt.settings.models import LexicalChainConfig


class Gaussian(NamedTuple):
    """A normal distribution with a diagonal covariance for each chain."""

    mean: Tensor
    log_variance: Tensor

    def sample(self, keys: Tensor | None = None) -> Tensor:
        """Return a sample for each chain.

        The noise follows from `keys`, the noise keys of the chains (`docmt.nn.noise`). Where `keys` is None, torch's
        generator draws the noise.
        """
        draws = torch.randn_like(self.mean) if keys is None else normal(keys, "latent", self.mean.shape[1])
        # mean + sigma * noise: reparameterised, so that gradients reach mean and variance.
        return self.mean + torch.exp(self.log_variance / 2) * draws.to(self.mean.dtype)


def chain_keys(source: Stream) -> Tensor | None:
    """Return the noise key of each chain: the key of its first member, which is a member of no other chain."""
    first = source.chains.runs.offsets[:-1]
    return None if source.keys is None else source.keys.index_select(0, source.chains.tokens.index_select(0, first))


def kl_divergence(q: Gaussian, p: Gaussian) -> Tensor:
    """Return KL(q || p) between Gaussians in closed form, summed over chains, in nats. Paper: section 3.2, eq. 15."""
    # The computation is in fp32 at least: a sum in bf16 would have two or three digits.
    q, p = (Gaussian(*(x.to(torch.promote_types(x.dtype, torch.float32)) for x in gaussian)) for gaussian in (q, p))
    ratio = torch.exp(q.log_variance - p.log_variance)
    distance = (q.mean - p.mean) ** 2 * torch.exp(-p.log_variance)
    # Eq. 15: KL(q || p) = 1/2 sum(s_q / s_p + (m_q - m_p)^2 / s_p - 1 - ln(s_q / s_p)), with variances s.
    return (ratio + distance - 1 - (q.log_variance - p.log_variance)).sum() / 2


class SoftAlignment(nn.Module):
    """Attention that finds the translation of each member of a chain in the target. Paper: section 3.2, eq. 8."""

    def __init__(self, width: int) -> None:
        """Create the matrix W_s."""
        super().__init__()
        self.weight = Linear(width, width, bias=False)
        nn.init.xavier_uniform_(self.weight.weight)

    def forward(self, members: Tensor, chains: Chains, states: Tensor, sentences: Segments) -> Tensor:
        """Return the translation of each member: a mean of the target's `states`, weighted by the attention of eq. 8.

        `sentences` are the target sentences, as runs of `states`. The rows of `members`, which are source states, and
        the rows of the result are in the same order: chain after chain.
        """
        query = self._project_queries(members, chains)
        # Eq. 8: Softmax(g W_s H^T) H; H are the states of the target sentence that translates the member's sentence.
        translations = attend(query, states[:, None], states[:, None], chains.sentences, sentences)[:, 0]
        return torch.zeros_like(translations).index_copy(0, chains.order, translations)

    def weights(self, members: Tensor, chains: Chains, states: Tensor, sentences: Segments) -> list[Tensor]:
        """Return the weights of eq. 8 for each sentence: a row for each member in it, in the order `chains.order`."""
        return attention_weights(self._project_queries(members, chains), states[:, None], chains.sentences, sentences)

    def _project_queries(self, members: Tensor, chains: Chains) -> Tensor:
        # `attend` divides scores by the root of the width; eq. 8 does not, so the queries are multiplied by the root.
        # The queries are in the order of the members' sentences; the single head is as wide as the model.
        return self.weight(members).index_select(0, chains.order)[:, None] * math.sqrt(members.shape[1])


class GaussianNetwork(nn.Module):
    """A network with one hidden layer for mean and log variance. Paper: section 3.2, eq. 10 and 11, 13 and 14."""

    def __init__(self, width: int, config: LexicalChainConfig) -> None:
        """Create the network for inputs of `width` values."""
        super().__init__()
        # Our reading: the equations write one MLP for mean and variance, so the two share the hidden layer. Its default
        # width (`latent_inner`) gives ConVar the number of parameters of Table 7.
        self.hidden = Linear(width, config.latent_inner)
        self.mean = Linear(config.latent_inner, config.latent_width)
        self.log_variance = Linear(config.latent_inner, config.latent_width)
        self.softplus = config.latent_variance == "softplus"

    def forward(self, x: Tensor) -> Gaussian:
        """Return the distribution of each chain."""
        # Eq. 10 and 11 for the posterior, 13 and 14 for the prior.
        hidden = self.hidden(x).relu()
        log_variance = self.log_variance(hidden)
        # With `latent_variance: softplus` the variance is 1 or more, as in the equations.
        return Gaussian(self.mean(hidden), nn.functional.softplus(log_variance) if self.softplus else log_variance)


class Prior(GaussianNetwork):
    """The prior p(z | g_S), given the source side of a chain alone. Paper: section 3.2, eq. 12 to 14."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the network for the source side of a chain."""
        super().__init__(config.width, config)

    def forward(self, source: Tensor, chains: Chains) -> Gaussian:
        """Return the prior of each chain; `source` has the source states of all tokens."""
        return super().forward(max_pool(source.index_select(0, chains.tokens), chains))


class Posterior(GaussianNetwork):
    """The posterior q(z | g_S, g^_S), given a chain and its translation. Paper: section 3.2, eq. 6 to 11."""

    def __init__(self, config: LexicalChainConfig) -> None:
        """Create the network and the attention that finds the translation of a chain."""
        super().__init__(2 * config.width, config)
        self.alignment = SoftAlignment(config.width)

    def forward(self, source: Tensor, chains: Chains, states: Tensor, sentences: Segments) -> Gaussian:
        """Return the posterior of each chain; `states` are the decoder's states H, `sentences` their runs."""
        members = source.index_select(0, chains.tokens)
        translations = self.alignment(members, chains, states, sentences)
        # Eq. 10: maxP of the members of a chain, and of their translations.
        return super().forward(torch.cat((max_pool(members, chains), max_pool(translations, chains)), dim=-1))


def max_pool(members: Tensor, chains: Chains) -> Tensor:
    """Return the maximum over the members of each chain, feature by feature (maxP). Paper: section 3.2, eq. 10."""
    # segment_reduce refuses an empty list of segments.
    if not chains.runs.runs:
        return members
    # Where it is not told that lengths are right (`unsafe`), segment_reduce reads them back from the device.
    lengths = torch.diff(chains.runs.offsets).long()
    return torch.segment_reduce(members, "max", lengths=lengths, axis=0, unsafe=True)
