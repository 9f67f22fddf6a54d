"""Digests: of values by their JSON, of files as they are written, and of ranges of bytes."""

import hashlib
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.sealed import rewrite
from hypothesis import given
from hypothesis import strategies as st

from docmt.base import digests
from docmt.base.artifacts import atomic_file, recorded, write_json
from docmt.base.digests import (
    DigestStream,
    FileDigest,
    TablePart,
    canonical_json,
    digest_ranges,
    full_digest,
    indented_json,
    known_sha256,
    sha256_file,
)
from docmt.base.errors import UserError
from docmt.base.tables import arrow_writer, parquet_writer

TABLE = pa.table({"split": ["test", "train", "train"], "words": [["a"], [], ["b", None]]})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
        | st.dictionaries(st.integers(), inner, max_size=3)
    ),
)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@given(VALUES)
def test_a_value_that_was_written_and_read_again_has_the_same_digest(value):
    for text in (canonical_json(value), indented_json(value)):
        assert full_digest(json.loads(text)) == full_digest(value)


def test_numbers_as_keys_are_sorted_as_texts():
    assert canonical_json({10: "b", 9: "a"}) == '{"10":"b","9":"a"}'


def write_text(path: Path) -> None:
    with atomic_file(path) as stream:
        stream.write("中文\n")
        stream.write("b\n")


def write_arrow_batches(path: Path) -> None:
    with arrow_writer(path, TABLE.schema) as writer:
        for start in range(len(TABLE)):
            writer.write_table(TABLE.slice(start, 1))


def write_parquet_groups(path: Path) -> None:
    with parquet_writer(path, TABLE.schema) as writer:
        writer.write_table(TABLE.slice(0, 1))
        writer.write_table(TABLE.slice(1))


@pytest.mark.parametrize(
    ("write", "parts"),
    [
        (write_text, 0),
        (lambda path: write_json(path, {"a": "中"}), 0),
        (write_arrow_batches, 3),
        (write_parquet_groups, 2),
    ],
    ids=["text", "JSON", "Arrow", "Parquet"],
)
def test_the_digest_of_a_written_file_is_that_of_its_bytes(tmp_path, write, parts):
    path = tmp_path / "file"
    with recorded(tmp_path) as recorder:
        write(path)
    data, digest = path.read_bytes(), recorder.files[path]
    assert (digest.sha256, digest.bytes) == (sha256(data), len(data)) == (sha256_file(path), path.stat().st_size)
    assert len(digest.parts) == parts
    covered = sorted([*digest.gaps(), *((part.start, part.start + part.bytes) for part in digest.parts)])
    assert b"".join(data[start:end] for start, end in covered) == data
    if parts:
        assert digest.frame == sha256(b"".join(data[start:end] for start, end in digest.gaps()))


def test_a_file_outside_the_folder_of_a_job_is_not_recorded(tmp_path):
    with recorded(tmp_path / "job") as recorder:
        write_text(tmp_path / "file")
        write_text(tmp_path / "job" / "file")
    write_text(tmp_path / "job" / "later")
    assert set(recorder.files) == {tmp_path / "job" / "file"}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=5), st.integers(0, 5))
def test_parts_and_gaps_cover_a_file_once(parts, rest):
    """Each part: how many bytes lie before it, and how many it has."""
    place, ranges = 0, []
    for before, size in parts:
        ranges.append(TablePart(place + before, size, ""))
        place += before + size
    gaps = list(FileDigest("", place + rest, tuple(ranges)).gaps())
    covered = sorted([*range_places(gaps), *range_places([(part.start, part.start + part.bytes) for part in ranges])])
    assert covered == list(range(place + rest))
    assert all(start < end for start, end in gaps)


def range_places(ranges: list[tuple[int, int]]) -> list[int]:
    return [place for start, end in ranges for place in range(start, end)]


@given(st.binary(max_size=20), st.integers(0, 20), st.integers(0, 20), st.integers(1, 9))
def test_how_much_is_read_at_once_changes_no_digest(data, first, second, at_once):
    start, end = sorted((min(first, len(data)), min(second, len(data))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digests, "BYTES_AT_ONCE", at_once)
        actual = digest_ranges(io.BytesIO(data), [(end, len(data)), (0, start)])
    assert actual == sha256(data[end:] + data[:start])


def test_the_parts_of_a_stream_are_the_bytes_of_their_blocks():
    stream = DigestStream(io.BytesIO())
    stream.write(b"head")
    with stream.part(("dev", "test")):
        stream.write(b"ab")
        stream.write(memoryview(b"c"))
    with stream.part(()):
        pass
    stream.write(b"foot")
    assert stream.tell() == 11
    expected = [TablePart(4, 3, sha256(b"abc"), ("dev", "test")), TablePart(7, 0, sha256(b""), ())]
    assert stream._parts == expected


def test_a_remembered_digest_is_that_of_the_present_file(tmp_path):
    for content in (b"a", b"b", b"longer"):
        rewrite(tmp_path / "file", content)
        assert known_sha256(tmp_path / "file") == sha256(content)
    (tmp_path / "file").unlink()
    with pytest.raises(UserError, match="file: file not found"):
        known_sha256(tmp_path / "file")
