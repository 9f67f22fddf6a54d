"""The form `contrastive_table`: contrastive sets of a user, in a table with a row for each variant.

The table is a TSV file with a header. It must have four columns: `item` (the name or number of the item), `source` and
`target` (texts whose sentences are joined by `_eos` between spaces; the last sentence is judged) and `correct` (1 for
the right variant, else 0). It may have the columns `set` (a phenomenon) and `distance` (the number of sentences from
the deciding sentence to the judged sentence). The rows of an item follow each other. A cell that begins with an
apostrophe before `=`, `+`, `-` or `@` is read without it (`docmt.base.spreadsheets`).
"""

from collections import namedtuple
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Literal

from docmt.base.checks import needed
from docmt.base.errors import UserError
from docmt.base.spreadsheets import tsv_line, unshield
from docmt.catalogue.forms import KIND
from docmt.corpus.contrastive_items import (
    ContrastiveReaderConfig,
    item_of,
    items_of,
    joined_sentences,
    split_sentences,
)
from docmt.corpus.inputs import ContrastiveItem, FixtureFiles, ReaderInputs, text_of, tsv_rows
from docmt.corpus.stock import Stock, in_parts

NEEDED, OPTIONAL = ("item", "source", "target", "correct"), ("set", "distance")
Row = namedtuple("Row", (*NEEDED, *OPTIONAL))


@dataclass(frozen=True)
class ContrastiveTableConfig(ContrastiveReaderConfig):
    """The settings of the form `contrastive_table`."""

    kind: Literal["contrastive_table"] = needed(KIND)


def items(config: ContrastiveTableConfig, inputs: ReaderInputs) -> Iterator[ContrastiveItem]:
    """Yield the items of all sets; the value of the column `set` becomes the name of a part of the set.

    Reports rows that are not the variants of an item. Raises UserError for a file that is missing or lacks a column.
    """
    for name, file in config.sets.items():
        rows = ((number, Row(*map(unshield, values))) for number, values in tsv_rows(inputs, file, NEEDED, OPTIONAL))
        groups = (list(group) for _, group in groupby(rows, lambda row: (row[1].set, row[1].item)))
        records = (([row for _, row in group], f"{inputs.display_name(file)}:{group[0][0]}") for group in groups)
        yield from items_of(records, partial(_item, name), inputs.problems)


def _item(name: str, rows: list[Row], where: str) -> ContrastiveItem:
    first = rows[0]
    correct = [number for number, row in enumerate(rows) if row.correct == "1"]
    if len(correct) != 1 or len(rows) < 2 or any(row.correct not in ("0", "1") for row in rows):
        correct_values = f"correct: {', '.join(row.correct for row in rows)}"
        raise UserError(
            "not the variants of an item", where=where, found=correct_values, expected="one 1, and 0 for the others"
        )
    if len({(row.source, row.distance) for row in rows}) > 1:
        raise UserError("variants of an item differ in source or distance", where=where)
    distance = first.distance or "0"
    if not distance.isdecimal():
        raise UserError("not a distance", where=where, found=distance, expected="a whole number, 0 or more")
    part = f"{name}/{first.set}" if first.set else name
    targets = [split_sentences(row.target) for row in rows]
    return item_of(part, int(distance), split_sentences(first.source), targets, correct[0], where)


def write(config: ContrastiveTableConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set of a fixture; the first of each two twins is in another part than the second."""
    for name, path in config.sets.items():
        items = in_parts(stock.draw_set_items(name, path), ("first", "second"))
        stock.remember_items(items)
        yield path, table_text((item.set.split("/")[-1], item) for item in items)


def table_text(items: Iterable[tuple[str, ContrastiveItem]]) -> str:
    """Return the content of a table of items; each item comes with its value of the column `set`."""
    rows = (row for number, (part, item) in enumerate(items, 1) for row in _rows(str(number), part, item))
    return text_of(map(tsv_line, (Row._fields, *rows)))


def _rows(number: str, part: str, item: ContrastiveItem) -> Iterator[Row]:
    source = joined_sentences(item.source)
    for index, variant in enumerate(item.variants):
        target = joined_sentences((*item.target_context, variant))
        yield Row(number, source, target, str(int(index == item.correct)), part, str(item.distance))
