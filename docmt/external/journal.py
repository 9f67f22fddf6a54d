"""The journal of a job that asks a program: the answers so far, which a later attempt of the job reads.

A journal is a file with a line of JSON for each answer, outside the outputs of the job. Each line is on the disk before
the next request is sent, so that a job that is killed at any moment loses no answer and asks nothing twice.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from docmt.base.artifacts import read_json_lines
from docmt.base.digests import canonical_json
from docmt.base.errors import TRY_AGAIN, UserError
from docmt.base.foreign import naming, reading

DIGITS = 16
"""The number of digits of the job's identity in the name of its journal."""


class Journal:
    """The answers to requests, by the digests of the requests."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        """Read the answers in the file `path`, which is open as `stream` and ends with a whole line."""
        rows = read_json_lines(path, "request", "translations")
        with reading(path, "not a journal of answers", remedy="remove it: its documents are translated again"):
            self.answers = {row["request"]: _texts(row["translations"]) for row in rows}
        self._path, self._stream = path, stream

    def add(self, request: str, translations: list[str]) -> None:
        """Write an answer, and wait until the disk has it."""
        line = canonical_json({"request": request, "translations": translations})
        with naming(self._path):
            self._stream.write(line.encode() + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self.answers[request] = translations


@contextmanager
def open_journal(folder: Path, identity: str) -> Iterator[Journal]:
    """Open the journal of a job in a folder; the block may add answers to it.

    A job of another identity has another file. A last line without its end was cut by a kill, and is removed. Raises
    UserError where another process has the journal open, and where the file is no journal.
    """
    path = journal_path(folder, identity)
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another process asks the program for these translations",
                where=str(path),
                remedy="wait for its end, or end it, and run the command again",
                status=TRY_AGAIN,
            ) from None
        _drop_torn_line(stream)
        _sync_folder(folder)
        yield Journal(path, stream)


def journal_path(folder: Path, identity: str) -> Path:
    """Return the path of the journal of a job with this identity."""
    return folder / f"answers.{identity[:DIGITS]}.jsonl"


def remove_journal(folder: Path, identity: str) -> None:
    """Remove the journal of a job that has ended well, and its folder if no other journal is in it."""
    journal_path(folder, identity).unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _drop_torn_line(stream: BinaryIO) -> None:
    """Cut the bytes after the last line end of a file."""
    stream.seek(0)
    content = stream.read()
    stream.truncate(content.rfind(b"\n") + 1)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has the entries of a folder: a new file is lost without them."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _texts(value: object) -> list[str]:
    """Return a list of texts; raise TypeError for any other value."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError(f"{json.dumps(value)[:40]} is no list of texts")
    return value
