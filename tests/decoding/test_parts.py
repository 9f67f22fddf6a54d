"""Batches of segments, and documents as lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.decoding.files import document_numbers, read_lines
from docmt.decoding.translator import token_batches


@given(st.lists(st.integers(0, 20)), st.integers(1, 30))
def test_batches_hold_every_item_once_within_the_budget(lengths, budget):
    batches = token_batches(lengths, budget)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or sum(lengths[i] for i in batch) <= budget for batch in batches)
    assert [lengths[i] for batch in batches for i in batch] == sorted(lengths, reverse=True)


@pytest.mark.parametrize(
    "data, lines",
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        ("我\u2028们\n".encode(), ["我\u2028们"]),
    ],
)
def test_lines_end_at_line_feeds_only(data, lines):
    assert read_lines(data, "standard input") == lines


def test_what_is_not_utf8_is_refused_with_its_line():
    with pytest.raises(UserError, match=r"standard input:2: not valid UTF-8"):
        read_lines(b"good\n\xff\xfe\n", "standard input")


def test_blank_lines_end_documents_and_invisible_ones_do_not():
    lines = ["", "a", "\u200b", "b", "", "  ", "c"]
    ids = [[], [7], [], [8], [], [], [9]]
    assert document_numbers(lines, ids) == {1: 0, 3: 0, 6: 1}
