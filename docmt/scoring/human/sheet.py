"""A sheet as annotators get it, as CSV or as a page to click on.

Spreadsheets compute a cell that begins with one of a few characters, blanks before it left out, also in their
full-width forms: a translation `=HYPERLINK(...)` would run on the annotator's machine (OWASP, CSV Injection). So cells
have shields, by which no spreadsheet takes them as a formula, and lose them again.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.base.artifacts import atomic_file
from docmt.scoring.human.items import CONTEXT, Item, text_digest

SHIELD = "'"
"""Stands before a text that is dangerous; spreadsheets know it as the mark of a text."""

BLANK = r"[\s\u200b-\u200f\u2060\ufeff]"
"""What spreadsheets may leave out at the beginning: white space, and characters without width."""

FORMULA = "\t\r\n=+\\-@＝＋－＠"
"""What a formula begins with; a tab or a line's end is dangerous wherever it is the first character."""

DANGEROUS = re.compile(f"{BLANK}*[{FORMULA}]")
AMBIGUOUS = re.compile(f"{SHIELD}*{DANGEROUS.pattern}")
"""What gets a shield: also a text that looks like one with a shield, so that each is known from the other."""


def shielded(text: str) -> str:
    """
    >>> shielded("=1+1"), shielded("'=1+1"), shielded("1 = 1"), shielded("'tis")
    ("'=1+1", "''=1+1", '1 = 1', "'tis")
    """
    return SHIELD + text if AMBIGUOUS.match(text) else text


def unshielded(cell: str) -> str:
    """The text of a cell; also where a spreadsheet has taken the shield away.

    >>> unshielded("'=1+1"), unshielded("''=1+1"), unshielded("=1+1"), unshielded("'tis")
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


def write_sheet(path: Path, items: Sequence[Item]) -> None:
    """CSV in UTF-8 with a byte order mark, by which spreadsheets know it; the column `choice` is empty.

    All cells are quoted, as the page saves them: else a carriage return in one would end its row.
    """
    with atomic_file(path) as stream:
        stream.write("\ufeff")
        csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(sheet_rows(items))


def sheet_rows(items: Sequence[Item]) -> list[list[str]]:
    """The heading, and a row an item, whose texts are no formulas to a spreadsheet."""
    rows = ([str(number), *map(shielded, item.texts), ""] for number, item in enumerate(items, 1))
    return [list(COLUMNS), *rows]


def write_page(path: Path, items: Sequence[Item], languages: tuple[str, str]) -> None:
    """The same as a page that works offline, keeps choices as they are made and saves the filled sheet.

    `languages`: of source and target, so that browsers choose their fonts.
    """
    loader = PackageLoader("docmt.scoring.human")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.get_template("sheet.html")
    shown = {"items": items, "rows": sheet_rows(items), "choices": CHOICES, "languages": languages}
    with atomic_file(path) as stream:
        stream.write(template.render(**shown, digest=text_digest([text for item in items for text in item.texts])))
