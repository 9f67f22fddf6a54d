"""Posterior probabilities of links: IBM Model 1, and the hidden Markov model by the forward-backward algorithm.

Papers: Brown et al.: The Mathematics of Statistical Machine Translation, CL 19 (1993), Model 1. Vogel, Ney, Tillmann:
HMM-Based Word Alignment in Statistical Translation, COLING 1996. Och and Ney: A Systematic Comparison of Various
Statistical Alignment Models, CL 29 (2003), section 3.4: a word without a link keeps the position of the one before.

Shapes are those of one direction, in which target words link to source words; the other is the same with axes swapped.
How far the source word of a target word is from that of the target word before is a jump: the transitions of the HMM.
Products of matrices are by einsum: BLAS rounds long sentences differently with another number of threads.
"""

from dataclasses import dataclass

import numpy as np

NO_LINK = 0.2
"""p0: that a word has no link, before the words are looked at (their null prior)."""

FARTHEST = 100
"""Words; whatever is farther counts as so far."""

JUMP_COUNT = 2 * FARTHEST + 1
"""How many jumps there are, from -FARTHEST to FARTHEST."""

PRIOR = 100.0
"""Jumps that a Dirichlet prior adds to those that are counted, distributed as before training."""

INITIAL_SHARE = 0.3
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
        return Jumps(INITIAL_SHARE * self.at_first().probabilities + (1 - INITIAL_SHARE) * learnt)

    def between(self, positions: int) -> np.ndarray:
        """From each position to each, (positions, positions)."""
        return self.probabilities[_jumps(positions)]

    def to_the_end(self, lengths: np.ndarray, positions: int) -> np.ndarray:
        """From each position behind the last word of sentences of such `lengths` (B,): (B, positions)."""
        return self.probabilities[_jumps_to_the_end(lengths, positions)]


def jump_counts(moves: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Expected numbers of jumps from those between positions, (P, P), and those to the ends of sentences, (B, P)."""
    between = np.bincount(_jumps(len(moves)).ravel(), moves.ravel(), JUMP_COUNT)
    return between + np.bincount(_jumps_to_the_end(lengths, len(moves)).ravel(), ends.ravel(), JUMP_COUNT)


def _jumps(positions: int) -> np.ndarray:
    places = np.arange(positions)
    return np.clip(places - places[:, None], -FARTHEST, FARTHEST) + FARTHEST


def _jumps_to_the_end(lengths: np.ndarray, positions: int) -> np.ndarray:
    return np.clip(lengths[:, None] + 1 - np.arange(positions), -FARTHEST, FARTHEST) + FARTHEST


def ibm_model_1(
    scores: np.ndarray, unlinked: np.ndarray, lengths: np.ndarray, jumps: Jumps | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Of each link, (B, J, I), and the expected numbers of jumps, which are none: the model knows nothing of places.

    `scores`: p(target word | source word), (B, J, I), 0 on padding; `unlinked`: p(target word | no link), (B, J);
    `lengths`: of the source sentences, (B,).
    """
    linked = scores * ((1 - NO_LINK) / lengths)[:, None, None]
    return linked / (linked.sum(axis=2) + NO_LINK * unlinked)[:, :, None], np.zeros(JUMP_COUNT)


def hidden_markov(
    scores: np.ndarray, unlinked: np.ndarray, lengths: np.ndarray, jumps: Jumps
) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of each link by a hidden Markov model, (B, J, I), and the expected number of each jump.

    The arguments are those of `ibm_model_1`. `unlinked` is 1 / p0 on padding, so that the steps after the end of a
    sentence change nothing.
    """
    linking = np.zeros((scores.shape[1], scores.shape[0], scores.shape[2] + 1))
    np.multiply(scores.transpose(1, 0, 2), 1 - NO_LINK, out=linking[:, :, 1:])
    staying = NO_LINK * unlinked.T[:, :, None]
    moves = jumps.between(linking.shape[2])
    linked, reached, totals = _forward(linking, staying, moves)
    ends = jumps.to_the_end(lengths, linking.shape[2])
    ends = ends / (reached[-1] * ends).sum(axis=1, keepdims=True)
    numbers = _backward(linked, reached, totals, linking, staying, moves, ends)
    return linked[1:, :, 1:].transpose(1, 0, 2), jump_counts(numbers, reached[-1] * ends, lengths)


def _forward(linking: np.ndarray, staying: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """After each target word, from that before the first on: the probabilities of its link and of the position, given
    all words up to it, (J + 1, B, I + 1) each; and those of the word given all before it, (J + 1, B, 1)."""
    steps, count, positions = linking.shape
    linked, reached = np.zeros((2, steps + 1, count, positions))
    totals = np.ones((steps + 1, count, 1))
    reached[0, :, 0] = 1
    for j in range(1, steps + 1):
        onto = np.einsum("bp,pq->bq", reached[j - 1], moves) * linking[j - 1]
        here = onto + reached[j - 1] * staying[j - 1]
        totals[j] = here.sum(axis=1, keepdims=True)
        np.divide(onto, totals[j], out=linked[j])
        np.divide(here, totals[j], out=reached[j])
    return linked, reached, totals


def _backward(
    linked: np.ndarray,
    reached: np.ndarray,
    totals: np.ndarray,
    linking: np.ndarray,
    staying: np.ndarray,
    moves: np.ndarray,
    ends: np.ndarray,
) -> np.ndarray:
    """Make `linked` posteriors, given all words, in place; gives the expected moves between positions.

    `ends`: how likely what follows the last word is, from each position, (B, I + 1).
    """
    numbers = np.zeros_like(moves)
    for j in range(len(linking), 0, -1):
        linked[j] *= ends
        ends = ends / totals[j]
        onto = linking[j - 1] * ends
        numbers += np.einsum("bp,bq->pq", reached[j - 1], onto)
        ends = np.einsum("bq,pq->bp", onto, moves) + staying[j - 1] * ends
    return numbers * moves
