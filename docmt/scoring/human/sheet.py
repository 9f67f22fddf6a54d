"""A sheet as annotators get it, as CSV or as a page to click on, and the key that says whose translation is which."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from docmt.core.artifacts import atomic_file, read_json, write_json
from docmt.core.parse import parse
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
FORMULA = ("=", "+", "-", "@")
"""A text that begins so gets a blank before it: spreadsheets would compute it."""


@dataclass(frozen=True)
class KeyItem:
    """`first`: whose translation stands first; `texts`: digest of what the sheet's row shows."""

    line: int
    first: Literal["baseline", "system"]
    texts: str


@dataclass(frozen=True)
class Key:
    """What annotators may not see. `items[n]` is that of item n + 1."""

    baseline: str
    system: str
    seed: int
    items: tuple[KeyItem, ...]

    @classmethod
    def of_items(cls, items: Sequence[Item], baseline: str, system: str, seed: int) -> "Key":
        """`baseline`, `system`: what the two are called."""
        known = tuple(KeyItem(item.line, item.first, text_digest(item.texts)) for item in items)
        return cls(baseline, system, seed, known)

    @classmethod
    def load(cls, path: Path) -> "Key":
        """Raises UserError where the file is missing or is no key."""
        return parse(cls, read_json(path), str(path))

    def save(self, path: Path) -> None:
        write_json(path, asdict(self))

    @property
    def signature(self) -> str:
        """How sentences were chosen and shown."""
        return f"human|sentences:{len(self.items)}|context:{CONTEXT}|seed:{self.seed}|choices:3|v:1"


def write_sheet(path: Path, items: Sequence[Item]) -> None:
    """CSV in UTF-8 with a byte order mark, by which spreadsheets know it; the column `choice` is empty."""
    with atomic_file(path) as stream:
        stream.write("\ufeff")
        csv.writer(stream, lineterminator="\n").writerows(sheet_rows(items))


def sheet_rows(items: Sequence[Item]) -> list[list[str]]:
    """The heading, and a row an item."""
    rows = ([str(number), *map(_shielded, item.texts), ""] for number, item in enumerate(items, 1))
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


def _shielded(text: str) -> str:
    return f" {text}" if text.startswith(FORMULA) else text
