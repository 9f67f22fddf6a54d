import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.corpus.unpack import unpack

TEXTS = {"set/a.txt": "alpha\n", "set/deep/b.txt": "贝塔\n"}


def tar_of(path: Path, *members: tarfile.TarInfo, mode: str = "w:gz", texts: dict[str, str] = TEXTS) -> Path:
    with tarfile.open(path, mode) as tar:
        for name, text in texts.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        for member in members:
            tar.addfile(member)
    return path


def zip_of(path: Path, texts: dict[str | zipfile.ZipInfo, str] = TEXTS) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in texts.items():
            zipped.writestr(name, text)
    return path


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def refuse(archive: Path, tmp_path: Path) -> str:
    """The message; nothing may be left behind, inside the folder or out of it."""
    (tmp_path / "out").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError) as problem:
        unpack(archive, tmp_path / "out" / "here")
    assert sorted(tmp_path.rglob("*")) == before
    return str(problem.value)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar(tmp_path, mode):
    unpack(tar_of(tmp_path / "data.tar.gz", mode=mode), tmp_path / "out")
    assert contents(tmp_path / "out") == TEXTS


def test_zip(tmp_path):
    unpack(zip_of(tmp_path / "data.zip"), tmp_path / "out")
    assert contents(tmp_path / "out") == TEXTS


def test_single_gzip(tmp_path):
    (tmp_path / "verses.en.gz").write_bytes(gzip.compress(b"alpha\n"))
    unpack(tmp_path / "verses.en.gz", tmp_path / "out")
    assert contents(tmp_path / "out") == {"verses.en": "alpha\n"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_inside_become_copies(tmp_path, kind):
    target = "a.txt" if kind == tarfile.SYMTYPE else "set/a.txt"
    unpack(tar_of(tmp_path / "data.tar", link("set/c.txt", target, kind)), tmp_path / "out")
    assert contents(tmp_path / "out") == {**TEXTS, "set/c.txt": "alpha\n"}
    assert not (tmp_path / "out/set/c.txt").is_symlink()


@pytest.mark.parametrize("name", ["../out.txt", "set/../../out.txt", "/tmp/out.txt", "set\\..\\..\\out.txt"])
@pytest.mark.parametrize("form", ["tar", "zip"])
def test_path_that_leads_out(tmp_path, form, name):
    texts = {**TEXTS, name: "gotcha"}
    archive = tar_of(tmp_path / "data.tar.gz", texts=texts) if form == "tar" else zip_of(tmp_path / "data.zip", texts)
    message = refuse(archive, tmp_path)
    assert message == f"{archive.name}: archive holds a path that leads out of it\n  found {name}"


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("../../etc/passwd", tarfile.SYMTYPE),
        ("/etc/passwd", tarfile.SYMTYPE),
        ("../passwd", tarfile.LNKTYPE),
    ],
)
def test_link_that_leads_out(tmp_path, target, kind):
    archive = tar_of(tmp_path / "data.tar.gz", link("set/c.txt", target, kind))
    message = refuse(archive, tmp_path)
    assert message == f"data.tar.gz: archive holds a link that leads out of it\n  found set/c.txt -> {target}"


def test_link_in_a_zip(tmp_path):
    info = zipfile.ZipInfo("set/c.txt")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    message = refuse(zip_of(tmp_path / "data.zip", {info: "a.txt"}), tmp_path)
    assert message == "data.zip: archive holds a link\n  found set/c.txt"


@pytest.mark.parametrize("target", ["c.txt", "nothing.txt"])
def test_link_to_itself_or_nothing(tmp_path, target):
    archive = tar_of(tmp_path / "data.tar.gz", link("set/c.txt", target))
    assert refuse(archive, tmp_path).startswith("data.tar.gz: archive is damaged or truncated")


def test_device(tmp_path):
    member = tarfile.TarInfo("set/null")
    member.type = tarfile.CHRTYPE
    message = refuse(tar_of(tmp_path / "data.tar.gz", member), tmp_path)
    assert message == "data.tar.gz: archive holds a device\n  found set/null"


@pytest.mark.parametrize("form", ["tar.gz", "tar", "zip", "gz"])
def test_truncated(tmp_path, form):
    text = os.urandom(50_000).hex()
    archive = tmp_path / f"data.{form}"
    if form == "zip":
        zip_of(archive, {"a.txt": text})
    elif form == "gz":
        archive.write_bytes(gzip.compress(text.encode()))
    else:
        tar_of(archive, mode="w:gz" if form == "tar.gz" else "w", texts={"a.txt": text})
    archive.write_bytes(archive.read_bytes()[: int(archive.stat().st_size * 0.7)])
    message = refuse(archive, tmp_path)
    assert message.startswith(f"data.{form}: archive is damaged or truncated\n  found ")
    assert message.endswith(f"\n  remove {archive} and download it again")


def test_no_archive(tmp_path):
    (tmp_path / "data.tar.gz").write_text("<html>Not found</html>")
    assert refuse(tmp_path / "data.tar.gz", tmp_path).startswith("data.tar.gz: archive is damaged or truncated")
