"""A copy has all bytes of its source, and its digest is that of the copy."""

import errno
import os
from hashlib import sha256
from pathlib import Path

import pytest

from docmt.store import copying
from docmt.store.copying import copy


@pytest.fixture(params=["system", "no system call", "nothing said"])
def way(request, monkeypatch):
    """The ways of a copy: by the system, or by reading and writing where the system cannot, or says nothing."""

    def refuse(*_) -> int:
        raise OSError(errno.EXDEV, "other devices")

    if request.param != "system":
        monkeypatch.setattr(os, "copy_file_range", refuse if request.param == "no system call" else lambda *_: 0)


@pytest.mark.parametrize("size", [0, 1, 100, 101, 1000])
def test_a_copy_is_whole_whatever_its_size(way, size: int, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(copying, "PART", 100)
    monkeypatch.setattr(copying, "BYTES_AT_ONCE", 30)
    data = os.urandom(size)
    (tmp_path / "source").write_bytes(data)
    with (
        (tmp_path / "source").open("rb", buffering=0) as source,
        (tmp_path / "copy").open("x+b", buffering=0) as target,
    ):
        assert copy(source, target) == sha256(data).hexdigest()
    assert (tmp_path / "copy").read_bytes() == data


def test_the_digest_is_that_of_the_copy(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(copying, "_share_blocks", lambda source, target: False)
    monkeypatch.setattr(
        os, "copy_file_range", lambda source, target, size: os.write(target, os.read(source, size)[:-1])
    )
    (tmp_path / "source").write_bytes(b"model\n")
    with (
        (tmp_path / "source").open("rb", buffering=0) as source,
        (tmp_path / "copy").open("x+b", buffering=0) as target,
    ):
        assert copy(source, target) == sha256((tmp_path / "copy").read_bytes()).hexdigest()
