"""What forms are given, and what they give: files in, documents out; for fixtures the other way round.

What is wrong with a corpus is reported to `Problems`: reading stops at the first, validating collects all.
"""

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from docmt.base.artifacts import BYTE_ORDER_MARK
from docmt.base.errors import UserError
from docmt.base.foreign import reading

DAMAGED = "compressed file is damaged or truncated"
Rows = list[tuple[str, ...]]
"""A document: source, target and further references of each sentence."""
FixtureFiles = Iterator[tuple[str, str | bytes]]
"""Files of a fixture: paths, which may lead through archives, and contents."""


@dataclass(frozen=True)
class SideText:
    """The sentences of a document in one language, and where each stands: a file, as shown in messages, and lines.

    A reference's sentences are None where there is none; no `lines`, no line numbers.
    """

    sentences: Sequence[str | None]
    file: str
    lines: Sequence[int] = ()

    def location(self, number: int) -> str:
        """`file:line` of a sentence, counted from 0."""
        return f"{self.file}:{self.lines[number]}" if self.lines else f"{self.file}, sentence {number + 1}"


@dataclass(frozen=True)
class Document:
    """A document of sentence pairs; `references` are further translations. `where` it begins is shown in messages."""

    split: str
    name: str
    source: SideText
    target: SideText
    where: str
    references: tuple[SideText, ...] = ()

    @property
    def sides(self) -> tuple[SideText, ...]:
        return (self.source, self.target, *self.references)


@dataclass(frozen=True)
class ContrastiveItem:
    """A row of `contrastive.parquet` (`docmt.base.columns.CONTRASTIVE`) without its number. `where` it was found."""

    set: str
    distance: int
    source: tuple[str, ...]
    target_context: tuple[str, ...]
    variants: tuple[str, ...]
    correct: int
    where: str = ""


class Problems:
    """Each problem ends the reading, as a UserError."""

    def report(self, what: str, *, where: str, **facts: object) -> None:
        """`what` is the kind of problem, `facts` are those of UserError; whoever reports goes on as well as he can."""
        raise UserError(what, where=where, **facts)

    def warn(self, what: str, *, where: str, found: object) -> None:
        """What a corpus may have, though it is rarely meant."""


@dataclass
class ProblemKind:
    """All problems of a kind: how many, and the first ones as shown."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class CollectedProblems(Problems):
    """Keeps at most so many problems of each kind, and counts the rest."""

    at_most: int
    problems: dict[str, ProblemKind] = field(default_factory=dict)
    warnings: dict[str, ProblemKind] = field(default_factory=dict)

    def report(self, what: str, *, where: str, **facts: object) -> None:
        self._keep(self.problems, what, where, **facts)

    def warn(self, what: str, *, where: str, found: object) -> None:
        self._keep(self.warnings, what, where, found=found)

    def _keep(self, kinds: dict[str, ProblemKind], what: str, where: str, **facts: object) -> None:
        kind = kinds.setdefault(what, ProblemKind())
        kind.count += 1
        if kind.count <= self.at_most:
            told = [f"{name} {facts[name]}" for name in ("found", "expected") if facts.get(name) is not None]
            kind.examples.append(": ".join([where, *(["; ".join(told)] if told else [])]))


@dataclass
class ReaderInputs:
    """The downloaded files of a corpus, its languages, and a folder in which archives are unpacked once.

    Readers report to `problems` what is wrong, and count in `changed` what they dropped, joined or removed: it is
    complete when what they give is exhausted.
    """

    downloads: Path
    scratch: Path
    source_language: str
    target_language: str
    problems: Problems = field(default_factory=Problems)
    changed: Counter[str] = field(default_factory=Counter)
    archive: str | None = None
    """In which archive names are; none = among the downloads."""

    @property
    def languages(self) -> tuple[str, str]:
        return self.source_language, self.target_language

    def within(self, archive: str | None) -> "ReaderInputs":
        """The same for a reader whose files are in an archive."""
        return replace(self, archive=archive)

    def path(self, name: str) -> Path:
        """Where a file or folder lies once its archive, and archives inside it on the way there, are unpacked.

        Raises UserError where an archive is missing or damaged.
        """
        path, inside = self.downloads, Path()
        if self.archive is not None:
            path, inside = self._unpacked(path / self.archive, Path(self.archive)), Path(self.archive)
        *folders, last = Path(name).parts or ("",)
        for folder in folders:
            path, inside = path / folder, inside / folder
            if path.is_file():
                path = self._unpacked(path, inside)
        return path / last

    def _unpacked(self, archive: Path, name: Path) -> Path:
        from docmt.corpus.unpack import unpack  # its libraries are none of planning's, which reads forms too

        folder = self.scratch / str(name).replace("/", "|")
        if not folder.exists():
            unpack(archive, folder)
        return folder

    def display_name(self, name: str) -> str:
        """How a file is named in messages."""
        return display_name(self.archive, name)

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a text file, without their ends.

        They are told apart by line feeds alone: other separators that Unicode knows may stand inside a sentence.
        Reports invalid UTF-8. Raises UserError for a missing or damaged file.
        """
        path, shown = self.path(name), self.display_name(name)
        opened = gzip.open if path.suffix == ".gz" else open
        with reading(shown, DAMAGED, remedy="remove it, and make or fetch it again"), opened(path, "rb") as stream:
            for number, line in enumerate(stream, 1):
                text = _decoded(line, f"{shown}:{number}", self.problems).rstrip("\r\n")
                yield text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text

    def text(self, name: str) -> str:
        """A whole text file."""
        return "\n".join(self.lines(name))


def display_name(archive: str | None, name: str) -> str:
    """How a file is named in messages."""
    return f"{archive}/{name}" if archive else name


def _decoded(line: bytes, where: str, problems: Problems) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        found = f"byte 0x{line[problem.start]:02x} at column {problem.start + 1}"
        problems.report("not valid UTF-8", where=where, found=found)
        return line.decode("utf-8", errors="replace")


def tsv_rows(
    inputs: ReaderInputs, path: str, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, list[str]]]:
    """The values that these columns of a table with a header have, with the number of the row's line.

    Of an optional column that the table lacks they are "". Reports a row with another number of columns than the
    header. Raises UserError for a file that is missing or damaged, or lacks a column.
    """
    lines = inputs.lines(path)
    header = next(lines, "").split("\t")
    need_columns(header, columns, f"{inputs.display_name(path)}:1")
    places = [header.index(name) if name in header else None for name in (*columns, *optional)]
    for number, line in enumerate(lines, 2):
        values = line.split("\t")
        if len(values) == len(header):
            yield number, ["" if place is None else values[place] for place in places]
        else:
            where, what = f"{inputs.display_name(path)}:{number}", "a row with another number of columns"
            found, expected = f"{len(values)} columns", f"{len(header)}, as in the header"
            inputs.problems.report(what, where=where, found=found, expected=expected)


def need_columns(found: Sequence[str], wanted: Sequence[str], where: str) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise UserError("columns are missing", where=where, found=", ".join(found), expected=", ".join(missing))


def text_of(lines: Iterable[str]) -> str:
    """The content of a text file."""
    return "".join(f"{line}\n" for line in lines)
