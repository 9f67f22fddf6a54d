"""A sheet as annotators get it, as CSV or as a page to click on."""

import csv
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.base.artifacts import atomic_file
from docmt.scoring.human.cells import shielded
from docmt.scoring.human.items import CONTEXT, Item, text_digest

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
