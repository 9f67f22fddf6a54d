"""The best continuations: equal to a sort of all scores, for vocabularies around the size of a block."""

import math

import pytest
import torch

from docmt.search.beam import BLOCK, DEAD, best_continuations

VOCABULARIES = (10, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 5 * BLOCK + 1, 4001)


def sorted_continuations(log_probabilities, scores, count):
    """By loops: all continuations of an instance as (score, hypothesis, output), best first."""
    hypotheses, vocabulary = log_probabilities.shape
    every = [
        (float(scores[k]) + float(log_probabilities[k, piece]), k, piece)
        for k in range(hypotheses)
        for piece in range(vocabulary)
    ]
    return sorted(every, key=lambda each: -each[0])[:count]


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("beam", [1, 4])
def test_they_are_those_of_a_sort_of_all(vocabulary, beam):
    generator = torch.Generator().manual_seed(vocabulary + beam)
    log_probabilities = torch.randn(3, beam, vocabulary, generator=generator).log_softmax(-1)
    log_probabilities[..., 1] = -math.inf
    scores = torch.randn(3, beam, generator=generator).double()
    scores[0, 1:] = DEAD
    best = best_continuations(log_probabilities, scores, 2 * beam)
    for instance in range(3):
        columns = (best.scores[instance], best.origins[instance], best.tokens[instance])
        living = [each for each in zip(*(column.tolist() for column in columns), strict=True) if each[0] > DEAD]
        expected = sorted_continuations(log_probabilities[instance], scores[instance], 2 * beam)
        assert living == [each for each in expected if each[0] > DEAD]


def test_scores_that_are_not_numbers_are_dead_and_their_pieces_exist():
    log_probabilities = torch.full((1, 2, BLOCK + 3), math.nan)
    best = best_continuations(log_probabilities, torch.zeros(1, 2, dtype=torch.float64), 4)
    assert best.scores.tolist() == [[DEAD] * 4]
    assert int(best.tokens.max()) < BLOCK + 3 and int(best.origins.max()) < 2
