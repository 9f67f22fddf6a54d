"""Jumps beyond the farthest that is told apart; the posteriors themselves are in test_training.py, against loops."""

import numpy as np
import pytest

from docmt.scoring.alignment.posteriors import FARTHEST, JUMP_COUNT, Jumps


@pytest.fixture
def jumps() -> Jumps:
    values = np.random.default_rng(2).random(JUMP_COUNT)
    return Jumps(values / values.sum())


def test_what_is_farther_counts_as_farthest(jumps):
    """From the first and the last of 150 positions, and to behind the end."""
    values = jumps.probabilities
    between = jumps.between(150)
    assert between[0, [1, FARTHEST, 149]].tolist() == values[[FARTHEST + 1, -1, -1]].tolist()
    assert between[149, [149, 49, 0]].tolist() == values[[FARTHEST, 0, 0]].tolist()
    assert jumps.to_the_end(np.array([149, 3]), 150)[:, 0].tolist() == values[[-1, FARTHEST + 4]].tolist()
