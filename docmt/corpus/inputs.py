"""What readers are given, and what they give: downloaded files in, documents out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docmt.core.errors import UserError
from docmt.corpus.unpack import unpack

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Document:
    """A document of sentence pairs. `where` is shown in messages: the file, and the line or name in it."""

    split: str
    name: str
    source: Sequence[str]
    target: Sequence[str]
    where: str


@dataclass(frozen=True)
class ContrastiveItem:
    """A row of `contrastive.parquet` (`docmt.core.documents.CONTRASTIVE`) without its number."""

    set: str
    distance: int
    source: tuple[str, ...]
    target_context: tuple[str, ...]
    variants: tuple[str, ...]
    correct: int


@dataclass(frozen=True)
class Reading:
    """What a reader gives.

    Documents are read as they are asked for; `changed` counts what was dropped, joined or removed on the way, and
    is complete when they are exhausted.
    """

    documents: Iterable[Document]
    contrastive: Iterable[ContrastiveItem] = ()
    changed: Counter[str] = field(default_factory=Counter)


class Inputs:
    """The downloaded files of a corpus, its languages, and a folder in which archives are unpacked once."""

    def __init__(self, downloads: Path, scratch: Path, source_language: str, target_language: str) -> None:
        self.downloads, self.scratch = downloads, scratch
        self.source_language, self.target_language = source_language, target_language

    def folder(self, archive: str | None) -> Path:
        """The folder of the files inside `archive`; none = that of the downloads."""
        if archive is None:
            return self.downloads
        unpacked = self.scratch / archive
        if not unpacked.exists():
            unpack(self.downloads / archive, unpacked)
        return unpacked

    def lines(self, archive: str | None, name: str) -> Iterator[str]:
        """The lines of a text file, without their ends. Raises UserError for a missing file and for invalid UTF-8."""
        yield from read_lines(self.folder(archive) / name, place(archive, name))


def place(archive: str | None, name: str) -> str:
    """How a file is named in messages."""
    return f"{archive}/{name}" if archive else name


def read_lines(path: Path, shown: str) -> Iterator[str]:
    """Lines are told apart by line feeds alone: other separators that Unicode knows may stand inside a sentence."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                text = _decoded(line, f"{shown}:{number}").rstrip("\r\n")
                yield text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text
    except (FileNotFoundError, IsADirectoryError):
        raise UserError("file not found", where=shown) from None


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        found = f"byte 0x{line[problem.start]:02x} at column {problem.start + 1}"
        raise UserError("not valid UTF-8", where=where, found=found) from None
