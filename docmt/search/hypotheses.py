"""The state of a beam search as tensors: hypotheses that are still extended, and finished hypotheses.

Axes: B instances, K hypotheses of each instance (the beam), W candidates, V target vocabulary. A loop over hypotheses
only collects the outputs of instances that are done. All other functions work on whole tensors, so that a step of the
search starts a small, fixed number of GPU kernels for any batch size.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from docmt.base.vocabulary import UNK
from docmt.nn.device import none_known

DEAD = -math.inf
"""The score of a slot of the beam without a hypothesis."""


@dataclass
class Candidates:
    """Continuations of hypotheses, best first, in three tensors (B, W).

    `scores` are the sums of log-probabilities (nats), `origins` the slots of the hypotheses that are continued, and
    `tokens` the new outputs.
    """

    scores: Tensor
    origins: Tensor
    tokens: Tensor

    def take(self, order: Tensor) -> "Candidates":
        """Return the candidates at the indices `order` (B, any)."""
        return Candidates(self.scores.gather(1, order), self.origins.gather(1, order), self.tokens.gather(1, order))


@dataclass
class Hypotheses:
    """The hypotheses that are still extended.

    `tokens` (B, K, capacity) has the outputs; the first `length` outputs are filled. `scores` (B, K) are sums of
    log-probabilities in float64. `sentence` (B, K) is the number of the sentence that is being written, and `words`
    (B, K) is the number of outputs of this sentence so far.
    """

    tokens: Tensor
    scores: Tensor
    sentence: Tensor
    words: Tensor
    length: int = 0

    @classmethod
    def start(cls, instances: int, beam: int, capacity: int, device: torch.device) -> "Hypotheses":
        """Return the start of a search: one empty hypothesis for each instance.

        The other K - 1 slots have no hypothesis, since K equal hypotheses would give the same candidates K times.
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
        """Replace the hypotheses by K of their continuations.

        The next sentence begins after the output `separator`.
        """
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
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.sentence, self.words = self.sentence[instances], self.words[instances]


@dataclass
class Finished:
    """The finished hypotheses, in K slots of each instance and one slot more, which takes what is not finished.

    `tokens` (B, K + 1, capacity) has the outputs with the symbol that ends the hypothesis, and `lengths` (B, K + 1)
    their number. `scores` (B, K + 1) are sums of log-probabilities. `count` (B) is the number of finished hypotheses of
    each instance, which are in its first slots.
    """

    tokens: Tensor
    scores: Tensor
    lengths: Tensor
    count: Tensor

    @classmethod
    def start(cls, growing: Hypotheses) -> "Finished":
        """Return the state without finished hypotheses, for the hypotheses `growing` of a search."""
        instances, beam, capacity = growing.tokens.shape
        tokens = growing.tokens.new_zeros(instances, beam + 1, capacity)
        scores = growing.scores.new_full((instances, beam + 1), DEAD)
        return cls(tokens, scores, tokens.new_zeros(instances, beam + 1), tokens.new_zeros(instances))

    @property
    def beam(self) -> int:
        """The number K of hypotheses of each instance."""
        return self.scores.shape[1] - 1

    def add(self, growing: Hypotheses, candidates: Candidates, finishing: Tensor) -> None:
        """Add the candidates among the K best that end their hypothesis, up to K finished hypotheses for each instance.

        `finishing` (B, W) is true for a candidate that ends its hypothesis.
        """
        beam, length = self.beam, growing.length
        ends = finishing[:, :beam] & (candidates.scores[:, :beam] > DEAD)
        if none_known(ends):
            return
        # Candidates are best first: a candidate that ends gets the next free slot, and is dropped where none is free.
        slots = self.count[:, None] + ends.cumsum(1) - 1
        ends = ends & (slots < beam)
        # Candidates that do not end are written too, into the last slot: to leave them out, the host would have to know
        # which ones end, and wait for the device.
        slots = slots.masked_fill(~ends, beam)
        past, slots_of_past = (x[..., None].expand(-1, -1, length) for x in (candidates.origins[:, :beam], slots))
        self.tokens[..., :length].scatter_(1, slots_of_past, growing.tokens[..., :length].gather(1, past))
        self.tokens[..., length].scatter_(1, slots, candidates.tokens[:, :beam])
        self.scores.scatter_(1, slots, candidates.scores[:, :beam])
        self.lengths.scatter_(1, slots, length + 1)
        self.count = self.count + ends.sum(1)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.tokens, self.scores = self.tokens[instances], self.scores[instances]
        self.lengths, self.count = self.lengths[instances], self.count[instances]

    def complete(self, growing: Hypotheses) -> Tensor:
        """Return which instances (B) are done, since K hypotheses are finished or no hypothesis can be extended."""
        return (self.count == self.beam) | (growing.scores == DEAD).all(1)

    def outputs(self, instances: Tensor) -> list[list[tuple[float, list[int]]]]:
        """Return the scores and the outputs of the finished hypotheses of `instances`, in the order of their ends."""
        counts = self.count[instances].tolist()
        scores, lengths = self.scores[instances].tolist(), self.lengths[instances].tolist()
        tokens = self.tokens[instances].tolist()
        return [
            [(scores[i][slot], tokens[i][slot][: lengths[i][slot]]) for slot in range(count)]
            for i, count in enumerate(counts)
        ]
