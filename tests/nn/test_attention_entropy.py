"""Entropy of attention weights, and who is told of a call."""

import math

import pytest
import torch
from helpers.dense_attention import may_attend
from hypothesis import given
from hypothesis import strategies as st

from docmt.nn.attention import attend, observe_attention
from docmt.nn.attention_weights import entropies
from docmt.nn.segments import Segments

length_pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6)


def given_runs(queries, keys, causal=False, seed=1):
    """Queries, keys, and their runs."""
    torch.manual_seed(seed)
    query_runs = Segments.from_lengths(queries)
    key_runs = query_runs if causal else Segments.from_lengths(keys)
    return torch.randn(query_runs.tokens, 2, 4), torch.randn(key_runs.tokens, 2, 4), query_runs, key_runs


def looped_entropies(q, k, query_runs, key_runs, causal):
    """Return the entropies by loops over queries and heads, from the mask of all tokens."""
    visible, rows = may_attend(query_runs, key_runs, causal), []
    for query, seen in zip(q.double(), visible, strict=True):
        keys = k.double()[seen]
        if len(keys):
            weights = [(keys[:, head] @ query[head] / math.sqrt(q.shape[2])).softmax(0) for head in range(q.shape[1])]
            rows.append([-sum(w * math.log2(w) for w in of_head.tolist()) for of_head in weights])
    return torch.tensor(rows, dtype=torch.float32).reshape(-1, q.shape[1])


@given(pairs=length_pairs, causal=st.booleans())
def test_it_is_minus_the_sum_of_p_log_p(pairs, causal):
    q, k, *runs = given_runs(*zip(*pairs, strict=True), causal)
    torch.testing.assert_close(
        entropies(q, k, *runs, causal), looped_entropies(q, k, *runs, causal), atol=1e-5, rtol=1e-5
    )


def test_indifferent_queries_have_the_logarithm_of_what_they_see():
    q, k, *runs = given_runs([3, 2], [8, 1])
    assert entropies(torch.zeros_like(q), k, *runs)[:, 0].tolist() == pytest.approx([3, 3, 3, 0, 0])
    q, k, *runs = given_runs([4], [4], causal=True)
    expected = [0, 1, math.log2(3), 2]
    assert entropies(torch.zeros_like(q), k, *runs, True)[:, 1].tolist() == pytest.approx(expected)


def test_queries_that_see_nothing_are_left_out():
    q, k, *runs = given_runs([3, 2], [0, 4])
    assert entropies(q, k, *runs).shape == (2, 2)


def test_an_observer_is_told_until_the_end_of_its_block():
    q, k, *runs = given_runs([2, 3], [4, 1])
    calls = []
    with pytest.raises(RuntimeError), observe_attention(lambda *call: calls.append(call)):
        attend(q, k, k, *runs)
        raise RuntimeError
    attend(q, k, k, *runs)
    assert calls == [(q, k, *runs, False)]
