"""The input and output of corpus readers, and the output of fixture writers.

A reader converts files to documents; a writer of fixtures converts documents to files. Mistakes in a corpus are
reported to an object of the class `Problems`. Stage 1 stops at the first problem; a review of a corpus collects all
problems (`CollectedProblems`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from docmt.base.artifacts import BYTE_ORDER_MARK
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.untrusted import limited_lines
from docmt.corpus.compression import open_bytes, opener

DAMAGED = "compressed file is damaged or truncated"
MANY_SENTENCES = 1000
"""The number of sentences above which a split of one document is probably text whose boundaries are missing."""
Rows = list[tuple[str, ...]]
"""A document: for each sentence a tuple of the source, the target and the further references."""
FixtureFiles = Iterator[tuple[str, str | bytes]]
"""The files of a fixture: the path of each file, which may lead through archives, and the content of the file."""


@dataclass(frozen=True)
class SideText:
    """The sentences of a document in one language, with the file and the lines that they come from."""

    sentences: Sequence[str | None]  # None for a sentence that a reference lacks
    file: str  # its name in messages
    lines: Sequence[int] = ()  # the number of the line of each sentence, from 1; empty where the file has no lines

    def location(self, number: int) -> str:
        """Return the place of a sentence, as `file:line`; the `number` of the sentence counts from 0."""
        return f"{self.file}:{self.lines[number]}" if self.lines else f"{self.file}, sentence {number + 1}"


@dataclass(frozen=True)
class Document:
    """A document of sentence pairs.

    `references` are further translations beside the target. `where` is the place in the corpus' files at which the
    document begins, in the form in which messages show it.
    """

    split: str
    name: str
    source: SideText
    target: SideText
    where: str
    references: tuple[SideText, ...] = ()

    @property
    def sides(self) -> tuple[SideText, ...]:
        """The source, the target and the further references, in this order."""
        return (self.source, self.target, *self.references)


@dataclass(frozen=True)
class ContrastiveItem:
    """A contrastive item: a row of `contrastive.parquet` (`docmt.base.columns.CONTRASTIVE`) without the item's number.

    `set` is the name of the set; a part of the set may follow after a slash. The judged sentence is the last sentence
    of the item; `distance` is the number of sentences from the deciding sentence to the judged sentence.
    `target_context` has the translations of the sentences before the judged sentence, and `variants` the translations
    of the judged sentence. `correct` is the index of the right variant. `where` is the place of the item in the corpus'
    files, in the form in which messages show it.
    """

    set: str
    distance: int
    source: tuple[str, ...]
    target_context: tuple[str, ...]
    variants: tuple[str, ...]
    correct: int
    where: str = ""


@dataclass
class ProblemKind:
    """A kind of problem: the number of problems of this kind, and the first of these problems as lines of text."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Problems:
    """A receiver of problems that ends the reading at the first problem, with a UserError.

    It counts the warnings of each kind, and keeps the text of the first `at_most` of them.
    """

    at_most: int = 3
    warnings: dict[str, ProblemKind] = field(default_factory=dict)

    def report(self, what: str, *, where: str, **facts: object) -> None:
        """Raise UserError for a problem of the kind `what`; `facts` are further arguments of UserError.

        A subclass may collect the problem instead of raising an error; therefore callers go on reading after the call.
        """
        raise UserError(what, where=where, **facts)

    def warn(self, what: str, *, where: str, found: object) -> None:
        """Add a warning of the kind `what`: about text that is allowed in a corpus but is rarely intended."""
        _add(self.warnings, self.at_most, what, where, found=found)


@dataclass
class CollectedProblems(Problems):
    """A receiver that counts the problems of each kind too, and raises no error."""

    problems: dict[str, ProblemKind] = field(default_factory=dict)

    def report(self, what: str, *, where: str, **facts: object) -> None:
        """Add a problem of the kind `what`; nothing is raised."""
        _add(self.problems, self.at_most, what, where, **facts)


def _add(kinds: dict[str, ProblemKind], at_most: int, what: str, where: str, **facts: object) -> None:
    kind = kinds.setdefault(what, ProblemKind())
    kind.count += 1
    if kind.count <= at_most:
        details = [f"{name} {facts[name]}" for name in ("found", "expected") if facts.get(name) is not None]
        kind.examples.append(": ".join([where, *(["; ".join(details)] if details else [])]))


@dataclass
class ReaderInputs:
    """The input of a reader: the downloaded files of a corpus, its languages, and a folder for unpacked archives.

    `downloads` is the folder of the downloaded files. Each archive is unpacked once, into `scratch`. Readers report
    mistakes to `problems`. `changed` counts how often readers dropped, joined or removed text, by the kind of change;
    the counts are complete once the documents and items of the reader are exhausted.
    """

    downloads: Path
    scratch: Path
    source_language: str
    target_language: str
    problems: Problems = field(default_factory=Problems)
    changed: Counter[str] = field(default_factory=Counter)
    archive: str | None = None
    """The archive that holds the files of the reader; None = the files are among the downloads."""

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the source and the target language."""
        return self.source_language, self.target_language

    def within(self, archive: str | None) -> "ReaderInputs":
        """Return the same input for a reader whose files are in `archive`; None = the files are among the downloads."""
        return replace(self, archive=archive)

    def path(self, name: str) -> Path:
        """Return the path of a file or folder, after all archives on the way to it are unpacked.

        Raises UserError where an archive is missing or damaged.
        """
        path = Path(name)
        return self.folder(path.parent) / path.name

    def folder(self, name: Path | str) -> Path:
        """Return the path of a folder, or of the folder with the files of an archive, as `path` does."""
        # `path` is the place on the disk. `inside` is the path below the downloads, archives included: an archive is
        # unpacked to a folder with this name.
        path, inside = self.downloads, Path()
        if self.archive is not None:
            path, inside = self._opened(path / self.archive, Path(self.archive)), Path(self.archive)
        for part in Path(name).parts:
            path, inside = path / part, inside / part
            if path.is_file():
                path = self._opened(path, inside)
        return path

    def _opened(self, archive: Path, name: Path) -> Path:
        # A folder of the user's needs no unpacking.
        if archive.is_dir():
            return archive
        # Imported late, since planning imports this module too and needs no libraries for archives.
        from docmt.corpus.unpack import unpack

        folder = self.scratch / str(name).replace("/", "|")
        if not folder.exists():
            unpack(archive, folder)
        return folder

    def display_name(self, name: str) -> str:
        """Return the name of a file of the reader, in the form in which messages show it."""
        return display_name(self.archive, name)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open the bytes of a file, decompressed. Raises UserError for a file that is missing or damaged."""
        remedy = "remove it, and make or download it again"
        with reading(self.display_name(name), DAMAGED, remedy=remedy), open_bytes(self.path(name)) as stream:
            yield stream

    def plain_path(self, name: str) -> Path:
        """Return the path of a file, or of its decompressed copy, for libraries that read no stream."""
        path = self.path(name)
        if path.is_file() and opener(path) is not None:
            return next(self.folder(name).iterdir())
        return path

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a text file, without the line ends; a compressed file is decompressed.

        Reports invalid UTF-8. Raises UserError for a missing or damaged file, and for a line that is too long.
        """
        file = self.display_name(name)
        with self.opened(name) as stream:
            # Only a line feed ends a line, since other line separators of Unicode may occur inside a sentence.
            for number, line in enumerate(limited_lines(stream, file), 1):
                try:
                    text = line.decode()
                except UnicodeDecodeError as problem:
                    bad_byte = f"byte 0x{line[problem.start]:02x} at column {problem.start + 1}"
                    self.problems.report("not valid UTF-8", where=f"{file}:{number}", found=bad_byte)
                    text = line.decode(errors="replace")
                text = text.rstrip("\r\n")
                # Some editors write a byte order mark at the beginning of a file.
                yield text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text

    def text(self, name: str) -> str:
        """Return the content of a whole text file."""
        return "\n".join(self.lines(name))


def display_name(archive: str | None, name: str) -> str:
    """Return the name of a file, or of a file inside an archive, in the form in which messages show it."""
    return f"{archive}/{name}" if archive else name


def tsv_rows(
    inputs: ReaderInputs, path: str, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the values of each row of a TSV file with a header.

    The values are those of `columns`, then of the columns `optional`; the value of an `optional` column that the file
    lacks is "". Reports a row whose number of columns differs from that of the header. Raises UserError for a file that
    is missing or damaged, or that lacks one of `columns`.
    """
    lines = inputs.lines(path)
    header = next(lines, "").split("\t")
    need_columns(header, columns, f"{inputs.display_name(path)}:1")
    indices = [header.index(name) if name in header else None for name in (*columns, *optional)]
    for number, line in enumerate(lines, 2):
        values = line.split("\t")
        if fits_header(values, header, f"{inputs.display_name(path)}:{number}", inputs.problems):
            yield number, ["" if index is None else values[index] for index in indices]


def fits_header(values: Sequence[str], header: Sequence[str], where: str, problems: Problems) -> bool:
    """Return whether a row of a table has as many columns as the header; report a row that has not."""
    if len(values) == len(header):
        return True
    what, width = "row has more or fewer columns than the header", f"{len(values)} columns"
    problems.report(what, where=where, found=width, expected=f"{len(header)} columns")
    return False


def need_columns(columns: Sequence[str], needed: Sequence[str], where: str) -> None:
    """Raise UserError where `columns` lacks some of the names in `needed`, or has one of them more than once."""
    missing = [name for name in needed if name not in columns]
    if missing:
        raise UserError("columns are missing", where=where, found=", ".join(columns), expected=", ".join(missing))
    repeated = [name for name in dict.fromkeys(needed) if columns.count(name) > 1]
    if repeated:
        raise UserError(
            "several columns have one name",
            where=where,
            found=", ".join(repeated),
            expected="each name once",
            remedy="name the column by its number (`source: 2`), or rename it in the file",
        )


def text_of(lines: Iterable[str]) -> str:
    """Return the content of a text file with these lines, each ended by a line feed."""
    return "".join(f"{line}\n" for line in lines)
