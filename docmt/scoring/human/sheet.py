"""A sheet as annotators get it, as CSV or as a page to click on, and filled sheets read back.

Spreadsheets compute a cell that begins with one of a few characters, blanks before it left out, also in their
full-width forms: a translation `=HYPERLINK(...)` would run on the annotator's machine (OWASP, CSV Injection). So cells
have shields, by which no spreadsheet takes them as a formula, and lose them again.
"""

import codecs
import csv
import re
from collections.abc import Collection, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.base.artifacts import atomic_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.scoring.human.items import CONTEXT, Key, KeyItem, SheetItem, text_digest

SHIELD = "'"
"""Stands before a text that is dangerous; spreadsheets know it as the mark of a text."""

BLANK = r"[\s\u200b-\u200f\u2060\ufeff]"
"""What spreadsheets may leave out at the beginning: white space, and characters without width."""

FORMULA = "\t\r\n=+\\-@＝＋－＠"
"""What a formula begins with; a tab or a line's end is dangerous wherever it is the first character."""

DANGEROUS = re.compile(f"{BLANK}*[{FORMULA}]")
AMBIGUOUS = re.compile(f"{SHIELD}*{DANGEROUS.pattern}")
"""What gets a shield: also a text that looks like one with a shield, so that each is known from the other."""


def shield(text: str) -> str:
    """
    >>> shield("=1+1"), shield("'=1+1"), shield("1 = 1"), shield("'tis")
    ("'=1+1", "''=1+1", '1 = 1', "'tis")
    """
    return SHIELD + text if AMBIGUOUS.match(text) else text


def unshield(cell: str) -> str:
    """The text of a cell; also where a spreadsheet has taken the shield away.

    >>> unshield("'=1+1"), unshield("''=1+1"), unshield("=1+1"), unshield("'tis")
    ('=1+1', "'=1+1", '=1+1', "'tis")
    """
    return cell.removeprefix(SHIELD) if AMBIGUOUS.match(cell) else cell


STEPS = range(1, CONTEXT + 1)
COLUMNS = (
    "item",
    *(f"{side} -{step}" for step in reversed(STEPS) for side in ("source", "reference")),
    "source",
    *(f"{side} +{step}" for step in STEPS for side in ("source", "reference")),
    "translation 1",
    "translation 2",
    "choice",
)
CHOICES = {"1": "the first is better", "2": "the second is better", "equal": "both are equally good"}


def write_sheet(path: Path, items: Sequence[SheetItem]) -> None:
    """CSV in UTF-8 with a byte order mark, by which spreadsheets know it; the column `choice` is empty.

    All cells are quoted, as the page saves them: else a carriage return in one would end its row.
    """
    with atomic_file(path) as stream:
        stream.write("\ufeff")
        csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(sheet_rows(items))


def sheet_rows(items: Sequence[SheetItem]) -> list[list[str]]:
    """The heading, and a row an item, whose texts are no formulas to a spreadsheet."""
    rows = ([str(number), *map(shield, item.texts), ""] for number, item in enumerate(items, 1))
    return [list(COLUMNS), *rows]


def write_page(path: Path, items: Sequence[SheetItem], languages: tuple[str, str]) -> None:
    """The same as a page that works offline, keeps choices as they are made and saves the filled sheet.

    `languages`: of source and target, so that browsers choose their fonts.
    """
    loader = PackageLoader("docmt.scoring.human")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.get_template("sheet.html")
    shown = {"items": items, "rows": sheet_rows(items), "choices": CHOICES, "languages": languages}
    with atomic_file(path) as stream:
        stream.write(template.render(**shown, digest=text_digest([text for item in items for text in item.texts])))


DELIMITERS = ",;\t"
"""What spreadsheets write between the cells of a CSV file, by country, and of "Unicode text"."""

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

LONGEST = 300
"""Characters of a heading that are looked at: the first line of a file that is no sheet may be all of it."""

REMEDY = "save the sheet as CSV in UTF-8"


def read_saved_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Rows below the heading, with their places (`file:line`) and without shields; blank rows are left out.

    However a spreadsheet saved the sheet: delimiter, quotes, line ends and byte order mark may change.
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
                if len(row) != len(COLUMNS):
                    raise UserError("a different number of columns", where=where, found=len(row), expected=len(COLUMNS))
                yield where, [unshield(cell) for cell in row]
    except csv.Error as problem:
        raise UserError("not a row of CSV", where=f"{path}:{line}", found=problem, remedy=REMEDY) from None


def _text(path: Path) -> str:
    """UTF-8, or UTF-16 with a byte order mark, which is what Excel saves as "Unicode text"."""
    with reading(path, "cannot be read"):
        data = path.read_bytes()
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
"""Of the system's translation against the baseline's."""


def read_verdicts(path: Path, key: Key) -> list[Verdict]:
    """An annotator's verdicts in the order of the key's items, whatever the order of the rows.

    Raises UserError, with file and line, where the sheet is not that of the key, was changed, or is half filled.
    """
    found: dict[int, Verdict] = {}
    empty: list[str] = []
    for where, row in read_saved_rows(path):
        number = _number(row[0], where, key, found)
        if text_digest(row[1:-1]) != key.items[number - 1].texts:
            remedy = "change nothing but the column choice"
            raise UserError("not the sentences of the sheet", where=where, found=f"item {number}", remedy=remedy)
        choice = row[-1].strip().lower()
        if not choice:
            empty.append(where)
        elif choice not in CHOICES:
            raise UserError("not a choice", where=where, found=choice, expected=", ".join(CHOICES))
        found[number] = _verdict(choice, key.items[number - 1])
    _check_whole(path, key, found, empty)
    return [found[number] for number in sorted(found)]


def _verdict(choice: str, item: KeyItem) -> Verdict:
    if choice == "equal":
        return "equal"
    return "better" if (choice == "1") == (item.first == "system") else "worse"


def _check_whole(path: Path, key: Key, found: dict[int, Verdict], empty: list[str]) -> None:
    size = len(key.items)
    if len(found) < size:
        missing = next(number for number in range(1, size + 1) if number not in found)
        items = f"{len(found)} items, item {missing} is missing"
        raise UserError("rows are missing", where=str(path), found=items, expected=f"{size} items")
    if empty:
        remedy = f"fill in the column choice: {', '.join(CHOICES)}"
        raise UserError("a sheet half filled", where=empty[0], found=f"{len(empty)} rows without choice", remedy=remedy)


def _number(cell: str, where: str, key: Key, found: Collection[int]) -> int:
    text, size = cell.strip(), len(key.items)
    if not text.isdecimal() or len(text) > len(str(size)) or not 1 <= int(text) <= size:
        raise UserError("not an item of the key", where=where, found=cell, expected=f"1 to {size}")
    if int(text) in found:
        raise UserError("an item twice", where=where, found=cell, expected="a row an item")
    return int(text)
