"""Attention read backwards, against a loop over keys."""

import math

import pytest
import torch

from docmt.nn.attention_weights import attend_back
from docmt.nn.segments import Segments

HEADS, WIDTH, STATES = 2, 3, 5
LENGTHS = [[(3, 2), (1, 4), (5, 5)], [(2, 3), (0, 2), (3, 0), (1, 1)]]
"""Queries and keys of each run; some runs have none."""


def random_streams(lengths: list[tuple[int, int]]):
    torch.manual_seed(1)
    queries, keys = (Segments.from_lengths(side) for side in zip(*lengths, strict=True))
    shapes = ((queries.tokens, HEADS, WIDTH), (keys.tokens, HEADS, WIDTH), (queries.tokens, STATES))
    return *(torch.randn(shape, dtype=torch.float64) for shape in shapes), queries, keys


@pytest.mark.parametrize("lengths", LENGTHS)
def test_a_key_gets_the_mean_of_those_that_look_at_it(lengths):
    q, k, states, queries, keys = random_streams(lengths)
    means = attend_back(q, k, states, queries, keys)
    runs = zip(q.split(queries.lengths), k.split(keys.lengths), states.split(queries.lengths), strict=True)
    expected = []
    for q_run, k_run, s_run in runs:
        for place in range(len(k_run)):
            total, weight = torch.zeros(STATES, dtype=torch.float64), 0.0
            for query, state in zip(q_run, s_run, strict=True):
                paid = [(k_run[:, h] @ query[h] / math.sqrt(WIDTH)).softmax(0)[place] for h in range(HEADS)]
                total, weight = total + sum(paid) * state, weight + sum(paid)
            expected.append(total / weight if len(q_run) else total)
    torch.testing.assert_close(means, torch.stack(expected), atol=1e-12, rtol=0)


def test_a_key_that_nobody_looks_at_has_a_mean_too():
    """The weights of the key are too small to differ from zero, but their ratios are not."""
    q, k = torch.tensor([[[40.0]], [[39.0]]]), torch.tensor([[[5.0]], [[-5.0]]])
    states = torch.tensor([[1.0], [0.0]], requires_grad=True)
    runs = Segments.from_lengths([2])
    means = attend_back(q, k, states, runs, runs)
    expected = torch.tensor([-10 * 40.0, -10 * 39.0]).softmax(0)[0].item()
    assert means[1].item() == pytest.approx(expected, rel=1e-3)
    assert means.isfinite().all()


def test_the_sides_have_the_same_runs():
    q, k, states, queries, _ = random_streams(LENGTHS[0])
    with pytest.raises(ValueError, match="3 runs of queries, 1 runs of keys"):
        attend_back(q, k, states, queries, Segments.from_lengths([len(k)]))
