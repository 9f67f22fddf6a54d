"""Filled sheets, read back: which system an annotator preferred in each sentence."""

from collections.abc import Collection
from pathlib import Path
from typing import Literal

from docmt.base.errors import UserError
from docmt.scoring.human.items import text_digest
from docmt.scoring.human.key import Key, KeyItem
from docmt.scoring.human.saved import saved_rows
from docmt.scoring.human.sheet import CHOICES

Verdict = Literal["better", "worse", "equal"]
"""Of the system's translation against the baseline's."""


def read_filled(path: Path, key: Key) -> list[Verdict]:
    """An annotator's verdicts in the order of the key's items, whatever the order of the rows.

    Raises UserError, with file and line, where the sheet is not that of the key, was changed, or is half filled.
    """
    found: dict[int, Verdict] = {}
    empty: list[str] = []
    for where, row in saved_rows(path):
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


def _number(cell: str, where: str, key: Key, found: Collection[int]) -> int:
    text, size = cell.strip(), len(key.items)
    if not text.isdecimal() or len(text) > len(str(size)) or not 1 <= int(text) <= size:
        raise UserError("not an item of the key", where=where, found=cell, expected=f"1 to {size}")
    if int(text) in found:
        raise UserError("an item twice", where=where, found=cell, expected="a row an item")
    return int(text)
