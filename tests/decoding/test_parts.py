"""Batches of segments, and documents as lines."""

from hypothesis import given
from hypothesis import strategies as st

from docmt.decoding.batches import token_batches
from docmt.decoding.files import document_numbers


@given(st.lists(st.integers(0, 20)), st.integers(1, 30))
def test_batches_hold_every_item_once_within_the_budget(lengths, budget):
    batches = token_batches(lengths, budget)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or sum(lengths[i] for i in batch) <= budget for batch in batches)
    assert [lengths[i] for batch in batches for i in batch] == sorted(lengths, reverse=True)


def test_blank_lines_end_documents_and_invisible_ones_do_not():
    lines = ["", "a", "\u200b", "b", "", "  ", "c"]
    ids = [[], [7], [], [8], [], [], [9]]
    assert document_numbers(lines, ids) == {1: 0, 3: 0, 6: 1}
