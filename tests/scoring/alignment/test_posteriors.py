"""Posteriors of links against the sum over all alignments of tiny sentences."""

import numpy as np
import pytest
from helpers import alignment_oracle

from docmt.scoring.alignment.posteriors import FARTHEST, JUMP_COUNT, NO_LINK, Jumps, hidden_markov, ibm_model_1

LENGTHS = [(3, 4), (1, 1), (2, 1), (1, 4), (3, 2)]
"""Source and target words of the sentence pairs of a batch."""


@pytest.fixture
def batch() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random p(target word | source word), p(target word | no link), with what they are on padding; source lengths."""
    draw = np.random.default_rng(1)
    scores, alone = draw.random((len(LENGTHS), 4, 3)), draw.random((len(LENGTHS), 4))
    for pair, (sources, targets) in enumerate(LENGTHS):
        scores[pair, targets:] = scores[pair, :, sources:] = 0
        alone[pair, targets:] = 1 / NO_LINK
    return scores, alone, np.array([sources for sources, _ in LENGTHS])


@pytest.fixture
def jumps() -> Jumps:
    values = np.random.default_rng(2).random(JUMP_COUNT)
    return Jumps(values / values.sum())


def cut(array: np.ndarray, pair: int) -> list:
    sources, targets = LENGTHS[pair]
    return array[pair, :targets, :sources].tolist() if array.ndim == 3 else array[pair, :targets].tolist()


def test_ibm_model_1(batch):
    posteriors, _ = ibm_model_1(*batch)
    for pair in range(len(LENGTHS)):
        expected = alignment_oracle.ibm_model_1(cut(batch[0], pair), cut(batch[1], pair))
        np.testing.assert_allclose(cut(posteriors, pair), expected)
    assert np.all(posteriors[batch[0] == 0] == 0)


def test_hidden_markov(batch, jumps):
    posteriors, moves = hidden_markov(*batch, jumps)
    total = np.zeros(JUMP_COUNT)
    for pair in range(len(LENGTHS)):
        scores, alone = cut(batch[0], pair), cut(batch[1], pair)
        expected, expected_moves = alignment_oracle.hidden_markov(
            scores, alone, lambda jump: jumps.probabilities[jump + FARTHEST]
        )
        np.testing.assert_allclose(cut(posteriors, pair), expected)
        for jump, number in expected_moves.items():
            total[jump + FARTHEST] += number
    assert np.all(posteriors[batch[0] == 0] == 0)
    np.testing.assert_allclose(moves, total, atol=1e-12)


def test_what_is_farther_counts_as_farthest(jumps):
    """From the first and the last of 150 positions, and to behind the end."""
    values = jumps.probabilities
    between = jumps.between(150)
    assert between[0, [1, FARTHEST, 149]].tolist() == values[[FARTHEST + 1, -1, -1]].tolist()
    assert between[149, [149, 49, 0]].tolist() == values[[FARTHEST, 0, 0]].tolist()
    assert jumps.to_the_end(np.array([149, 3]), 150)[:, 0].tolist() == values[[-1, FARTHEST + 4]].tolist()


def test_jumps_are_trained_towards_what_is_counted():
    first = Jumps.at_first()
    counts = np.zeros(JUMP_COUNT)
    counts[FARTHEST + 2] = 1e9
    for jumps in (first, first.trained(counts)):
        assert jumps.probabilities.sum() == pytest.approx(1)
    assert first.probabilities.argmax() == FARTHEST + 1, "to the next word"
    assert first.trained(counts).probabilities.argmax() == FARTHEST + 2
    np.testing.assert_allclose(first.trained(np.zeros(JUMP_COUNT)).probabilities, first.probabilities)
