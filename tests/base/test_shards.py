"""Shards: whole documents in order, the same whoever asks for which part of them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base import shards
from docmt.base.errors import UserError
from docmt.base.part import Part
from docmt.base.shards import batch_of, document_shards, join_arrow
from docmt.base.tables import ArrowFile, arrow_writer

NEEDED = pa.schema([("document", pa.string()), ("sentence", pa.int32())])
LENGTHS = st.lists(st.integers(1, 9), max_size=12)


def documents(lengths: list[int]) -> pa.Table:
    rows = [(f"d{number}", sentence) for number, length in enumerate(lengths) for sentence in range(length)]
    columns = zip(*rows, strict=True) if rows else ([], [])
    return pa.table([pa.array(list(column), f.type) for column, f in zip(columns, NEEDED, strict=True)], schema=NEEDED)


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("shards") / "documents.parquet"


@given(lengths=LENGTHS, size=st.integers(1, 12), group=st.integers(1, 20), of=st.integers(1, 5))
def test_parts_are_all_shards_and_shards_are_whole_documents(file, lengths, size, group, of):
    """Whatever the row groups of the file are."""
    table = documents(lengths)
    pq.write_table(table, file, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SHARD_PAIRS", size)
        parts = [document_shards(file, NEEDED, Part(number, of)) for number in range(1, of + 1)]
        shards_of_parts = [list(part) for part, _ in parts]
        whole = list(document_shards(file, NEEDED)[0])
    assert [len(part) for part in shards_of_parts] == [count for _, count in parts]
    assert max(map(len, shards_of_parts)) - min(map(len, shards_of_parts)) <= 1
    assert [shard for part in shards_of_parts for shard in part] == whole
    assert (pa.concat_tables(whole) if whole else table.slice(0, 0)) == table
    for shard in whole:
        numbers = shard["sentence"].to_pylist()
        assert numbers[0] == 0
        last = len(numbers) - 1 - numbers[::-1].index(0)
        assert last < size
        assert len(shard) >= size or shard is whole[-1]


@given(lengths=LENGTHS)
def test_what_is_written_shard_by_shard_is_read_so(file, lengths):
    path = file.with_suffix(".arrow")
    tables = [documents([length]) for length in lengths]
    with arrow_writer(path, NEEDED) as writer:
        for table in tables:
            writer.write_batch(batch_of(table))
    batches = ArrowFile(path, pa.schema([NEEDED.field("sentence")]))
    assert len(batches) == len(tables)
    assert [shard["sentence"].to_pylist() for shard in batches] == [list(range(length)) for length in lengths]
    assert all(shard.column_names == ["sentence"] for shard in batches)


def test_joined_files_are_those_of_one_writer(tmp_path):
    tables = [documents([length]) for length in (3, 1, 4)]
    for name, rows in (("whole", tables), ("a", tables[:1]), ("b", []), ("c", tables[1:])):
        with arrow_writer(tmp_path / name, NEEDED) as writer:
            for table in rows:
                writer.write_table(table)
    join_arrow([tmp_path / name for name in "abc"], tmp_path / "joined", NEEDED)
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("text", ["3", "0of2", "3of2", "1of0", "aofb", "1of2of3", "-1of2", "1/2", f"1of{'9' * 5000}"])
def test_what_is_no_part_is_refused(text):
    with pytest.raises(UserError, match=r"not a part\n  found .*expected a part such as 2of8"):
        Part.parse(text)
    assert Part.parse("2of8") == Part(2, 8)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: None, "file not found"),
        (lambda path: path.write_text("nothing"), "not a Parquet file"),
        (lambda path: pq.write_table(documents([2]).select(["sentence"]), path), "columns are missing"),
        (
            lambda path: pq.write_table(documents([2, 2]).slice(1), path),
            "the text does not begin with the first sentence",
        ),
    ],
)
def test_documents_that_cannot_be_cut_are_refused(tmp_path, write, message):
    write(tmp_path / "documents.parquet")
    with pytest.raises(UserError, match=rf"documents\.parquet: {message}"):
        document_shards(tmp_path / "documents.parquet", NEEDED)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: None, "file not found"),
        (lambda path: path.write_text("nothing"), "not an Arrow file"),
        (lambda path: join_arrow([], path, pa.schema([("document", pa.string())])), "columns are missing"),
    ],
)
def test_arrow_files_that_cannot_be_read_are_refused(tmp_path, write, message):
    write(tmp_path / "tokens.arrow")
    with pytest.raises(UserError, match=rf"tokens\.arrow: {message}"):
        ArrowFile(tmp_path / "tokens.arrow", NEEDED)
