"""Filled sheets, read back: which system an annotator preferred in each sentence."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from docmt.core.errors import UserError
from docmt.scoring.human.items import text_digest
from docmt.scoring.human.sheet import CHOICES, COLUMNS, Key, KeyItem

Verdict = Literal["better", "worse", "equal"]
"""Of the system's translation against the baseline's."""

DELIMITERS = ",;\t"
"""What spreadsheets write between the cells of a CSV file, by country."""


def read_filled(path: Path, key: Key) -> list[Verdict]:
    """An annotator's verdicts in the order of the key's items, whatever the order of the rows.

    Raises UserError, with file and line, where the sheet is not that of the key, was changed, or is half filled.
    """
    found: dict[int, Verdict] = {}
    empty: list[str] = []
    for where, row in _rows(path):
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
        counts = {"found": f"{len(found)} items, item {missing} is missing", "expected": f"{size} items"}
        raise UserError("rows are missing", where=str(path), **counts)
    if empty:
        remedy = f"fill in the column choice: {', '.join(CHOICES)}"
        raise UserError("a sheet half filled", where=empty[0], found=f"{len(empty)} rows without choice", remedy=remedy)


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Rows below the heading, with their places; blank lines are left out."""
    try:
        # Lines end where the file says so: a carriage return inside a cell is not to become a line feed.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, delimiter=_delimiter(stream.readline(), path))
            for row in reader:
                where = f"{path}:{reader.line_num + 1}"
                if len(row) not in (0, len(COLUMNS)):
                    counts = {"found": len(row), "expected": len(COLUMNS)}
                    raise UserError("another number of columns", where=where, **counts)
                if row:
                    yield where, row
    except FileNotFoundError:
        raise UserError("file not found", where=str(path)) from None
    except UnicodeDecodeError as problem:
        remedy = "save the sheet as CSV in UTF-8"
        raise UserError("not valid UTF-8", where=str(path), found=problem, remedy=remedy) from None


def _delimiter(heading: str, path: Path) -> str:
    for delimiter in DELIMITERS:
        if [name.strip() for name in next(csv.reader([heading], delimiter=delimiter), [])] == list(COLUMNS):
            return delimiter
    raise UserError("not a sheet", where=f"{path}:1", found=heading.strip(), expected=", ".join(COLUMNS))


def _number(cell: str, where: str, key: Key, found: Sequence[int] | dict[int, Verdict]) -> int:
    text = cell.strip()
    if not text.isdecimal() or not 1 <= int(text) <= len(key.items):
        raise UserError("not an item of the key", where=where, found=cell, expected=f"1 to {len(key.items)}")
    if int(text) in found:
        raise UserError("an item twice", where=where, found=cell)
    return int(text)
