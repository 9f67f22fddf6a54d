"""How far the source word of a target word is from that of the target word before: the transitions of the HMM."""

from dataclasses import dataclass

import numpy as np

FARTHEST = 100
"""Words; whatever is farther counts as so far."""

SIZE = 2 * FARTHEST + 1
"""How many jumps there are, from -FARTHEST to FARTHEST."""

PRIOR = 100.0
"""Jumps that a Dirichlet prior adds to those that are counted, distributed as before training."""


KEPT = 0.3
"""Share of the jumps' probabilities that stays as it was before all training; Och and Ney (CL 29, 2003) smooth theirs
with even ones. Else training loses what jumps rarely, such as a place that is named first here and last there."""


@dataclass(frozen=True)
class Jumps:
    """`probabilities`: of jumps from -FARTHEST to FARTHEST, (SIZE,).

    A position is the place, from 1, of the source word that was linked last; 0 while none was. The probability of a
    jump is the same wherever it starts, so that a sentence's own do not sum to one, as in Östling and Tiedemann (2016).
    """

    probabilities: np.ndarray

    @classmethod
    def at_first(cls) -> "Jumps":
        """Before training: the likelier the nearer to the next word. From even ones training goes astray where short
        sentences without an equivalent of a common word (subtitles without stops) outnumber long ones with it."""
        weights = 1 / (1 + np.abs(np.arange(-FARTHEST, FARTHEST + 1) - 1))
        return cls(weights / weights.sum())

    def trained(self, counts: np.ndarray) -> "Jumps":
        """By expected numbers of jumps, these probabilities being their prior."""
        learnt = (counts + PRIOR * self.probabilities) / (counts.sum() + PRIOR)
        return Jumps(KEPT * self.at_first().probabilities + (1 - KEPT) * learnt)

    def between(self, positions: int) -> np.ndarray:
        """From each position to each, (positions, positions)."""
        return self.probabilities[_jumps(positions)]

    def to_the_end(self, lengths: np.ndarray, positions: int) -> np.ndarray:
        """From each position behind the last word of sentences of such `lengths` (B,): (B, positions)."""
        return self.probabilities[_jumps_to_the_end(lengths, positions)]


def counted(moves: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Expected numbers of jumps from those between positions, (P, P), and those to the ends of sentences, (B, P)."""
    between = np.bincount(_jumps(len(moves)).ravel(), moves.ravel(), SIZE)
    return between + np.bincount(_jumps_to_the_end(lengths, len(moves)).ravel(), ends.ravel(), SIZE)


def _jumps(positions: int) -> np.ndarray:
    places = np.arange(positions)
    return np.clip(places - places[:, None], -FARTHEST, FARTHEST) + FARTHEST


def _jumps_to_the_end(lengths: np.ndarray, positions: int) -> np.ndarray:
    return np.clip(lengths[:, None] + 1 - np.arange(positions), -FARTHEST, FARTHEST) + FARTHEST
