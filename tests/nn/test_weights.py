"""Attention weights made to be looked at: those with which `attend` sees."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from docmt.nn.attention import attend
from docmt.nn.attention_weights import attention_weights
from docmt.nn.segments import Segments

HEADS, WIDTH = 3, 4
PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8)


def streams(pairs):
    queries, keys = (Segments.from_lengths(side) for side in zip(*pairs, strict=True))
    generator = torch.Generator().manual_seed(queries.tokens + 7 * keys.tokens)
    return [torch.randn(runs.tokens, HEADS, WIDTH, generator=generator) for runs in (queries, keys)], (queries, keys)


@given(PAIRS)
def test_values_seen_with_these_weights_are_what_attend_gives(pairs):
    """Of values that are the same in all heads attention gives, in the mean of heads, those seen with mean weights."""
    (q, k), (queries, keys) = streams(pairs)
    values = torch.arange(1.0, keys.tokens + 1)[:, None].expand(-1, WIDTH)
    seen = attend(q, k, values[:, None].expand(-1, HEADS, -1), queries, keys).mean(1)
    weights = attention_weights(q, k, queries, keys)
    assert [tuple(run_weights.shape) for run_weights in weights] == pairs
    results = [run_weights @ value for run_weights, value in zip(weights, values.split(keys.lengths), strict=True)]
    torch.testing.assert_close(torch.cat(results), seen)


def test_streams_of_other_numbers_of_runs_are_refused():
    (q, k), (queries, _) = streams([(2, 3), (1, 2)])
    with pytest.raises(ValueError, match="2 runs of queries, 1 runs of keys"):
        attention_weights(q, k, queries, Segments.from_lengths([5]))
