"""The parts of Arrow files: the bytes of record batches, and columns as every reader gets them."""

import hashlib
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import recorded
from docmt.base.digests import TablePart
from docmt.base.table_parts import HEAD_BYTES, column_digest, metadata_bytes, splits_of
from docmt.base.tables import arrow_writer

SCHEMA = pa.schema(
    [
        ("split", pa.string()),
        ("number", pa.int32()),
        ("right", pa.bool_()),
        ("ids", pa.list_(pa.int32())),
        ("sentences", pa.list_(pa.list_(pa.string()))),
    ]
)
WORDS = ("a", "中", "")
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "split": st.sampled_from(["train", "dev", "test"]),
            "number": st.none() | st.integers(0, 9),
            "right": st.none() | st.booleans(),
            "ids": st.none() | st.lists(st.integers(0, 9), max_size=3),
            "sentences": st.lists(st.lists(st.none() | st.sampled_from(WORDS), max_size=2), max_size=2),
        }
    ),
    max_size=5,
)


def batch_of_rows(rows: list[dict]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, SCHEMA)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("parts")


def written(path: Path, batches: list[pa.RecordBatch]) -> tuple[TablePart, ...]:
    with recorded(path.parent) as recorder, arrow_writer(path, SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return recorder.files[path].parts


@given(
    groups=st.lists(ROWS, max_size=3),
    columns=st.sets(st.integers(0, len(SCHEMA) - 1), min_size=1),
    sliced=st.booleans(),
)
def test_parts_are_the_record_batches_of_the_file_however_it_is_read(folder, groups, columns, sliced):
    """Whether the batches are slices of a longer one or not."""
    path, batches = folder / "table.arrow", [batch_of_rows(rows) for rows in groups]
    if sliced:
        longer, ends = batch_of_rows([row for rows in groups for row in rows]), accumulate(map(len, groups))
        batches = [longer.slice(end - len(rows), len(rows)) for end, rows in zip(ends, groups, strict=True)]
    parts, data = written(path, batches), path.read_bytes()
    assert len(parts) == len(batches)
    options = pa.ipc.IpcReadOptions(included_fields=sorted(columns))
    for number, (part, batch) in enumerate(zip(parts, batches, strict=True)):
        message = data[part.start : part.start + part.bytes]
        assert hashlib.sha256(message[: metadata_bytes(message[:HEAD_BYTES])]).hexdigest() == part.sha256
        assert message == batch.serialize().to_pybytes()
        assert part.splits == tuple(sorted(set(batch["split"].to_pylist())))
        for source in (pa.memory_map(str(path)), pa.OSFile(str(path))):
            whole = pa.ipc.open_file(source).get_batch(number)
            some = pa.ipc.open_file(source, options=options).get_batch(number)
            assert whole == batch
            for read in (whole, some):
                digests = {name: column_digest(read[name]) for name in read.schema.names}
                assert digests.items() <= part.columns.items()
        assert set(part.columns) == set(SCHEMA.names)


def test_the_digest_of_a_column_depends_on_values_nulls_and_bounds():
    columns = ([[1, 2], [3]], [[1], [2, 3]], [[1, 2], [4]], [[1, 2], None], [[1, 2], [3], []], [[1, None], [3]])
    arrays = [pa.array(column, pa.list_(pa.int32())) for column in columns]
    assert len({column_digest(array) for array in arrays}) == len(arrays)


def test_a_table_without_splits_has_parts_of_none():
    assert splits_of(pa.table({"a": [1]})) == ()
    assert splits_of(pa.table({"split": ["train", "dev", "train"]})) == ("dev", "train")
