"""Git ids of what an archive holds, beside those that git itself prints."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.catalogue.checksums import checksum_of, object_ids

FILES = {"a": "one\n", "b/c": "", "b.d": "x", "b/sub.x/e": "deep", "b/sub/f": "ü\n", "b0": "0", "run.sh": "#!"}


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.email=a@b", "-c", "user.name=n")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path) -> Path:
    """A repository with one commit, and `top.tgz` with its files in the folder `top`."""
    folder = tmp_path / "top"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "run.sh").chmod(0o755)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "files")
    git(folder, "archive", "--prefix=top/", "--output", str(tmp_path / "top.tgz"), "HEAD")
    return folder


def test_ids_are_those_of_git(repository):
    names = [*FILES, "b", "b/sub", "b/sub.x"]
    expected = {f"top/{name}": git(repository, "rev-parse", f"HEAD:{name}") for name in names}
    expected["top"] = git(repository, "rev-parse", "HEAD^{tree}")
    assert object_ids(repository.parent / "top.tgz", expected) == expected
    assert object_ids(repository.parent / "top.tgz", {"top/none": ""}) == {"top/none": ""}


def test_a_damaged_archive_is_refused(tmp_path):
    path = tmp_path / "a.tgz"
    path.write_bytes(b"no archive")
    with pytest.raises(UserError, match=r"a\.tgz: archive is damaged or truncated"):
        object_ids(path, {"a": ""})
    with tarfile.open(path, "w:gz") as tar:
        tar.add(__file__, "top/a")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UserError, match="damaged"):
        object_ids(path, {"top/a": ""})


def test_the_checksum_of_chunks(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo")
    git_id = subprocess.run(["git", "hash-object", "a"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert checksum_of([b"one\n", b"two"], "git_blob", 7) == git_id.stdout.strip()
    assert checksum_of([], "md5", 0) == "d41d8cd98f00b204e9800998ecf8427e"
