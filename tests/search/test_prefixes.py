"""Shared prefixes: the common work of variants is done once, and nothing else is shared."""

import numpy as np
import pytest
import torch
from helpers.tiny import tiny_model
from hypothesis import given
from hypothesis import strategies as st

from docmt.nn.rows import Rows
from docmt.nn.segments import Layout, Segments
from docmt.nn.streams import Stream
from docmt.search.forced import share_prefixes, variant_scores


def stream_of(targets: list[list[int]]) -> Stream:
    """Return a stream in which each target is one sentence."""
    runs = Segments.from_lengths(map(len, targets))
    return Stream(torch.tensor([token for target in targets for token in target]), Layout(runs, runs))


items = st.lists(
    st.lists(st.lists(st.integers(7, 9), min_size=1, max_size=5), min_size=1, max_size=4), min_size=1, max_size=3
)


@given(items)
def test_a_token_has_the_row_of_the_first_target_until_they_differ(variants):
    first, targets = [], []
    for item in variants:
        first += [len(targets)] * len(item)
        targets += item
    shared = share_prefixes(stream_of(targets), np.array(first))
    rows, names = iter(shared.instances.rows.tolist()), {}
    for number, target in enumerate(targets):
        leader = targets[first[number]]
        for place in range(len(target)):
            same = target[: place + 1] == leader[: place + 1]
            name = (first[number] if same else number, place)
            assert names.setdefault(name, len(names)) == next(rows)
    tokens = shared.tokens
    for runs in (shared.instances, shared.sentences):
        rows = runs.tokens_to_rows(tokens)
        assert torch.equal(runs.rows_to_tokens(rows), tokens) and len(rows) == len(names)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [("wrapped", 7 + 2 + 1), ("joined", 7 + 2 + 1), ("g_transformer", 7 + 2 + 1), ("closed", 9 + 3 + 2)],
)
def test_the_decoder_works_on_what_differs(monkeypatch, name, inputs):
    """Three variants of 2 + 3 words, the last two of which differ from the first one from word 2 and 3 on.

    A mark stands before each sentence: 7 + 2 + 1 inputs. In the frame `closed` one after it is read too: 9 + 3 + 2.
    """
    model, seen = tiny_model(name), []
    feed_forward = model.decoder[0].feed_forward.forward
    monkeypatch.setattr(model.decoder[0].feed_forward, "forward", lambda x: seen.append(len(x)) or feed_forward(x))
    lasts = [[8, 9, 10], [8, 11, 10], [8, 9, 12]]
    rows = Rows.from_lists([[[7, 8], [9]]] * 3, [[[13, 14], last] for last in lasts])
    variant_scores(model, rows, np.array([3]))
    assert seen == [inputs]
