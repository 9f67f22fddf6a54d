"""Attention of the words of lexical chains: among themselves, and to their translations."""

import math

import torch
from torch import nn

from docmt.nn.attention import attend, attention_weights
from docmt.nn.chains import Chains
from docmt.nn.multihead import RunAttention
from docmt.nn.segments import Segments
from docmt.nn.shapes import MemberStates, Queries, RunWeights, States


class ChainAttention(RunAttention):
    """Multi-head attention inside each chain; no positions, so that a chain is a set.

    Paper: lexical chains (Lyu et al. 2022), section 3.1, eq. 4, MultiHead(D_c, D_c, D_c).
    """

    def forward(self, members: MemberStates, chains: Chains) -> MemberStates:
        """`members`: the states of all chains' members, chain after chain."""
        return super().forward(members, chains.runs)


class SoftAlignment(nn.Module):
    """Where the translation of each member of a chain stands in the target, found by attention.

    Paper: lexical chains, section 3.2, eq. 8: Softmax(g W_s H^T) H over the states H of the member's own sentence.
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
