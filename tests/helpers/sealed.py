"""What a job leaves beside its outputs: a manifest and a record."""

import os
from itertools import count
from pathlib import Path

from docmt.base.manifest import MANIFEST, RECORD

_times = count(1)


def outputs_of(folder: Path, prefix: str = "") -> set[str]:
    """The names of what a finished job wrote, without its manifest and its record, which must be there."""
    names = {path.name for path in folder.iterdir()}
    of_every_job = {f"{prefix}{MANIFEST}", f"{prefix}{RECORD}"}
    assert of_every_job <= names
    return names - of_every_job


def rewrite(path: Path, content: bytes) -> None:
    """Write a file as a disk or an editor would change it, with a time that no reader has seen."""
    path.write_bytes(content)
    os.utime(path, ns=(0, next(_times)))
