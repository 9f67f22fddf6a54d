"""An archive that would get too large is refused before the disk is full, and nothing of it stays."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.corpus import unpack as unpacking
from docmt.corpus.inputs import ReaderInputs
from docmt.corpus.unpack import unpack

MEGABYTE = 1_000_000


def zipped(path: Path, *sizes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, size in enumerate(sizes):
            archive.writestr(f"{number}.txt", bytes(size))
    return path


def tarred(path: Path, *sizes: int, links: int = 0) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for number, size in enumerate(sizes):
            member = tarfile.TarInfo(f"{number}.txt")
            member.size = size
            archive.addfile(member, io.BytesIO(bytes(size)))
        for number in range(links):
            member = tarfile.TarInfo(f"link{number}")
            member.type, member.linkname = tarfile.SYMTYPE, "0.txt"
            archive.addfile(member)
    return path


def gzipped(path: Path, size: int) -> Path:
    path.write_bytes(gzip.compress(bytes(size)))
    return path


@pytest.fixture
def small(monkeypatch) -> None:
    """Archives may grow to 1 MB, or to 200 times their size."""
    monkeypatch.setattr(unpacking, "SMALL_GB", 0.001)


def refused(archive: Path, folder: Path) -> str:
    with pytest.raises(UserError) as problem:
        unpack(archive, folder / "out")
    assert list(folder.iterdir()) == [archive]
    return str(problem.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: zipped(folder / "bomb.zip", 3 * MEGABYTE),
        lambda folder: zipped(folder / "bomb.zip", *[600_000] * 4),
        lambda folder: tarred(folder / "bomb.tgz", 3 * MEGABYTE),
        lambda folder: tarred(folder / "bomb.tgz", *[600_000] * 4),
        lambda folder: tarred(folder / "bomb.tgz", 600_000, links=5),
        lambda folder: gzipped(folder / "bomb.gz", 3 * MEGABYTE),
    ],
)
def test_a_bomb_is_refused(small, tmp_path, make: Callable[[Path], Path]):
    archive = make(tmp_path)
    assert archive.stat().st_size < 15_000
    message = refused(archive, tmp_path)
    assert message.startswith(f"{archive.name}: archive would unpack to more than is allowed\n  found ")
    assert "for an archive of its size" in message and "set DOCMT_UNPACK_LIMIT_GB" in message


def test_a_limit_of_the_user_takes_the_place_of_ours(small, tmp_path, monkeypatch):
    archive = zipped(tmp_path / "large.zip", 3 * MEGABYTE)
    monkeypatch.setenv("DOCMT_UNPACK_LIMIT_GB", "0.002")
    assert "expected at most 0.002 GB, the value of DOCMT_UNPACK_LIMIT_GB" in refused(archive, tmp_path)
    monkeypatch.setenv("DOCMT_UNPACK_LIMIT_GB", "0.004")
    unpack(archive, tmp_path / "out")
    assert (tmp_path / "out/0.txt").stat().st_size == 3 * MEGABYTE


@pytest.mark.parametrize("text", ["much", "-1", "0", "nan", "inf"])
def test_a_limit_that_is_none_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.setenv("DOCMT_UNPACK_LIMIT_GB", text)
    assert f"DOCMT_UNPACK_LIMIT_GB: not a size limit\n  found {text}" in refused(
        zipped(tmp_path / "a.zip", 9), tmp_path
    )


def test_the_disk_keeps_some_room(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "free_bytes", lambda _: unpacking.LEFT_FREE + MEGABYTE)
    message = refused(zipped(tmp_path / "a.zip", 2 * MEGABYTE), tmp_path)
    assert "found 0.002 GB or more; expected at most 0.001 GB, the free space on the disk of" in message


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 3)
    assert "archive holds too many files\n  found more than 3" in refused(
        zipped(tmp_path / "a.zip", 1, 1, 1, 1), tmp_path
    )
    unpack(tarred(tmp_path / "b.tgz", 1, 1, 1), tmp_path / "out")


def test_an_archive_inside_an_archive_is_watched_too(small, tmp_path):
    inner = zipped(tmp_path / "inner.zip", 3 * MEGABYTE)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.write(inner, "inner.zip")
    inner.unlink()
    inputs = ReaderInputs(tmp_path, tmp_path / "scratch", "fr", "en")
    with pytest.raises(UserError, match=r"inner.zip: archive would unpack to more than is allowed"):
        inputs.within("outer.zip").path("inner.zip/0.txt")
