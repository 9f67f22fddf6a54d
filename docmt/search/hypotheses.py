"""The state of a beam search as tensors: hypotheses that are still extended, and finished hypotheses.

Axes: B instances, K hypotheses of each instance (the beam), W candidates, V target vocabulary. No function loops over
single hypotheses, so that the bookkeeping of a step is a handful of kernels for any batch size.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from docmt.base.vocabulary import UNK

DEAD = -math.inf
"""The score of a slot of the beam without a hypothesis."""


@dataclass
class Candidates:
    """Continuations of hypotheses, best first, in three tensors (B, W).

    `scores`: the sums of log-probabilities (nats); `origins`: the slot of the continued hypothesis; `tokens`: the
    output.
    """

    scores: Tensor
    origins: Tensor
    tokens: Tensor

    def take(self, order: Tensor) -> "Candidates":
        """Return the candidates at the indices `order` (B, any)."""
        return Candidates(self.scores.gather(1, order), self.origins.gather(1, order), self.tokens.gather(1, order))


@dataclass
class Hypotheses:
    """The hypotheses that are still extended: outputs `tokens` (B, K, capacity), of which `length` are written.

    `scores` (B, K) are sums of log-probabilities in float64; `sentence` (B, K) is the number of the sentence that is
    being written, and `words` (B, K) the number of its words so far.
    """

    tokens: Tensor
    scores: Tensor
    sentence: Tensor
    words: Tensor
    length: int = 0

    @classmethod
    def start(cls, instances: int, beam: int, capacity: int, device: torch.device) -> "Hypotheses":
        """Return the start of a search: one empty hypothesis per instance.

        The other K - 1 slots are dead: K equal hypotheses would give the same candidates K times.
        """
        scores = torch.full((instances, beam), DEAD, dtype=torch.float64, device=device)
        scores[:, 0] = 0
        zeros = torch.zeros(instances, beam, dtype=torch.long, device=device)
        return cls(zeros.new_zeros(instances, beam, capacity), scores, zeros, zeros.clone())

    @property
    def last(self) -> Tensor:
        """The last outputs (B, K)."""
        return self.tokens[..., self.length - 1]

    def extend(self, chosen: Candidates, separator: int) -> None:
        """Replace the hypotheses by K of their continuations; `separator` is the output that ends a sentence."""
        # A dead slot is continued with `<unk>`: a special symbol would advance the model to the next sentence.
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
        """Remove all instances but those with these numbers in the batch."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.sentence, self.words = self.sentence[instances], self.words[instances]


@dataclass
class Finished:
    """Finished hypotheses: outputs `tokens` (B, K, capacity) with the last symbol, and `scores` and `lengths` (B, K).

    `count` (B) is the number of finished hypotheses of each instance.
    """

    tokens: Tensor
    scores: Tensor
    lengths: Tensor
    count: Tensor

    @classmethod
    def start(cls, growing: Hypotheses) -> "Finished":
        """Return the empty state for these hypotheses."""
        scores = torch.full_like(growing.scores, DEAD)
        lengths = torch.zeros_like(growing.words)
        return cls(torch.zeros_like(growing.tokens), scores, lengths, lengths[:, 0].clone())

    def add(self, growing: Hypotheses, candidates: Candidates, finishing: Tensor) -> None:
        """Add those of the K best candidates that end their hypothesis, until an instance has K finished hypotheses.

        `finishing` (B, W): whether a candidate ends its hypothesis.
        """
        beam = self.scores.shape[1]
        ends = finishing[:, :beam] & (candidates.scores[:, :beam] > DEAD)
        # Candidates are best first: each one that ends gets the next free slot, and those beyond the last are dropped.
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
        """Remove all instances but those with these numbers in the batch."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.lengths, self.count = self.lengths[instances], self.count[instances]

    def complete(self, growing: Hypotheses) -> Tensor:
        """Return which instances (B) are done: K hypotheses are finished, or no hypothesis can be extended."""
        return (self.count == self.scores.shape[1]) | (growing.scores == DEAD).all(1)

    def outputs(self, instances: Tensor) -> list[list[tuple[float, list[int]]]]:
        """Return the scores and outputs of the finished hypotheses of each of `instances`, in order of their end."""
        counts = self.count[instances].tolist()
        scores, lengths = self.scores[instances].tolist(), self.lengths[instances].tolist()
        tokens = self.tokens[instances].tolist()
        return [
            [(scores[i][slot], tokens[i][slot][: lengths[i][slot]]) for slot in range(count)]
            for i, count in enumerate(counts)
        ]
