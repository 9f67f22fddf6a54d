"""The best numbers of tables: in each column, and in the lines that a page says by itself of the best systems."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docmt.reporting.formats import MARKS, number, p_value, signed
from docmt.reporting.pieces import Piece
from docmt.reporting.table import Cell, Column, Row, Table
from docmt.settings.metrics import parse_metric

LEVEL = max(MARKS.values())  # The level of p above which a difference is not called one.


@dataclass(frozen=True)
class BestLine:
    """A line about a column of a table: its item, the title, and what is best by which metrics."""

    item: str
    title: str
    text: str


def mark_best(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with `is_best` set in the cells that have the best number of their column."""
    columns = zip(*(row.cells for row in rows if row.cells), strict=True)
    # Numbers are compared as they are printed: of two equal ones, both are the best or neither is.
    best = [_best_number(cells) for cells in columns]
    return [dataclasses.replace(row, cells=_marked(row.cells, best)) for row in rows]


def _marked(cells: Sequence[Cell], best: Sequence[float | None]) -> tuple[Cell, ...]:
    pairs = zip(cells, best, strict=bool(cells))
    return tuple(
        dataclasses.replace(cell, is_best=number is not None and cell.system is not None and _printed(cell) == number)
        for cell, number in pairs
    )


def _best_number(cells: Sequence[Cell]) -> float | None:
    """Return the best number of a column, rounded as it is printed; None where no number of it can be the best."""
    # The reference is no system.
    measured = [cell for cell in cells if cell.measured is not None and cell.system is not None]
    kinds = {bool(cell.random or cell.generated) for cell in measured}
    # Numbers of small random models or generated lines cannot be compared with others.
    if len({cell.system for cell in measured}) < 2 or len(kinds) > 1:
        return None
    metric = parse_metric(measured[0].metric).metric
    if not metric.ranks:
        return None
    return (min if metric.lower_is_better else max)(map(_printed, measured))


def _printed(cell: Cell) -> float | None:
    return None if cell.measured is None else round(cell.measured, cell.decimals)


def best_lines(pieces: Iterable[Piece]) -> Iterator[BestLine]:
    """Yield a line for each table of systems and each of its columns in which two systems or more have numbers."""
    for piece, table in _of_systems(pieces):
        for label, columns in table.groups:
            if text := _text(table, columns):
                title = piece.item.paper or piece.item.title
                beside = f", {label}" if len(table.groups) > 1 else ""
                yield BestLine(piece.name, f"{title}{beside}", text)


def single_seed(pieces: Iterable[Piece]) -> bool:
    """Return whether all numbers of the tables of systems are of single trainings; false without any number."""
    cells = [cell for _, table in _of_systems(pieces) for cell in table.cells if cell.values]
    return bool(cells) and all(len(cell.values) == 1 for cell in cells)


def _of_systems(pieces: Iterable[Piece]) -> list[tuple[Piece, Table]]:
    """Return the tables of systems; tables of other kinds that look alike have no metrics."""
    return [(piece, piece.table) for piece in pieces if piece.table is not None and piece.item.measures]


def _text(table: Table, columns: list[Column]) -> str:
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
    """Return the systems with the best number of a column, as the table marks it, with their cells."""
    # Sizes and speeds have no test of significance, and no best system.
    if not parse_metric(column.metric).is_tested:
        return []
    place = table.columns.index(column)
    cells = [(row.label, row.cells[place]) for row in table.rows if row.cells]
    return [(label, cell) for label, cell in cells if cell.is_best]


def _interval(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return ""
    return f" [{number(cell.low, cell.decimals)}, {number(cell.high, cell.decimals)}]"


def _facts(cell: Cell) -> str:
    value = number(cell.measured, cell.decimals) + _interval(cell)
    if cell.comparison is None:
        return value
    if cell.untested:
        return f"{value}, {signed(cell.baseline_difference, cell.decimals)}, {cell.untested}"
    if not cell.mark:
        return f"{value}, no significant difference, {_p(cell.p)}"
    return f"{value}, {signed(cell.baseline_difference, cell.decimals)}, {_p(cell.p)}"


def _p(value: float) -> str:
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _listed(texts: list[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last
