"""Digests: of values by their JSON, and of files."""

import hashlib
import json

import pytest
from helpers.sealed import rewrite
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.artifacts import recorded, write_json
from docmt.base.digests import (
    FileDigest,
    canonical_json,
    full_digest,
    indented_json,
    known_sha256,
)
from docmt.base.errors import UserError

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


def test_the_files_of_a_job_are_recorded_and_no_others(tmp_path):
    with recorded(tmp_path / "job") as recorder:
        for name in ("file", "job/file", "job/scratch/state"):
            write_json(tmp_path / name, {"a": "中"})
    write_json(tmp_path / "job" / "later", {})
    path = tmp_path / "job" / "file"
    assert recorder.files == {path}
    assert FileDigest.of(path) == FileDigest(sha256(path.read_bytes()), path.stat().st_size)


def test_a_remembered_digest_is_that_of_the_present_file(tmp_path):
    for content in (b"a", b"b", b"longer"):
        rewrite(tmp_path / "file", content)
        assert known_sha256(tmp_path / "file") == sha256(content)
    (tmp_path / "file").unlink()
    with pytest.raises(UserError, match="file: file not found"):
        known_sha256(tmp_path / "file")
