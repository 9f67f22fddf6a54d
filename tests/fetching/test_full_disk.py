"""A disk that is full half-way through a download: one message, and the next run goes on from there."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from helpers.downloads import download_words
from helpers.support import need, run

from docmt.base.paths import DOWNLOADS

CONTENT = b"line\n" * 60_000
DOCMT = Path(sys.executable).parent / "docmt"
FACTS = {"source_language": "zh", "target_language": "en", "licence": "l", "citation": "c", "about": "a"}


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    """A disk of its own, with room for half of the file."""
    folder = tmp_path / "disk"
    folder.mkdir()
    need("mount")
    command = ["mount", "-t", "tmpfs", "-o", "size=144k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("needs the right to mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_nothing_is_lost_when_the_disk_is_full(server, disk, tmp_path):
    server.files["/a.txt"], server.etags["/a.txt"] = CONTENT, '"1"'
    catalogue = tmp_path / "mine.yaml"
    files = [{"name": "a.txt", "sources": [f"{server.url}/a.txt"]}]
    reader = {"kind": "lines", "splits": {"train": {"source": "a.txt", "target": "a.txt"}}}
    catalogue.write_text(yaml.safe_dump({"corpus": "mine", **FACTS, "files": files, "reader": reader}))
    command = [DOCMT, *download_words(disk, catalogue, "a.txt")]
    downloads = disk / DOWNLOADS.format(corpus="mine")
    full = run(command, cwd=disk)
    assert full.returncode != 0 and "Traceback" not in full.stderr
    assert f"{downloads.relative_to(disk)}/a.txt.part: the disk is full" in full.stderr
    part = downloads / "a.txt.part"
    received = part.stat().st_size
    assert 0 < received < len(CONTENT) and not (downloads / "a.txt").exists()
    subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
    server.seen.clear()
    done = run(command, cwd=disk)
    assert done.returncode == 0, done.stderr
    assert (downloads / "a.txt").read_bytes() == CONTENT
    assert [asked for _, asked in server.seen] == [f"bytes={received}-"]
