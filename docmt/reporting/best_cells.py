"""The best measured number of each column of a table."""

import dataclasses
from collections.abc import Sequence

from docmt.reporting.table import Cell, Row
from docmt.settings.metrics import parse_metric


def mark_best(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with `is_best` set in the cells that have the best number of their column.

    Numbers are compared as they are printed, so that two equal numbers of a page are both the best or neither is.
    """
    columns = zip(*(row.cells for row in rows if row.cells), strict=True)
    best = [_best(cells) for cells in columns]
    return [dataclasses.replace(row, cells=_marked(row.cells, best)) for row in rows]


def _marked(cells: Sequence[Cell], best: Sequence[float | None]) -> tuple[Cell, ...]:
    """Return the cells of a row, marked where they have the best number of their column."""
    pairs = zip(cells, best, strict=bool(cells))
    return tuple(
        dataclasses.replace(cell, is_best=number is not None and cell.system is not None and _printed(cell) == number)
        for cell, number in pairs
    )


def _best(cells: Sequence[Cell]) -> float | None:
    """Return the best number of a column, rounded as it is printed; None where no number of it can be the best.

    The reference is no system. There is no best number of fewer than two systems, of a metric that does not rank
    systems, and where numbers of small random models or of generated lines stand beside others, with which they cannot
    be compared.
    """
    measured = [cell for cell in cells if cell.measured is not None and cell.system is not None]
    kinds = {bool(cell.random or cell.generated) for cell in measured}
    if len({cell.system for cell in measured}) < 2 or len(kinds) > 1:
        return None
    metric = parse_metric(measured[0].metric).metric
    if not metric.ranks:
        return None
    return (min if metric.lower_is_better else max)(map(_printed, measured))


def _printed(cell: Cell) -> float | None:
    """Return the measured number of a cell, rounded as it is printed; None without one."""
    return None if cell.measured is None else round(cell.measured, cell.decimals)
