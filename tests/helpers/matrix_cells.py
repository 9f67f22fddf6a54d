"""What is wrong with the cells that an item of a study has in its JSON file.

A cell is a finite number, or says why the study has nothing to measure there. The tests of `tests/reporting` hold what
each kind of item shows; here it is that of a whole run nothing is left open, and nothing is left out.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from docmt.grid.grid import Grid
from docmt.kinds.cases import CasesFigure
from docmt.kinds.human import HumanTable
from docmt.kinds.systems import SystemsTable

Record = dict[str, Any]
LEFT_OPEN = ("not run", "not scored")
"""The beginnings of what cells say that a whole run does not leave."""


def wrong_cells(grid: Grid, study: str, name: str, records: Sequence[Record]) -> list[str]:
    """What is wrong with the records of an item's JSON file; empty where nothing is."""
    item = grid.studies[study].items[name]
    problems = [*_not_finite(records)]
    if isinstance(item, SystemsTable):
        problems += _differing(item, item.columns_of(grid.studies[study].corpora), records)
    if not isinstance(item, HumanTable) or study in grid.human:
        problems += _left_open(records)
    if not records and not isinstance(item, CasesFigure):
        problems.append("no records")
    return [f"{study}/{name}: {problem}" for problem in problems]


def _not_finite(records: Iterable[Record]) -> Iterator[str]:
    """Whatever a record calls its numbers."""
    for record in records:
        for key, value in record.items():
            values = value if isinstance(value, list) else [value]
            if any(isinstance(number, float) and not math.isfinite(number) for number in values):
                yield f"{_description(record)}: {key} is {value}"


def _left_open(records: Iterable[Record]) -> Iterator[str]:
    """Cells that somebody would have had to compute, and those that say they were measured without a number."""
    for record in records:
        status = record.get("status") or ""
        if status.startswith(LEFT_OPEN):
            yield f"{_description(record)}: {status}"
        if status == "measured" and not isinstance(record.get("measured"), int | float):
            yield f"{_description(record)}: {status}, and the number is {record.get('measured')}"


def _differing(table: SystemsTable, columns: Iterable[tuple[str, Any]], records: Iterable[Record]) -> Iterator[str]:
    """Cells of a table of systems that are missing, and cells that nobody declared."""
    rows = [row.label or row.system for row in table.rows if not row.group]
    names = [key for key, _ in columns]
    declared = Counter((row, key, metric) for row in rows for key in names for metric in table.metrics)
    there = Counter((r["row"], r["column"], r["metric"]) for r in records if r["metric"] != "drop")
    yield from (f"no cell {key}" for key in declared - there)
    yield from (f"a cell too many: {key}" for key in there - declared)


def _description(record: Record) -> str:
    names = ("row", "column", "corpus", "label", "document", "word", "kind", "x", "metric", "value", "seed")
    return " ".join(str(record[name]) for name in names if record.get(name) not in (None, ""))
