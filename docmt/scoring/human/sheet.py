"""Sheets for annotators, as CSV or as a page with buttons, and the reader of filled sheets."""

import codecs
import csv
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.base.artifacts import atomic_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.spreadsheets import csv_lines, shield, unshield
from docmt.scoring.human.items import CONTEXT, Key, KeyItem, SheetItem, text_digest

STEPS = range(1, CONTEXT + 1)  # The distances of context sentences from the judged sentence, in sentences

COLUMNS = (
    "item",
    *(f"{side} -{step}" for step in reversed(STEPS) for side in ("source", "reference")),
    "source",
    *(f"{side} +{step}" for step in STEPS for side in ("source", "reference")),
    "translation 1",
    "translation 2",
    "choice",
)
"""The columns of a sheet, such as `source -1` for the source sentence before the judged sentence."""

EQUAL = "equal"  # The choice of an annotator who prefers neither translation

CHOICES = {"1": "the first is better", "2": "the second is better", EQUAL: "both are equally good"}
"""The values of the column `choice`, with their meanings."""

KEYS = {"1": "1", "2": "2", EQUAL: "0"}
"""The key on the page for each choice; a filled sheet may have the key in the place of the choice."""

OF_KEYS = {key: choice for choice, key in KEYS.items()}  # The choice of each key


def write_sheet(path: Path, items: Sequence[SheetItem]) -> None:
    """Write a sheet as CSV in UTF-8, whose column `choice` is empty but for pairs that are filled beforehand."""
    with atomic_file(path) as stream:
        # The byte order mark, by which spreadsheet programs recognise UTF-8; all cells are quoted, as in the files that
        # the page for annotators saves.
        stream.write("\ufeff" + csv_lines(sheet_rows(items), is_quoted=True))


def sheet_rows(items: Sequence[SheetItem]) -> list[list[str]]:
    """Return the heading of a sheet and a row for each item, with the choices filled beforehand."""
    rows = ([str(number), *item.texts, EQUAL if item.filled else ""] for number, item in enumerate(items, 1))
    return [list(COLUMNS), *rows]


def write_page(path: Path, items: Sequence[SheetItem], languages: tuple[str, str]) -> None:
    """Write a sheet as a page that works offline, stores choices in the browser and saves the filled sheet as CSV.

    `languages` are the language codes of source and target, from which browsers choose fonts.
    """
    loader = PackageLoader("docmt.scoring.human")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.get_template("sheet.html")
    rows = [[*map(shield, row)] for row in sheet_rows(items)]  # the script of the page saves them as they are
    values = {"items": items, "rows": rows, "choices": CHOICES, "keys": KEYS, "languages": languages}
    filled, digest = sum(item.filled for item in items), text_digest([text for item in items for text in item.texts])
    with atomic_file(path) as stream:
        stream.write(template.render(**values, filled=filled, digest=digest, file_name=path.stem))


DELIMITERS = ",;\t"
"""The delimiters of the files of spreadsheet programs: CSV, depending on the country, and "Unicode text"."""

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # The byte order marks of UTF-16

LONGEST = 300
"""The number of characters of a heading that are read, since a file that is not a sheet may have a very long line."""

REMEDY = "save the sheet as CSV in UTF-8"  # The remedy in messages about a file that is not CSV in UTF-8


def read_saved_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the place (`file:line`) and the cells of each row below the heading, without shields.

    Blank rows are left out. Delimiter, quotes, ends of lines and byte order mark may be those of any spreadsheet
    program. Raises UserError where the file is missing, is not text, or has other columns than a sheet.
    """
    # Without newline="", a carriage return inside a cell would become a line feed.
    stream = StringIO(_text(path), newline="")
    reader = csv.reader(stream, delimiter=_delimiter(stream.readline(), path))
    line = 2
    try:
        for row in reader:
            # A row may have several lines, and messages name its first line. The heading is line 1.
            where, line = f"{path}:{line}", reader.line_num + 2
            if any(cell.strip() for cell in row):
                if len(row) != len(COLUMNS):
                    raise UserError("a different number of columns", where=where, found=len(row), expected=len(COLUMNS))
                yield where, [unshield(cell) for cell in row]
    except csv.Error as problem:
        raise UserError("not a row of CSV", where=f"{path}:{line}", found=problem, remedy=REMEDY) from None


def _text(path: Path) -> str:
    with reading(path, "cannot be read"):
        data = path.read_bytes()
    # Excel saves UTF-16 with a byte order mark as "Unicode text".
    name, encoding = ("UTF-16", "utf-16") if data.startswith(UTF_16) else ("UTF-8", "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise UserError(f"not valid {name}", where=f"{path}:{line}", found=problem.reason, remedy=REMEDY) from None


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


Verdict = Literal["better", "worse", "equal"]
"""The verdict of an annotator on the translation of the system, compared with the translation of the baseline."""


def read_verdicts(path: Path, key: Key) -> list[Verdict]:
    """Read the verdicts of an annotator from a filled sheet, in the order of the items of the key.

    The rows of the sheet may be in any order. Raises UserError, with file and line, where the sheet does not belong to
    the key, where its texts were changed, or where rows or choices are missing.
    """
    verdicts: dict[int, Verdict] = {}
    empty: list[str] = []
    for where, row in read_saved_rows(path):
        number = _number(row[0], where, key, verdicts)
        if text_digest(row[1:-1]) != key.items[number - 1].texts:
            remedy = "change nothing but the column choice"
            raise UserError("not the sentences of the sheet", where=where, found=f"item {number}", remedy=remedy)
        choice = _choice(row[-1], where, key.items[number - 1])
        if not choice:
            empty.append(where)
        # A row without a choice gets a verdict here too, so that it is not missing; `_check_whole` refuses it below.
        verdicts[number] = _verdict(choice, key.items[number - 1])
    _check_whole(path, key, verdicts, empty)
    return [verdicts[number] for number in sorted(verdicts)]


def _choice(cell: str, where: str, item: KeyItem) -> str:
    """Return the choice in a cell, empty where there is none.

    Raises UserError for any other text, and where a person prefers one of two identical translations.
    """
    choice = cell.strip().lower()
    choice = OF_KEYS.get(choice, choice)
    if choice not in CHOICES and choice:
        raise UserError("not a choice", where=where, found=choice, expected=", ".join(CHOICES))
    if item.filled and choice not in ("", EQUAL):
        raise UserError("a choice between identical translations", where=where, found=choice, expected=EQUAL)
    return EQUAL if item.filled else choice


def annotator(path: Path) -> str:
    """Return the name of the annotator of a filled sheet: the last part of the name of the file.

    >>> annotator(Path("table4.sheet.anna.csv")), annotator(Path("ben.csv"))
    ('anna', 'ben')
    """
    return path.stem.rpartition(".")[2]


def _verdict(choice: str, item: KeyItem) -> Verdict:
    if choice == EQUAL:
        return "equal"
    return "better" if (choice == "1") == (item.first == "system") else "worse"


def _check_whole(path: Path, key: Key, verdicts: dict[int, Verdict], empty: list[str]) -> None:
    size = len(key.items)
    if len(verdicts) < size:
        missing = next(number for number in range(1, size + 1) if number not in verdicts)
        items = f"{len(verdicts)} items, item {missing} is missing"
        raise UserError("rows are missing", where=str(path), found=items, expected=f"{size} items")
    if empty:
        remedy = f"fill in the column choice: {', '.join(CHOICES)}"
        raise UserError("a sheet half filled", where=empty[0], found=f"{len(empty)} rows without choice", remedy=remedy)


def _number(cell: str, where: str, key: Key, numbers_so_far: Collection[int]) -> int:
    text, size = cell.strip(), len(key.items)
    if not text.isdecimal() or len(text) > len(str(size)) or not 1 <= int(text) <= size:
        raise UserError("not an item of the key", where=where, found=cell, expected=f"1 to {size}")
    if int(text) in numbers_so_far:
        raise UserError("an item twice", where=where, found=cell, expected="one row for each item")
    return int(text)
