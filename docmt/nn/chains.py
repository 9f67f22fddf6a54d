"""Lexical chains over a packed source stream: the places of a word that a document repeats."""

from dataclasses import dataclass

import numpy as np
import torch

from docmt.base.runs import places, spans, starts
from docmt.nn.segments import Segments
from docmt.nn.shapes import Int, Numbers, Tensor


@dataclass(frozen=True, eq=False)
class RowChains:
    """The chains of instances as flat arrays, as stage 4 has them."""

    members: np.ndarray
    """Chain after chain, each member's number among the source words of its instance."""
    lengths: np.ndarray
    """Members of each chain."""
    counts: np.ndarray
    """Chains of each instance."""

    def take(self, indices: np.ndarray) -> "RowChains":
        """The chains of the instances `indices`, in that order."""
        chains = spans(starts(self.counts)[indices], self.counts[indices])
        members = spans(starts(self.lengths)[chains], self.lengths[chains])
        return RowChains(self.members[members], self.lengths[chains], self.counts[indices])

    def words(self, source_words: np.ndarray) -> np.ndarray:
        """Each member's number among the source words of all instances, which have so many each."""
        instance = np.repeat(np.repeat(np.arange(len(self.counts)), self.counts), self.lengths)
        return self.members + starts(source_words)[instance]


@dataclass(frozen=True, eq=False)
class Chains:
    """The chains of a stream; a token belongs to one at most.

    Paper: lexical chains (Lyu et al. 2022), section 3: S_j = (a_k, b_k), k = 1..K.
    """

    tokens: Numbers
    """Chain after chain, the place of each member in the stream."""
    runs: Segments
    """The chains as runs of `tokens`."""
    relevant: Int[Tensor, "_ _"]
    """Numbers of the chains that have a member in each sentence; the number of all chains fills the rest of a row."""

    order: Numbers
    """The members in the order of their sentences."""
    sentences: Segments
    """The members of each sentence as runs of `order`."""

    def to(self, device: torch.device | str) -> "Chains":
        return Chains(
            *(part.to(device) for part in (self.tokens, self.runs, self.relevant, self.order, self.sentences))
        )


def chains_of(rows: RowChains, members: np.ndarray, sentence_lengths: np.ndarray) -> Chains:
    """`members`: the place of each in the stream; `sentence_lengths`: tokens of each sentence of the stream."""
    count, sentences = len(rows.lengths), len(sentence_lengths)
    sentence = np.searchsorted(np.cumsum(sentence_lengths), members, side="right")
    pairs = np.unique(np.stack((sentence, np.repeat(np.arange(count), rows.lengths))), axis=1)
    met = np.bincount(pairs[0], minlength=sentences)
    relevant = np.full((sentences, met.max(initial=0)), count)
    relevant[pairs[0], places(met)] = pairs[1]
    order = np.argsort(sentence, kind="stable")
    return Chains(
        torch.from_numpy(members),
        Segments.from_lengths(rows.lengths.tolist()),
        torch.from_numpy(relevant),
        torch.from_numpy(order),
        Segments.from_lengths(np.bincount(sentence, minlength=sentences).tolist()),
    )
