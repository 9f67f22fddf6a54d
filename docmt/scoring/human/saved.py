"""The rows of a sheet, however a spreadsheet saved it: delimiter, quotes, line ends and byte order mark may change."""

import codecs
import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from docmt.base.errors import UserError
from docmt.scoring.human.cells import unshielded
from docmt.scoring.human.sheet import COLUMNS

DELIMITERS = ",;\t"
"""What spreadsheets write between the cells of a CSV file, by country, and of "Unicode text"."""

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

LONGEST = 300
"""Characters of a heading that are looked at: the first line of a file that is no sheet may be all of it."""

REMEDY = "save the sheet as CSV in UTF-8"


def saved_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Rows below the heading, with their places (`file:line`) and without shields; blank rows are left out.

    Raises UserError where the file is missing, is not text, or has other columns than a sheet.
    """
    # Lines end where the file says so: a carriage return inside a cell is not to become a line feed.
    stream = StringIO(_text(path), newline="")
    reader = csv.reader(stream, delimiter=_delimiter(stream.readline(), path))
    line = 2
    try:
        for row in reader:
            where, line = f"{path}:{line}", reader.line_num + 2
            if any(cell.strip() for cell in row):
                yield where, [unshielded(cell) for cell in _whole(row, where)]
    except csv.Error as problem:
        raise UserError("not a row of CSV", where=f"{path}:{line}", found=problem, remedy=REMEDY) from None


def _text(path: Path) -> str:
    """UTF-8, or UTF-16 with a byte order mark, which is what Excel saves as "Unicode text"."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UserError("file not found", where=str(path)) from None
    encoding = "utf-16" if data.startswith(UTF_16) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        what = "not valid UTF-16" if encoding == "utf-16" else "not valid UTF-8"
        raise UserError(what, where=f"{path}:{line}", found=problem.reason, remedy=REMEDY) from None


def _delimiter(heading: str, path: Path) -> str:
    heading = heading[:LONGEST].strip()
    for delimiter in DELIMITERS:
        if [name.strip() for name in next(csv.reader([heading], delimiter=delimiter), [])] == list(COLUMNS):
            return delimiter
    raise UserError(
        "not a sheet",
        where=f"{path}:1",
        found=heading or "nothing",
        expected=", ".join(COLUMNS),
        remedy="leave the columns as they were, and save the sheet as CSV",
    )


def _whole(row: Sequence[str], where: str) -> Sequence[str]:
    if len(row) != len(COLUMNS):
        counts = {"found": len(row), "expected": len(COLUMNS)}
        raise UserError("another number of columns", where=where, **counts)
    return row
