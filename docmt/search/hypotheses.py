"""The state of a beam search as tensors: hypotheses that still grow, and those that are finished.

Axes: B instances, K hypotheses of each (the beam), W candidates, V target vocabulary. Nothing here walks over single
hypotheses, so the bookkeeping of a step is a handful of kernels whatever the size of the batch.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from docmt.base.vocabulary import UNK

DEAD = -math.inf
"""Score of a slot of the beam that holds no hypothesis."""


@dataclass
class Candidates:
    """Continuations, best first: summed log-probability, slot of the hypothesis continued, output; all (B, W)."""

    scores: Tensor
    origins: Tensor
    tokens: Tensor

    def take(self, order: Tensor) -> "Candidates":
        return Candidates(self.scores.gather(1, order), self.origins.gather(1, order), self.tokens.gather(1, order))


@dataclass
class Hypotheses:
    """What still grows: outputs (B, K, capacity), of which `length` are written, and where each hypothesis stands.

    `scores` are sums of log-probabilities in float64; `sentence` is the number of the sentence being written and
    `words` the number of its words so far.
    """

    tokens: Tensor
    scores: Tensor
    sentence: Tensor
    words: Tensor
    length: int = 0

    @classmethod
    def start(cls, instances: int, beam: int, capacity: int, device: torch.device) -> "Hypotheses":
        """One empty hypothesis an instance: equal ones would give the same candidates K times."""
        scores = torch.full((instances, beam), DEAD, dtype=torch.float64, device=device)
        scores[:, 0] = 0
        zeros = torch.zeros(instances, beam, dtype=torch.long, device=device)
        return cls(zeros.new_zeros(instances, beam, capacity), scores, zeros, zeros.clone())

    @property
    def last(self) -> Tensor:
        """The outputs (B, K) written last."""
        return self.tokens[..., self.length - 1]

    def extend(self, chosen: Candidates, separator: int) -> None:
        """Replace the hypotheses by K continuations of them."""
        # A dead slot goes on with a harmless token: a special symbol there would move the model's sentence on.
        tokens = chosen.tokens.masked_fill(chosen.scores == DEAD, UNK)
        past = chosen.origins[..., None].expand(-1, -1, self.length)
        self.tokens[..., : self.length] = self.tokens[..., : self.length].gather(1, past)
        self.tokens[..., self.length] = tokens
        self.length += 1
        self.scores = chosen.scores
        ended = tokens == separator
        self.sentence = self.sentence.gather(1, chosen.origins) + ended
        self.words = (self.words.gather(1, chosen.origins) + 1).masked_fill(ended, 0)

    def keep(self, instances: Tensor) -> None:
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.sentence, self.words = self.sentence[instances], self.words[instances]


@dataclass
class Finished:
    """What has ended: outputs (B, K, capacity) with their last symbol, scores and lengths (B, K), how many (B)."""

    tokens: Tensor
    scores: Tensor
    lengths: Tensor
    count: Tensor

    @classmethod
    def start(cls, growing: Hypotheses) -> "Finished":
        scores = torch.full_like(growing.scores, DEAD)
        lengths = torch.zeros_like(growing.words)
        return cls(torch.zeros_like(growing.tokens), scores, lengths, lengths[:, 0].clone())

    def add(self, growing: Hypotheses, candidates: Candidates, finishing: Tensor) -> None:
        """Take in those of the K best candidates that end, until there are K."""
        beam = self.scores.shape[1]
        ends = finishing[:, :beam] & (candidates.scores[:, :beam] > DEAD)
        slots = self.count[:, None] + ends.cumsum(1) - 1
        ends = ends & (slots < beam)
        rows, ranks = ends.nonzero(as_tuple=True)
        slots, origins, length = slots[rows, ranks], candidates.origins[rows, ranks], growing.length
        self.tokens[rows, slots, :length] = growing.tokens[rows, origins, :length]
        self.tokens[rows, slots, length] = candidates.tokens[rows, ranks]
        self.scores[rows, slots] = candidates.scores[rows, ranks]
        self.lengths[rows, slots] = length + 1
        self.count = self.count + ends.sum(1)

    def keep(self, instances: Tensor) -> None:
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.lengths, self.count = self.lengths[instances], self.count[instances]

    def complete(self, growing: Hypotheses) -> Tensor:
        """Instances (B) that are done: K hypotheses have ended, or none is left that could."""
        return (self.count == self.scores.shape[1]) | (growing.scores == DEAD).all(1)

    def outputs(self, instances: Tensor) -> list[list[tuple[float, list[int]]]]:
        """Score and outputs of what has ended, for each of `instances`."""
        counts = self.count[instances].tolist()
        scores, lengths = self.scores[instances].tolist(), self.lengths[instances].tolist()
        tokens = self.tokens[instances].tolist()
        return [
            [(scores[i][slot], tokens[i][slot][: lengths[i][slot]]) for slot in range(count)]
            for i, count in enumerate(counts)
        ]
