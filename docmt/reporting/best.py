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
            facts = _facts(cell, _interval(table, column, cell))
            by_systems.setdefault(systems, []).append(f"{column.metric.replace('_', ' ')} ({facts})")
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
    """Return the systems with the best number as it is printed, with their cells; empty without a competitor.

    Metrics without a test of significance, such as sizes, speeds and the ends of intervals, have no best system.
    """
    if not parse_metric(column.metric).tallied:
        return []
    place = table.columns.index(column)
    cells = [(row.label, row.cells[place]) for row in table.rows if row.cells]
    measured = [(label, cell) for label, cell in cells if cell.measured is not None]
    if len(measured) < 2:
        return []
    sign = -1 if column.lower_is_better else 1
    highest = max(sign * round(cell.measured, cell.decimals) for _, cell in measured)
    return [(label, cell) for label, cell in measured if sign * round(cell.measured, cell.decimals) == highest]


def _interval(table: Table, column: Column, cell: Cell) -> str:
    """Return the interval of a cell in brackets, from the columns of its ends; empty in a table without these."""
    row = next(row for row in table.rows if cell in row.cells)
    numbers = {(other.key, other.metric): end.measured for other, end in zip(table.columns, row.cells, strict=True)}
    low, high = (numbers.get((column.key, f"{column.metric}@{end}")) for end in ("low", "high"))
    if low is None or high is None:
        return ""
    return f" [{number(low, cell.decimals)}, {number(high, cell.decimals)}]"


def _facts(cell: Cell, interval: str) -> str:
    """Return the number of a cell, and its difference from the baseline with p, where the two were compared."""
    value = number(cell.measured, cell.decimals) + interval
    if cell.comparison is None:
        return value
    if cell.p >= LEVEL:
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
