"""Where documents begin and end in aligned lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from docmt.catalogue.readers import BoundariesConfig
from docmt.corpus.inputs import Inputs, place
from docmt.corpus.problems import Problems
from docmt.corpus.readers.aligned import Row


def cut_rows(
    rows: Iterable[Row],
    boundaries: BoundariesConfig | None,
    inputs: Inputs,
    files: Sequence[str],
    offsets: tuple[str | None, str] | None,
) -> Iterator[list[Row]]:
    """The rows of each document. `files`: as shown in messages; `offsets`: archive and name of that file.

    Reports a boundary on one side only, a document without lines, and text outside of all documents.
    """
    if boundaries is None:
        return ([row] for row in rows)
    if offsets is not None:
        return _by_offsets(rows, inputs, place(*offsets), inputs.lines(*offsets))
    if boundaries.marker is None:
        return _by_marks(rows, lambda text: not text, None, inputs.problems, files)
    marker = boundaries.marker
    return _by_marks(rows, lambda text: text.startswith(marker), boundaries.at, inputs.problems, files)


def _by_marks(
    rows: Iterable[Row], is_mark: Callable[[str], bool], at: str | None, problems: Problems, files: Sequence[str]
) -> Iterator[list[Row]]:
    """`at`: whether a mark opens a document or closes it; None = it stands between two, and may at the ends."""
    for run, before, after in _between_marks(rows, is_mark, problems, files):
        if run:
            first = f"{files[0]}:{run[0][0]}"
            if at == "start" and before is None:
                problems.report("text before the first marker", where=first)
            if at == "end" and after is None:
                problems.report("text after the last marker", where=first)
            yield run
        elif (before is not None or at == "end") and (after is not None or at == "start"):
            problems.report("empty document", where=f"{files[0]}:{after or before}")


def _between_marks(
    rows: Iterable[Row], is_mark: Callable[[str], bool], problems: Problems, files: Sequence[str]
) -> Iterator[tuple[list[Row], int | None, int | None]]:
    """The rows between two marks, perhaps none, and the lines of these marks; None = the file's start or end."""
    run: list[Row] = []
    before = None
    for number, texts in rows:
        marks = [is_mark(text) for text in texts]
        if not any(marks):
            run.append((number, texts))
            continue
        if all(marks):
            yield run, before, number
            run, before = [], number
        else:
            problems.report("document boundary on one side only", where=f"{files[marks.index(True)]}:{number}")
    yield run, before, None


def _by_offsets(rows: Iterable[Row], inputs: Inputs, file: str, lines: Iterable[str]) -> Iterator[list[Row]]:
    """`lines` of the offset file: the 0-based number of each document's first line."""
    starts = _offsets(file, lines, inputs.problems)
    run: list[Row] = []
    following = next(starts, None)
    if following is not None and following[0] != 0:
        inputs.problems.report("text before the first offset", where=f"{file}:1", found=following[0], expected=0)
    last = 0
    for row in rows:
        while following is not None and following[0] < row[0]:
            if run:
                yield run
            run, following = [], next(starts, None)
        run.append(row)
        last = row[0]
    if run:
        yield run
    for start, number in [following, *starts] if following is not None else []:
        where = f"{file}:{number}"
        inputs.problems.report("offset after the last line", where=where, found=start, expected=f"below {last}")


def _offsets(file: str, lines: Iterable[str], problems: Problems) -> Iterator[tuple[int, int]]:
    """Each offset with the number of its line in the offset file. Reports what does not rise, or is no number."""
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
