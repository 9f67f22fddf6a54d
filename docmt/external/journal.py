"""The journal of a job that asks a program: the answers so far, which a later attempt of the job reads.

A journal is a file with a line of JSON for each answer, outside the outputs of the job. Each line is on the disk before
the next request is sent, so that a job that is killed at any moment loses no answer and asks nothing twice.
"""

import json
import os
from pathlib import Path

from docmt.base.artifacts import read_json_lines
from docmt.base.digests import canonical_json
from docmt.base.foreign import naming, reading

NAME = "answers.jsonl"
"""The name of the file."""


class Journal:
    """The answers to requests, by the digests of the requests. The job that has the lease of its folder writes it."""

    def __init__(self, folder: Path) -> None:
        """Read the answers in a folder. A last line without its end was cut by a kill, and is removed.

        Raises UserError where the file is no journal.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        self.path.touch()
        os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)
        rows = read_json_lines(self.path, "request", "translations")
        with reading(self.path, "not a journal of answers", remedy="remove it: its documents are translated again"):
            self.answers = {row["request"]: _texts(row["translations"]) for row in rows}

    def add(self, request: str, translations: list[str]) -> None:
        """Write an answer, and wait until the disk has it."""
        line = canonical_json({"request": request, "translations": translations})
        with naming(self.path), self.path.open("ab") as stream:
            stream.write(line.encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        self.answers[request] = translations

    def remove(self) -> None:
        """Remove the journal of a job that has ended well, and its folder where nothing else is in it."""
        self.path.unlink()
        if not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()


def _texts(value: object) -> list[str]:
    """Return a list of texts; raise TypeError for any other value."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError(f"{json.dumps(value)[:40]} is no list of texts")
    return value
