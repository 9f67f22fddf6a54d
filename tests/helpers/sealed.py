"""What a job leaves beside its outputs: a manifest and a record."""

import os
from collections.abc import Callable
from dataclasses import asdict
from itertools import count
from pathlib import Path

import pytest

from docmt.base.artifacts import write_json
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, Manifest, sealed
from docmt.base.recipe import JOB

_times = count(1)


def outputs_of(folder: Path) -> set[str]:
    """The names of what a finished job wrote, without its manifest and its record, which must be there, its recipe and
    its logs."""
    names = {path.name for path in folder.iterdir() if not path.match("log.*.txt")}
    assert names >= {MANIFEST, RECORD}
    return names - {MANIFEST, RECORD, JOB}


def rewrite(path: Path, content: bytes) -> None:
    """Write a file as a disk or an editor would change it, with a time that no reader has seen."""
    path.write_bytes(content)
    os.utime(path, ns=(0, next(_times)))


def write_manifest(folder: Path, *names: str, records: tuple[str, ...] = ()) -> None:
    """A manifest of files that exist, and a record, which has the digests of `records`."""
    digests = {name: FileDigest.of(folder / name) for name in (*names, *records)}
    of_run = {name: asdict(digests[name]) for name in records}
    write_json(folder / RECORD, sealed({"seconds": 1.5, "files": of_run}))
    files = {name: digests[name] for name in names}
    manifest = Manifest("1" * 64, "views", files=files, records=(*records, RECORD))
    write_json(folder / MANIFEST, manifest.to_json())


def check_reader(path: Path, read: Callable[[], object], place: int = -1) -> None:
    """A reader refuses a file that differs by a bit of one byte from what the manifest of its folder says."""
    write_manifest(path.parent, path.name)
    read()
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    rewrite(path, bytes(content))
    with pytest.raises(UserError, match=rf"{path.name}: the file differs from its manifest"):
        read()
