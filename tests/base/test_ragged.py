"""Laws of ragged arrays; lists of Python are the oracle."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.ragged import Ragged, places, spans, starts, sums
from docmt.base.tables import read_arrow, write_arrow

LISTS = [[1, 2], [], [3, 4, 5], [6], []]
many = st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=6)


def lists_of(ragged: Ragged) -> list[list[int]]:
    assert len(list(ragged)) == len(ragged)
    return [each.tolist() for each in ragged]


def column(lists: list[list[int]], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(lists, kind or pa.list_(pa.int32()))])


def test_lists_are_found_again_by_starts_places_and_spans():
    lengths = np.array([2, 0, 3])
    assert starts(lengths).tolist() == [0, 2, 2]
    assert places(lengths).tolist() == [0, 1, 0, 1, 2]
    assert spans(np.array([5, 9, 0]), lengths).tolist() == [5, 6, 0, 1, 2]


@given(lists=many, data=st.data())
def test_operations_are_those_of_lists(lists, data):
    ragged, numbers = Ragged.from_lists(lists), range(len(lists))
    flat = [number for each in lists for number in each]
    assert lists_of(ragged) == lists_of(ragged.take(slice(None))) == lists
    assert lists_of(Ragged.of(ragged.flat(), ragged.lengths)) == lists and ragged.flat().tolist() == flat
    assert sums(ragged.flat(), ragged.lengths).tolist() == list(map(sum, lists))
    assert lists_of(Ragged.from_arrow(pa.chunked_array([ragged.to_arrow()]))) == lists
    chosen = data.draw(st.lists(st.sampled_from(numbers), max_size=9)) if lists else []
    taken = ragged.take(np.array(chosen, np.int64))
    assert lists_of(taken) == [lists[number] for number in chosen]
    assert taken.flat().tolist() == [number for each in lists_of(taken) for number in each]
    mask = np.isin(numbers, chosen)
    assert lists_of(ragged.take(mask)) == [lists[number] for number in numbers if mask[number]]


@given(groups=st.lists(many, max_size=4))
def test_groups_are_the_numbers_and_the_lengths_of_their_lists(groups):
    ragged = Ragged.from_lists([each for lists in groups for each in lists])
    numbers, lengths = ragged.grouped(np.array(list(map(len, groups)), np.int64))
    assert lists_of(numbers) == [[number for each in lists for number in each] for lists in groups]
    assert lists_of(lengths) == [list(map(len, lists)) for lists in groups]


@pytest.mark.parametrize(
    "part",
    [
        column(LISTS),
        column(LISTS, pa.large_list(pa.int64())),
        column([[0, 0], *LISTS, [9]]).slice(1, len(LISTS)),
        pa.chunked_array([*column(LISTS).slice(0, 1).chunks, *column(LISTS).slice(1).chunks]),
        pa.chunked_array([*column(LISTS).slice(0, 2).chunks, *column([[], *LISTS]).slice(3).chunks]),
        pa.chunked_array([pa.array([], pa.list_(pa.int32())), *column(LISTS).chunks]),
    ],
)
def test_columns_are_read_in_whatever_chunks_they_come(part):
    assert lists_of(Ragged.from_arrow(part)) == LISTS
    assert lists_of(Ragged.from_arrow(part.slice(1, 3))) == LISTS[1:4]
    assert lists_of(Ragged.from_arrow(part.slice(0, 0))) == []


def test_the_numbers_of_a_mapped_file_are_not_copied(tmp_path):
    table, file = pa.table({"ids": column(LISTS)}), tmp_path / "ids.arrow"
    write_arrow(file, pa.concat_tables([table, table.slice(2)]))
    ragged = Ragged.from_arrow(read_arrow(file, table.schema)["ids"])
    assert lists_of(ragged) == LISTS + LISTS[2:]
    assert ragged.values.nbytes == file.stat().st_size // 4 * 4 and not ragged.values.flags.writeable


def test_there_is_no_limit_of_numbers():
    """Pages of zeros take no memory before they are written."""
    half, numbers = 2**30, np.zeros(2**31 + 2, np.int8)
    numbers[-2:] = 7, 8
    values = pa.Array.from_buffers(pa.int8(), len(numbers), [None, pa.py_buffer(numbers)])
    parts = [(0, half), (half, half - 3), (2 * half - 3, 5)]
    chunks = [
        pa.ListArray.from_arrays(pa.array([0, size], pa.int32()), values.slice(*(first, size))) for first, size in parts
    ]
    ragged = Ragged.from_arrow(pa.chunked_array(chunks))
    assert ragged.starts.tolist() == [first for first, _ in parts]
    assert ragged.take(slice(2, 3)).flat().tolist() == [0, 0, 0, 7, 8]
    with pytest.raises(pa.ArrowInvalid):
        ragged.to_arrow()
