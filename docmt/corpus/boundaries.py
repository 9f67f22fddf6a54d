"""The boundaries of documents in aligned lines: lines between documents, or a file beside the text."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, ClassVar, Literal, Self

from docmt.base.checks import need, setting
from docmt.corpus.inputs import Problems, ReaderInputs, text_of
from docmt.corpus.sides import Row, aligned_rows, opus_name

Run = tuple[str | None, list[Row]]  # A document: its name, or None where nothing states a name, and its rows
BESIDE = ("offsets", "lengths", "names")  # The settings of boundaries that name a file beside the text of each split
OPUS_TAG = re.compile(r"<(fromDoc|toDoc)>(.*)</\1>")  # A line that names the document of the lines after it.


@dataclass(frozen=True)
class BoundariesConfig:
    """The boundaries of documents in aligned lines.

    Documents are separated by blank lines, by lines with a marker or by the tags of OpusTools; or a file beside the
    text states the first line of each document, its number of lines, or the name of the document of each line.
    """

    PATHS: ClassVar = BESIDE

    blank: bool = setting(False, "a blank line between documents")
    marker: str | None = setting(None, "the text that lines between documents begin with")
    at: Literal["start", "end"] | None = setting(None, "whether the marker opens a document or closes it")
    opus_tags: bool = setting(
        False, "lines `<fromDoc>FILE</fromDoc>` and `<toDoc>FILE</toDoc>`, as `opus_read -pn` of OpusTools writes them"
    )
    offsets: dict[str, str] | None = setting(
        None, "by split, a file with the 0-based number of each document's first line, a number on each line"
    )
    lengths: dict[str, str] | None = setting(
        None, "by split, a file with the number of sentences of each document, a number on each line"
    )
    names: dict[str, str] | None = setting(
        None, "by split, a file with a line for each sentence: the name of the sentence's document"
    )

    def __post_init__(self) -> None:
        """Raise BadValue unless one kind of boundary is stated; `at` is stated only with `marker`."""
        kinds = ("blank", "marker", "opus_tags", *BESIDE)
        stated = [name for name in kinds if getattr(self, name)]
        expected = f"one of blank: true, {', '.join(kinds[1:-1])} and {kinds[-1]}"
        need(len(stated) == 1, "blank", stated or "nothing", expected)
        need((self.at is None) == (self.marker is None), "at", self.at, "start or end with a marker, and only with it")

    @property
    def beside(self) -> tuple[str, dict[str, str]] | None:
        """The setting that names files beside the text, and its files by split; None where lines are boundaries."""
        return next(((name, files) for name in BESIDE if (files := getattr(self, name)) is not None), None)

    def limited(self, splits: Iterable[str]) -> Self:
        """Return the same boundaries with the files of these splits only."""
        if self.beside is None:
            return self
        name, files = self.beside
        return replace(self, **{name: {split: files[split] for split in splits}})

    def is_boundary(self, text: str) -> bool:
        """Return whether a line is a boundary: it begins with the marker or, without a marker, it is blank."""
        return not text if self.marker is None else text.startswith(self.marker)


def aligned_runs(
    paths: Sequence[str], boundaries: BoundariesConfig | None, split: str, inputs: ReaderInputs
) -> Iterator[Run]:
    """Return an iterator over the documents of aligned files; without boundaries, each line is a document.

    Reports files with unequal numbers of lines, a boundary in one language only, a document without lines, text outside
    of all documents, and a file beside the text that does not fit the text.
    """
    if boundaries is None:
        return ((None, [row]) for row in aligned_rows(inputs, paths))
    if boundaries.beside is None:
        files = [inputs.display_name(path) for path in paths]
        cut = _by_tags if boundaries.opus_tags else _by_lines
        return cut(aligned_rows(inputs, paths), boundaries, files, inputs.problems)
    kind, by_split = boundaries.beside
    cut = {"offsets": _by_offsets, "lengths": _by_lengths, "names": _by_names}[kind]
    return cut(paths, by_split[split], inputs)


def _by_lines(
    rows: Iterable[Row], boundaries: BoundariesConfig, files: Sequence[str], problems: Problems
) -> Iterator[Run]:
    at = boundaries.at
    for run, before, after in _between_boundaries(rows, boundaries.is_boundary, problems, files):
        if run:
            first = f"{files[0]}:{run[0][0]}"
            if at == "start" and before is None:
                problems.report("text before the first marker", where=first)
            if at == "end" and after is None:
                problems.report("text after the last marker", where=first)
            yield None, run
        elif (before is not None or at == "end") and (after is not None or at == "start"):
            problems.report("empty document", where=f"{files[0]}:{after or before}")


def _by_tags(
    rows: Iterable[Row], boundaries: BoundariesConfig, files: Sequence[str], problems: Problems
) -> Iterator[Run]:
    # A blank line is before and after each tag; inside of a document, one side alone may be blank.
    rows = (row for row in rows if any(row[1]))
    name = None
    for is_tag, group in groupby(_tagged(rows, files, problems), key=lambda row: row[0]):
        if is_tag:
            *_, (_, (_, texts)) = group
            name = opus_name(*(OPUS_TAG.fullmatch(text)[2] for text in texts[:2]))
        else:
            run = [row for _, row in group]
            if name is None:
                problems.report("text before the first tag", where=f"{files[0]}:{run[0][0]}", found=repr(run[0][1][0]))
            yield name, run


def _tagged(rows: Iterable[Row], files: Sequence[str], problems: Problems) -> Iterator[tuple[bool, Row]]:
    """Yield rows, each with whether it is a tag on all sides; report a tag on one side only."""
    for number, texts in rows:
        at_tag = [text.startswith("<") and OPUS_TAG.fullmatch(text) is not None for text in texts]
        if any(at_tag) and not all(at_tag):
            problems.report("document boundary on one side only", where=f"{files[at_tag.index(True)]}:{number}")
        else:
            yield all(at_tag), (number, texts)


def _between_boundaries(
    rows: Iterable[Row], is_boundary: Callable[[str], bool], problems: Problems, files: Sequence[str]
) -> Iterator[tuple[list[Row], int | None, int | None]]:
    """Yield the rows between two boundaries, and the numbers of the lines of the two boundaries."""
    # The start and the end of the file are boundaries whose number is None.
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


def _by_offsets(paths: Sequence[str], offsets: str, inputs: ReaderInputs) -> Iterator[Run]:
    # The file `offsets` has the number of each document's first line, from 0.
    file = inputs.display_name(offsets)
    starts = dict(_rising_numbers(file, inputs.lines(offsets), inputs.problems))
    if 0 not in starts:
        first = next(iter(starts), "no offset")
        inputs.problems.report("text before the first offset", where=f"{file}:1", found=first, expected=0)
    last, firsts = 0, list(starts)
    # Rows count from 1 and offsets from 0, so that bisect_left counts the documents that begin at the row or before.
    for _, group in groupby(aligned_rows(inputs, paths), key=lambda row: bisect_left(firsts, row[0])):
        run = list(group)
        last = run[-1][0]
        yield None, run
    for start, number in starts.items():
        if start >= last:
            where = f"{file}:{number}"
            inputs.problems.report("offset after the last line", where=where, found=start, expected=f"below {last}")


def _rising_numbers(file: str, lines: Iterable[str], problems: Problems) -> Iterator[tuple[int, int]]:
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


def _by_lengths(paths: Sequence[str], lengths: str, inputs: ReaderInputs) -> Iterator[Run]:
    # The file `lengths` has the number of sentences of each document.
    file, rows = inputs.display_name(lengths), aligned_rows(inputs, paths)
    stated = read = line = 0
    for line, text in enumerate(inputs.lines(lengths), 1):
        if not text.strip().isdecimal() or int(text) == 0:
            what, expected = "not a number of sentences", "1 or more"
            inputs.problems.report(what, where=f"{file}:{line}", found=repr(text), expected=expected)
            continue
        run = list(islice(rows, int(text)))
        stated, read = stated + int(text), read + len(run)
        if run:
            yield None, run
    read += sum(1 for _ in rows)
    if stated != read:
        inputs.problems.report(
            "the numbers of sentences do not fit the text",
            where=f"{file}:{line}",
            found=f"{stated:,} sentences in all documents",
            expected=f"{read:,}, the lines of {inputs.display_name(paths[0])}",
        )


def _by_names(paths: Sequence[str], names: str, inputs: ReaderInputs) -> Iterator[Run]:
    # The file `names` has the name of the document of each line.
    for name, group in groupby(aligned_rows(inputs, [*paths, names]), key=lambda row: row[1][-1]):
        run = [(number, texts[:-1]) for number, texts in group]
        if not name:
            inputs.problems.report("no name of a document", where=f"{inputs.display_name(names)}:{run[0][0]}")
        yield name, run


def boundary_file(boundaries: BoundariesConfig, split: str, documents: Sequence[Sequence[Any]]) -> Mapping[str, str]:
    """Return the file beside the text of these documents by its path, for a fixture; empty where there is none."""
    if boundaries.beside is None:
        return {}
    kind, by_split = boundaries.beside
    sizes = list(map(len, documents))
    # The documents are named as documents without names are.
    names = [f"{split}{number}" for number, size in enumerate(sizes, 1) for _ in range(size)]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return {by_split[split]: text_of(map(str, {"offsets": starts, "lengths": sizes, "names": names}[kind]))}
