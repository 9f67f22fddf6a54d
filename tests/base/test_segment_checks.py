"""Numbers of a view's tables that cannot be are refused, with the file's name."""

from pathlib import Path

import pyarrow as pa
import pytest

from docmt.base.columns import SEGMENT_CHAINS, SEGMENTS, check_chains, check_segments
from docmt.base.errors import UserError

SIZES = {"source": 20, "target": 30}
ROW = {
    "document": "d",
    "first": 0,
    "source_ids": [7, 19, 8],
    "source_lengths": [1, 2],
    "target_ids": [29, 9],
    "target_lengths": [2, 0],
}
EMPTY = {**ROW, "source_ids": [], "source_lengths": [], "target_ids": [], "target_lengths": []}
CHAINS = {"members": [0, 2, 1, 2], "lengths": [2, 2]}


def segments(*changes: dict) -> pa.Table:
    return pa.Table.from_pylist([ROW, EMPTY, *({**ROW, **change} for change in changes)], SEGMENTS)


def chains(change: dict) -> pa.Table:
    return pa.Table.from_pylist([CHAINS, {"members": [], "lengths": []}, {**CHAINS, **change}], SEGMENT_CHAINS)


def test_what_can_be_is_taken():
    check_segments(Path("v"), segments({}), SIZES)
    check_segments(Path("v"), pa.concat_tables([segments({}), segments()]).slice(1), SIZES)
    check_segments(Path("v"), SEGMENTS.empty_table(), SIZES)
    check_chains(Path("c"), chains({}), segments({}))
    check_chains(Path("c"), SEGMENT_CHAINS.empty_table(), SEGMENTS.empty_table())


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"source_ids": [7, 20, 8]}, "source_ids from 0 to 20 in a vocabulary of 20 pieces"),
        ({"target_ids": [-1, 9]}, "target_ids from -1 to 29"),
        ({"target_ids": [None, 9]}, "numbers are missing"),
        ({"source_lengths": None}, "numbers are missing"),
        ({"source_lengths": [1, 1]}, "source_lengths that do not sum to the number of values"),
        ({"source_lengths": [4, -1]}, "source_lengths that do not sum to the number of values"),
        ({"target_lengths": [2]}, "source and target have different numbers of sentences"),
    ],
)
def test_what_cannot_be_is_refused(change, detail):
    with pytest.raises(UserError) as problem:
        check_segments(Path("v/train.arrow"), segments(change), SIZES)
    assert str(problem.value).startswith("v/train.arrow: ") and detail in str(problem.value)


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"members": [0, 3, 1, 2]}, "members beyond the pieces of their segment"),
        ({"members": [0, -1, 1, 2]}, "members beyond the pieces of their segment"),
        ({"lengths": [2, 1]}, "lengths that do not sum to the number of values"),
    ],
)
def test_chains_of_other_pieces_are_refused(change, detail):
    with pytest.raises(UserError) as problem:
        check_chains(Path("c/train.arrow"), chains(change), segments({}))
    assert str(problem.value).startswith("c/train.arrow: not lexical chains of segments") and detail in str(
        problem.value
    )
