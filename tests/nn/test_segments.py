import numpy as np
import pytest

from docmt.nn.segments import Segments, padded_indices


def test_each_token_knows_its_run_and_its_place_in_it():
    segments = Segments.from_lengths([2, 0, 3])
    assert segments.ids().tolist() == [0, 0, 2, 2, 2]
    assert segments.positions.tolist() == [0, 1, 0, 1, 2]


@pytest.mark.parametrize("lengths", [[], [0], [0, 0]])
def test_empty_streams_are_allowed(lengths):
    segments = Segments.from_lengths(lengths)
    assert segments.tokens == segments.longest == 0
    assert segments.ids().tolist() == segments.positions.tolist() == []


def test_runs_are_padded_at_their_right():
    tokens, real = padded_indices(np.array([2, 0, 3]), runs=np.array([2, 0, 1]), widths=np.array([4, 2, 1]))
    assert real.tolist() == [True, True, True, False, True, True, False]
    assert tokens[real].tolist() == [2, 3, 4, 0, 1]
    assert (tokens[~real] == 0).all()
