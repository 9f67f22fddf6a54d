"""The lines that a page says by itself: the best system of each table by each metric, beside its baseline."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.kinds.systems import SystemsTable
from docmt.reporting.formats import MARKS, number, p_value, signed
from docmt.reporting.pieces import Piece
from docmt.reporting.table import Cell, Column, Table
from docmt.settings.metrics import parse_metric

LEVEL = max(MARKS.values())
"""The level of p above which a difference is not called one."""


@dataclass(frozen=True)
class BestLine:
    """A line about a column of a table: its item, the title, and what is best by which metrics."""

    item: str
    title: str
    text: str


def best_lines(pieces: Iterable[Piece]) -> Iterator[BestLine]:
    """Yield a line for each table of systems and each of its columns in which two systems or more have numbers."""
    for piece in _of_systems(pieces):
        for label, columns in piece.content.groups:
            if text := _text(piece.content, columns):
                title = piece.item.paper or piece.item.title
                beside = f", {label}" if len(piece.content.groups) > 1 else ""
                yield BestLine(piece.name, f"{title}{beside}", text)


def single_seed(pieces: Iterable[Piece]) -> bool:
    """Return whether all numbers of the tables of systems are of single trainings; false without any number."""
    rows = [row for piece in _of_systems(pieces) for row in piece.content.rows]
    cells = [cell for row in rows for cell in row.cells if cell.values]
    return bool(cells) and all(len(cell.values) == 1 for cell in cells)


def _of_systems(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the tables of systems; tables of other kinds that look alike have no metrics."""
    return [piece for piece in pieces if isinstance(piece.item, SystemsTable) and piece.content is not None]


def _text(table: Table, columns: list[Column]) -> str:
    """Return what is best in a column by each metric; empty where fewer than two systems have numbers."""
    by_systems: dict[str, list[str]] = {}
    baselines: dict[str, None] = {}
    for column in columns:
        if best := _best(table, column):
            systems, cell = " and ".join(label for label, _ in best), best[0][1]
            by_systems.setdefault(systems, []).append(f"{column.metric.replace('_', ' ')} ({_facts(cell)})")
            if cell.comparison is not None:
                baselines[_label(table, cell.comparison["baseline"])] = None
    said = [f"{systems} by {_listed(metrics)}" for systems, metrics in by_systems.items()]
    against = f". Differences are from {_listed([*baselines])}" if baselines else ""
    return f"best is {'; '.join(said)}{against}" if said else ""


def _label(table: Table, system: str) -> str:
    """Return the label of the row of a system; the system's name where it has no row."""
    labels = (row.label for row in table.rows if system in [cell.system for cell in row.cells])
    return next(labels, system)


def _best(table: Table, column: Column) -> list[tuple[str, Cell]]:
    """Return the systems with the best number of a column, as the table marks it, with their cells.

    The result is empty for metrics without a test of significance, such as sizes and speeds.
    """
    if not parse_metric(column.metric).is_tested:
        return []
    place = table.columns.index(column)
    cells = [(row.label, row.cells[place]) for row in table.rows if row.cells]
    return [(label, cell) for label, cell in cells if cell.is_best]


def _interval(cell: Cell) -> str:
    """Return the interval of a cell in brackets; empty for a cell without one."""
    if cell.low is None or cell.high is None:
        return ""
    return f" [{number(cell.low, cell.decimals)}, {number(cell.high, cell.decimals)}]"


def _facts(cell: Cell) -> str:
    """Return the number of a cell, and its difference from the baseline with p, where the two were compared."""
    value = number(cell.measured, cell.decimals) + _interval(cell)
    if cell.comparison is None:
        return value
    if cell.untested:
        return f"{value}, {signed(cell.baseline_difference, cell.decimals)}, {cell.untested}"
    if not cell.mark:
        return f"{value}, no significant difference, {_p(cell.p)}"
    return f"{value}, {signed(cell.baseline_difference, cell.decimals)}, {_p(cell.p)}"


def _p(value: float) -> str:
    """Return p with its sign, such as `p = 0.0380` or `p < 0.0001`."""
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _listed(texts: list[str]) -> str:
    """Return texts as a list in a sentence."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last
