"""Posterior probabilities of links by IBM Model 1, and by a hidden Markov model (forward-backward algorithm).

Papers: Brown et al.: The Mathematics of Statistical Machine Translation, CL 19 (1993), Model 1. Vogel, Ney, Tillmann:
HMM-Based Word Alignment in Statistical Translation, COLING 1996. Och and Ney: A Systematic Comparison of Various
Statistical Alignment Models, CL 29 (2003), section 3.4: a word without a link keeps the position of the word before it.

Docstrings describe the forward direction, in which target words link to source words; the caller swaps the sides for
the backward direction. The transitions of the hidden Markov model are jumps: the distance from the source word of the
last linked target word to the source word of the next linked target word. Products of matrices are computed by einsum,
since BLAS rounds long sentences differently with a different number of threads.
"""

from dataclasses import dataclass

import numpy as np

NO_LINK = 0.2  # The prior probability p0 that a word has no link (the null prior of Östling and Tiedemann)

FARTHEST = 100  # The largest distance of a jump, in words; longer jumps count as jumps of this distance

JUMP_COUNT = 2 * FARTHEST + 1  # The number of different jumps, from -FARTHEST to FARTHEST

PRIOR = 100.0  # The number of jumps that a Dirichlet prior adds to the counted jumps, distributed as before training

INITIAL_SHARE = 0.3
"""The weight of the probabilities before training in the trained probabilities of jumps.

Without this weight, training would lose rare jumps, such as the jump to a place name that is the first word of a
sentence and the last word of its translation. Och and Ney (CL 29, 2003) smooth with even probabilities instead.
"""


@dataclass(frozen=True)
class Jumps:
    """The probabilities of jumps from -FARTHEST to FARTHEST, (JUMP_COUNT,).

    A jump leads from a position to another one. A position is the place, from 1, of the source word that was linked
    last, or 0 before the first link. As in Östling and Tiedemann (2016), the probability of a jump does not depend on
    its start, so the probabilities of the jumps that are possible in a sentence do not sum to 1.
    """

    probabilities: np.ndarray

    @classmethod
    def at_first(cls) -> "Jumps":
        """Return the probabilities before training, highest for the jump to the next word and lowest for far jumps."""
        # Training from even probabilities would end in a bad optimum where many short sentences lack the translation
        # of a common word that long sentences have (subtitles without full stops).
        weights = 1 / (1 + np.abs(np.arange(-FARTHEST, FARTHEST + 1) - 1))
        return cls(weights / weights.sum())

    def trained(self, counts: np.ndarray) -> "Jumps":
        """Return the probabilities after a round; `counts` has the expected number of each jump, (JUMP_COUNT,)."""
        # The Dirichlet prior has the present probabilities.
        learnt = (counts + PRIOR * self.probabilities) / (counts.sum() + PRIOR)
        return Jumps(INITIAL_SHARE * self.at_first().probabilities + (1 - INITIAL_SHARE) * learnt)

    def between(self, positions: int) -> np.ndarray:
        """Return the probabilities of jumps from each position to each position, (positions, positions)."""
        return self.probabilities[_jumps(positions)]

    def to_the_end(self, lengths: np.ndarray, positions: int) -> np.ndarray:
        """Return the probabilities of jumps from each position to the place after the last source word, (B, positions).

        `lengths` has the number of words of each source sentence, (B,).
        """
        return self.probabilities[_jumps_to_the_end(lengths, positions)]


def jump_counts(moves: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the expected number of each jump, (JUMP_COUNT,).

    `moves` has the expected numbers of moves from each position to each position, (P, P). `ends` has the expected
    numbers of moves from each position to the end of each sentence, (B, P). `lengths` has the number of words of each
    source sentence, (B,).
    """
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
    """Return the posterior of each link by IBM Model 1, (B, J, I), and the expected number of each jump.

    `scores` are p(target word | source word), (B, J, I), 0 on padding. `unlinked` are p(target word | no link), (B, J).
    `lengths` has the number of words of each source sentence, (B,).
    """
    # p(link) = p(target word, given the source word) (1 - NO_LINK) / I, divided by the sum over all links of the word
    # and no link.
    linked = scores * ((1 - NO_LINK) / lengths)[:, None, None]
    # The model ignores the places of words, so `jumps` is not used, and all numbers of jumps are 0.
    return linked / (linked.sum(axis=2) + NO_LINK * unlinked)[:, :, None], np.zeros(JUMP_COUNT)


def hidden_markov(
    scores: np.ndarray, unlinked: np.ndarray, lengths: np.ndarray, jumps: Jumps
) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior of each link by a hidden Markov model, (B, J, I), and the expected number of each jump.

    `scores`, `unlinked` and `lengths` have the same meaning as for `ibm_model_1`, but `unlinked` is 1 / NO_LINK on
    padding, so that the steps after the end of a sentence change nothing. `jumps` has the probabilities of jumps.
    """
    # Target words are the first axis, since the passes go from word to word. No word links to position 0.
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
    """Run the forward algorithm; return three arrays, with index j for target word j and 0 before the first word.

    The first array has the probability that word j links to each position, and the second array the probability that
    the position after word j is this position; both are given the words 1 to j, (J + 1, B, I + 1). The third array has
    the probability of word j given all words before it, (J + 1, B, 1).
    """
    steps, count, positions = linking.shape
    linked, reached = np.zeros((2, steps + 1, count, positions))
    totals = np.ones((steps + 1, count, 1))
    reached[0, :, 0] = 1
    for j in range(1, steps + 1):
        # A link to position q: the sum over p of reached(p) move(p, q), times p(target word j, given source word q).
        onto = np.einsum("bp,pq->bq", reached[j - 1], moves) * linking[j - 1]
        here = onto + reached[j - 1] * staying[j - 1]
        # Dividing by the sum at each word keeps the probabilities of long sentences from underflow.
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
    """Run the backward algorithm: turn `linked` into posteriors given all words, in place.

    `linked`, `reached` and `totals` are the results of `_forward`. `ends` has the probability of the end of the
    sentence from each position, divided by the probability of the end given all words, (B, I + 1). The result has the
    expected numbers of moves from each position to each position, (I + 1, I + 1).
    """
    numbers = np.zeros_like(moves)
    for j in range(len(linking), 0, -1):
        linked[j] *= ends
        # The scale is that of the forward algorithm, so that the product of both results is a probability.
        ends = ends / totals[j]
        onto = linking[j - 1] * ends
        numbers += np.einsum("bp,bq->pq", reached[j - 1], onto)
        ends = np.einsum("bq,pq->bp", onto, moves) + staying[j - 1] * ends
    return numbers * moves
