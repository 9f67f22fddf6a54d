"""Disks that are full or read-only: one message with the path, and no half-written file under its name."""

import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from helpers.damage import told
from helpers.fairseq_files import FairseqTraining
from helpers.recipes import write_recipe
from helpers.refusals import contents
from helpers.support import need

import docmt.models.store  # noqa: F401 (Python 3.11 cannot compile its modules as deep in calls as a test is)

LINES = 4000
SETTINGS = {
    "version": 1,
    "corpus": "own",
    "source_language": "fr",
    "target_language": "en",
    "licence": "",
    "citation": "",
    "files": [{"name": "table.tsv"}],
    "expected": {},
    "reader": {"kind": "table", "splits": {"train": "table.tsv"}},
}
"""The settings of the corpus."""


@pytest.fixture
def texts(tmp_path) -> Path:
    """What commands read, on a disk that has room."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a").write_text("".join(f"a b c d {number}\n" for number in range(LINES)))
    (folder / "d").write_text("".join(f"{number // 10}\n" for number in range(LINES)))
    (folder / "table.tsv").write_text(
        "source\ttarget\tdocument\n"
        + "".join(f"{number * 7919}\t{number * 104729}\t{number}\n" for number in range(9000))
    )
    FairseqTraining(folder, {})
    return folder


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    """A disk of its own, with room for 16 kB and an output of an earlier run."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    need("mount")
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        (folder / "older").write_text("older\n")
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def commands(texts: Path, output: Path) -> dict[str, list[object]]:
    """Commands that write a file `older`, or into a folder."""
    sides = (
        "--source",
        texts / "a",
        "--reference",
        texts / "a",
        "--baseline",
        texts / "a",
        "--hypotheses",
        texts / "a",
    )
    dictionaries = ("--source-dictionary", texts / "dict.txt", "--target-dictionary", texts / "dict.txt")
    languages = ("--source-language", "en", "--target-language", "de")
    return {
        "align": ["align", "--source", texts / "a", "--target", texts / "a", "--output", output / "older"],
        "sheet": ["draw-sheet", *sides, "--documents", texts / "d", "--output", output / "older",
                  "--key", output / "key.json"],
        "import": ["import-fairseq", "--checkpoint", texts / "best.pt", *dictionaries, *languages,
                   "--output", output / "model"],
    }  # fmt: skip


def write_corpus_job(texts: Path, folder: Path) -> list[str]:
    """The command of a corpus whose recipe is on the disk of its outputs; its downloads are on the other disk."""
    folder.mkdir()
    (folder / "downloads").symlink_to(texts)
    return write_recipe(folder, "corpus", SETTINGS, files={"downloads/table.tsv": texts / "table.tsv"})


@pytest.mark.parametrize("command", ["align", "sheet", "corpus", "import"])
@pytest.mark.parametrize("trouble", ["full", "read-only"])
def test_a_disk_that_takes_nothing(texts, disk, capsys, monkeypatch, command, trouble):
    words = write_corpus_job(texts, disk / "corpus") if command == "corpus" else commands(texts, disk)[command]
    before = contents(disk)
    if trouble == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    message = told(capsys, monkeypatch, words)
    assert f"{disk}/" in message.splitlines()[0]
    words = "the disk is full" if trouble == "full" else "the file system is read-only|is not writable"
    assert re.search(words, message.splitlines()[0])
    left = {name: data for name, data in contents(disk).items() if data is not None}
    assert left == {name: data for name, data in before.items() if data is not None}
    assert left["older"] == b"older\n"


def test_a_file_that_may_not_get_so_large(texts, tmp_path, capsys, monkeypatch):
    """As by `ulimit -f`, which needs no rights."""
    output = tmp_path / "older"
    output.write_text("older\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, limits[1]))
    try:
        message = told(
            capsys, monkeypatch, ["align", "--source", texts / "a", "--target", texts / "a", "--output", output]
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert message.startswith(f"docmt: {output}: the file would be too large\n")
    assert output.read_text() == "older\n"
    assert {path.name for path in tmp_path.iterdir()} == {"texts", "older"}


def test_files_that_cannot_be_read(texts, capsys, monkeypatch):
    """Root may read everything, so the system's refusal is made up."""
    refusals = {"a": PermissionError(13, "Permission denied"), "d": OSError(116, "Stale file handle")}
    opened = Path.open

    def refuse(self: Path, *mode: str, **options: object) -> IO:
        if self.name in refusals:
            raise refusals.pop(self.name)
        return opened(self, *mode, **options)

    monkeypatch.setattr(Path, "open", refuse)
    arguments = ["score", "--hypotheses", texts / "a", "--reference", texts / "a", "--documents", texts / "d"]
    assert f"docmt: {texts}/a: no permission\n" in told(capsys, monkeypatch, arguments)
    assert f"docmt: {texts}/d: the system says: Stale file handle\n" in told(capsys, monkeypatch, arguments)
    assert not refusals and "docmt" in sys.argv
