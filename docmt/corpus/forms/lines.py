"""The form `lines`: plain text with a sentence on each line; equal lines of two files are a sentence pair."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar, Literal, Self

from docmt.base.checks import need, setting
from docmt.catalogue.forms import Languages, SplitsReaderConfig
from docmt.corpus.inputs import Document, FixtureFiles, Problems, ReaderInputs, text_of
from docmt.corpus.sides import Row, SidesConfig, aligned_document, aligned_rows
from docmt.corpus.stock import Stock


@dataclass(frozen=True)
class BoundariesConfig:
    """The boundaries of documents in aligned lines: blank lines, lines with a marker, or a file of offsets."""

    PATHS: ClassVar = ("offsets",)

    blank: bool = setting(False, "a blank line between documents")
    marker: str | None = setting(None, "the text that lines between documents begin with")
    at: Literal["start", "end"] | None = setting(None, "whether the marker opens a document or closes it")
    offsets: dict[str, str] | None = setting(
        None, "by split, a file with the 0-based number of each document's first line, a number on each line"
    )

    def __post_init__(self) -> None:
        """Raise BadValue unless one of `blank`, `marker`, `offsets` is stated; `at` is stated only with `marker`."""
        stated = [name for name in ("blank", "marker", "offsets") if getattr(self, name)]
        need(len(stated) == 1, "blank", stated or "nothing", "one of blank: true, marker and offsets")
        need((self.at is None) == (self.marker is None), "at", self.at, "start or end with a marker, and only with it")

    def is_boundary(self, text: str) -> bool:
        """Return whether a line is a boundary: it begins with the marker or, without a marker, it is blank."""
        return not text if self.marker is None else text.startswith(self.marker)


@dataclass(frozen=True)
class LinesConfig(SplitsReaderConfig):
    """The settings of the form `lines`."""

    PATHS: ClassVar = ("splits", "documents")

    kind: Literal["lines"]
    splits: dict[str, SidesConfig]
    documents: BoundariesConfig | None = setting(
        BoundariesConfig(blank=True), "the boundaries of documents; none = each line is a document"
    )

    def __post_init__(self) -> None:
        """Raise BadValue for `drop_empty` with blank lines as boundaries, and for offsets of other splits."""
        super().__post_init__()
        boundaries = self.documents
        blank = boundaries is not None and boundaries.blank and self.drop_empty
        need(not blank, "drop_empty", True, "another boundary (a blank line already ends a document)")
        if boundaries is not None and boundaries.offsets is not None:
            same = boundaries.offsets.keys() == self.splits.keys()
            need(same, "documents.offsets", list(boundaries.offsets), f"the splits: {', '.join(self.splits)}")

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the paths of a split: its text and, where boundaries are stated by offsets, its file of offsets."""
        offsets = self.documents.offsets if self.documents is not None else None
        return [*super().files_of(split, languages), *([offsets[split]] if offsets else [])]

    def with_splits(self, splits: Mapping[str, Any]) -> Self:
        """Return the same settings with the given splits, and with the offsets of these splits only."""
        documents = self.documents
        if documents is not None and documents.offsets is not None:
            documents = replace(documents, offsets={split: documents.offsets[split] for split in splits})
        return replace(self, splits=splits, documents=documents)


def documents(config: LinesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named `<split>1`, `<split>2`, ...

    Reports files with unequal numbers of lines, and mistakes in the boundaries of documents.
    """
    for split, sides in config.in_order:
        file_names = [inputs.display_name(path) for path in sides.paths]
        rows = aligned_rows(inputs, sides.paths)
        for number, run in enumerate(_cut(rows, config.documents, split, file_names, inputs), 1):
            yield aligned_document(split, f"{split}{number}", run, file_names)


def _cut(
    rows: Iterable[Row], boundaries: BoundariesConfig | None, split: str, files: Sequence[str], inputs: ReaderInputs
) -> Iterator[list[Row]]:
    """Return an iterator over the documents; a document is a list of its rows.

    `files` has the names of the files in messages. Reports a boundary in one language only, a document without lines,
    text outside of all documents, and offsets that do not fit the text.
    """
    if boundaries is None:
        return ([row] for row in rows)
    if boundaries.offsets is not None:
        return _by_offsets(rows, inputs, boundaries.offsets[split])
    return _by_boundaries(rows, boundaries, files, inputs.problems)


def _by_boundaries(
    rows: Iterable[Row], boundaries: BoundariesConfig, files: Sequence[str], problems: Problems
) -> Iterator[list[Row]]:
    """Yield the rows of each document between boundary lines.

    Reports documents without lines, text before the first marker where a marker starts a document, and text after the
    last marker where a marker ends a document.
    """
    at = boundaries.at
    for run, before, after in _between_boundaries(rows, boundaries.is_boundary, problems, files):
        if run:
            first = f"{files[0]}:{run[0][0]}"
            if at == "start" and before is None:
                problems.report("text before the first marker", where=first)
            if at == "end" and after is None:
                problems.report("text after the last marker", where=first)
            yield run
        elif (before is not None or at == "end") and (after is not None or at == "start"):
            problems.report("empty document", where=f"{files[0]}:{after or before}")


def _between_boundaries(
    rows: Iterable[Row], is_boundary: Callable[[str], bool], problems: Problems, files: Sequence[str]
) -> Iterator[tuple[list[Row], int | None, int | None]]:
    """Yield the rows between two boundaries, and the numbers of the lines of the two boundaries.

    The list of rows may be empty. The start and the end of the file are boundaries whose number is None. Reports a
    boundary in one language only.
    """
    run: list[Row] = []
    before = None
    for number, texts in rows:
        at_boundary = [is_boundary(text) for text in texts]
        if not any(at_boundary):
            run.append((number, texts))
            continue
        if all(at_boundary):
            yield run, before, number
            run, before = [], number
        else:
            problems.report("document boundary on one side only", where=f"{files[at_boundary.index(True)]}:{number}")
    yield run, before, None


def _by_offsets(rows: Iterable[Row], inputs: ReaderInputs, offsets: str) -> Iterator[list[Row]]:
    """Yield the rows of each document; `offsets` is a file with the number of each document's first line, from 0."""
    file = inputs.display_name(offsets)
    starts = dict(_offsets(file, inputs.lines(offsets), inputs.problems))
    if starts and 0 not in starts:
        inputs.problems.report("text before the first offset", where=f"{file}:1", found=next(iter(starts)), expected=0)
    last, firsts = 0, list(starts)
    # Rows count from 1 and offsets from 0, so that bisect_left counts the documents that begin at the row or before.
    for _, group in groupby(rows, key=lambda row: bisect_left(firsts, row[0])):
        run = list(group)
        last = run[-1][0]
        yield run
    for start, number in starts.items():
        if start >= last:
            where = f"{file}:{number}"
            inputs.problems.report("offset after the last line", where=where, found=start, expected=f"below {last}")


def _offsets(file: str, lines: Iterable[str], problems: Problems) -> Iterator[tuple[int, int]]:
    """Yield each offset with the number of its line in the file of offsets.

    Reports an offset that is no number, or that is not larger than the offset before.
    """
    before = -1
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text.isdecimal():
            problems.report("not a line number", where=f"{file}:{number}", found=repr(line), expected="0 or more")
        elif int(text) <= before:
            problems.report("offsets do not rise", where=f"{file}:{number}", found=text, expected=f"above {before}")
        else:
            before = int(text)
            yield before, number


def write(config: LinesConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each split of a fixture and, where boundaries are stated by offsets, its file of offsets."""
    boundaries = config.documents
    for split, sides in config.in_order:
        documents = stock.draw_documents(
            config, split, sides.source, len(sides.paths) - 1, cut=1 if boundaries is None else None
        )
        for side, path in enumerate(sides.paths):
            yield path, text_of(_with_boundaries([[row[side] for row in rows] for rows in documents], boundaries))
        if boundaries is not None and boundaries.offsets is not None:
            starts = [sum(map(len, documents[:number])) for number in range(len(documents))]
            yield boundaries.offsets[split], text_of(map(str, starts))


def _with_boundaries(documents: list[list[str]], boundaries: BoundariesConfig | None) -> Iterator[str]:
    """Yield the lines of a file: the sentences of the documents, with the blank lines or markers of `boundaries`."""
    marks = {} if boundaries is None else {boundaries.at: [boundaries.marker]}
    for number, sentences in enumerate(documents):
        yield from marks.get("start", ())
        if boundaries is not None and boundaries.blank and number > 0:
            yield ""
        yield from sentences
        yield from marks.get("end", ())
