"""Digests of files that are there, in the form of the catalogue."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.catalogue import checksums
from docmt.catalogue.checksums import file_digest, with_line_feeds, wrong_content
from docmt.catalogue.files import FileConfig


@given(st.lists(st.text("\r\na", min_size=1, max_size=7).map(str.encode), max_size=9))
def test_line_feeds_do_not_depend_on_the_chunks(chunks):
    assert b"".join(with_line_feeds(chunks)) == b"".join(chunks).replace(b"\r\n", b"\n")


TEXT = b"a\nb\n"
BLOB = b"blob 4\0" + TEXT
SHA256 = hashlib.sha256(TEXT).hexdigest()


@pytest.mark.parametrize(
    ("stated", "digest"),
    [
        ({}, SHA256),
        ({"md5": "0" * 32}, f"md5:{hashlib.md5(TEXT).hexdigest()}"),
        ({"git_blob": "0" * 40}, f"git_blob:{hashlib.sha1(BLOB).hexdigest()}"),
        ({"md5": "0" * 32, "sha256": "0" * 64}, SHA256),
    ],
)
def test_a_digest_is_of_the_kind_that_the_catalogue_states(tmp_path, stated, digest):
    for name, content in (("unix", b"a\nb\n"), ("dos", b"a\r\nb\r\n")):
        path = tmp_path / name
        path.write_bytes(content)
        file = FileConfig(name=name, line_ends="lf", **stated)
        assert file_digest(path, file) == digest, "the digest is that of the file as it is stored"
        right = dict.fromkeys(stated)
        assert wrong_content(path, FileConfig(name=name, line_ends="lf", size=4, **right)) is None
    assert file_digest(tmp_path / "dos", FileConfig(name="dos")) == hashlib.sha256(b"a\r\nb\r\n").hexdigest()


def test_what_differs(tmp_path):
    path = Path(tmp_path / "a")
    path.write_bytes(b"a\r\n")
    file = FileConfig(name="a", size=3, line_ends="lf")
    assert str(wrong_content(path, file)) == "wrong size: found 2 bytes, expected 3"
    digest = hashlib.md5(b"a\r\n").hexdigest()
    wrong = wrong_content(path, FileConfig(name="a", md5="0" * 32))
    assert wrong == checksums.Mismatch("wrong checksum", f"md5 {digest}", "0" * 32)
