"""A table as texts, which LaTeX and Markdown write: its headings, its rows, and the notes below it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from docmt.reporting.formats import NONE, number, printed, signed
from docmt.reporting.table import Cell, Column, Drop, Row, Table

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The letters of the reasons why numbers are not comparable, as on the page."""
THREE = ("published", "measured", "difference")
"""The columns of a metric with published numbers."""


@dataclass(frozen=True)
class Text:
    """A text of a cell, and the marks behind it. `best`: the best number of a column, which begins the cell in bold."""

    text: str
    marks: str = ""
    best: str = ""

    @property
    def plain(self) -> str:
        """All of the cell, without bold and raised letters."""
        return self.best + self.text + self.marks


@dataclass(frozen=True)
class TextTable:
    """A table as texts.

    `headings`: lines of headings, each of (text, number of columns); every line is as wide as the table. `rows`: a cell
    for each column; a row of one cell is a heading over the whole table. `notes`: sentences below the table. `left`:
    the number of columns with text, which come first and are aligned on the left.
    """

    headings: tuple[tuple[tuple[str, int], ...], ...]
    rows: tuple[tuple[Text, ...], ...]
    notes: tuple[str, ...] = ()
    left: int = 1

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(span for _, span in self.headings[0])

    @property
    def names(self) -> list[str]:
        """One name for each column: its headings in all lines, joined."""
        lines = [[text for text, span in line for _ in range(span)] for line in self.headings]
        return [", ".join(dict.fromkeys(filter(None, column))) for column in zip(*lines, strict=True)]


def of_systems(table: Table) -> TextTable:
    """Return a table of systems as the page shows it: published, measured, difference, and the marks of each cell."""
    spans = [3 if column.has_published else 1 for column in table.columns]
    groups = [(label, sum(3 if column.has_published else 1 for column in columns)) for label, columns in table.groups]
    metrics = [(_metric(column), span) for column, span in zip(table.columns, spans, strict=True)]
    kinds = [(name, 1) for span in spans for name in (THREE if span == 3 else ("measured",))]
    if table.drop:
        groups, metrics = [*groups, ("Drop", 3)], [*metrics, (table.drop, 3)]
        kinds = [*kinds, *((name, 1) for name in THREE)]
    has_published = any(name != "measured" for name, _ in kinds)
    lines = (groups, metrics, kinds) if has_published else (groups, metrics)
    headings = tuple(((table.head if line is lines[-1] else "", 1), *line) for line in lines)
    rows = tuple(tuple(_row(row, table)) for row in table.rows)
    return TextTable(headings, rows, tuple(_notes(table)))


def _metric(column: Column) -> str:
    """Return the heading of a metric, with an arrow where lower is better."""
    name = column.metric.replace("_", " ").replace(":", ": ")
    return f"{name} ↓" if column.lower_is_better else name


def _row(row: Row, table: Table) -> Iterator[Text]:
    """Yield the cells of a row; the single cell of a heading."""
    if row.group:
        yield Text(row.group)
        return
    yield Text(row.label, str(table.footnotes.index(row.note) + 1) if row.note else "")
    for cell, column in zip(row.cells, table.columns, strict=True):
        yield from _three(cell, measured(cell, table), column.has_published)
    if row.drop is not None:
        yield from _three(row.drop, Text(signed(row.drop.measured, row.drop.decimals)), True)
    elif table.drop:
        yield from (Text(NONE) for _ in THREE)


def _three(cell: Cell | Drop, text: Text, has_published: bool) -> Iterator[Text]:
    """Yield the measured number of a cell, between the published number and the difference where there are any."""
    if has_published:
        yield Text(_published(cell.published, cell.decimals))
    yield text
    if has_published:
        yield Text(signed(cell.difference, cell.decimals))


def _published(value: float | str | None, decimals: int) -> str:
    """Return a published number as the page prints it."""
    return printed(value, decimals) if isinstance(value, int | float) else value or NONE


def measured(cell: Cell, table: Table) -> Text:
    """Return the measured number with its marks, or a word for its absence; the reason is a footnote of the table."""
    if cell.measured is None:
        footnote = str(table.footnotes.index(cell.footnote) + 1) if cell.footnote else ""
        return Text(NONE if cell.status in ("published only", "documents only") else cell.word, footnote)
    figure = number(cell.measured, cell.decimals)
    text = "" if cell.is_best else figure
    if cell.low is not None:
        text = f"{text} [{number(cell.low, cell.decimals)}, {number(cell.high, cell.decimals)}]"
    if cell.baseline_difference is not None:
        text = f"{text} ({signed(cell.baseline_difference, cell.decimals)})"
    if cell.deviation is not None:
        text = f"{text} ± {number(cell.deviation, cell.decimals)}"
    if len(cell.values) < cell.seeds:
        text = f"{text} ({len(cell.values)} of {cell.seeds} seeds)"
    letters = "".join(LETTERS[table.reasons.index(reason) % 26] for reason in cell.not_comparable)
    signs = ("°" if cell.random or cell.generated else "") + ("!" if cell.warnings else "")
    untested = f"({table.footnotes.index(cell.untested) + 1})" if cell.untested else ""
    marks = f"{signs}{f'[{letters}]' if letters else ''}{cell.mark}{untested}"
    return Text(text, marks, figure if cell.is_best else "")


def _notes(table: Table) -> Iterator[str]:
    """Yield the sentences below a table of systems, with the marks that they explain."""
    yield from (f"({place}) {note}" for place, note in enumerate(table.footnotes, 1))
    yield from (f"[{LETTERS[n % 26]}] not comparable because {reason}" for n, reason in enumerate(table.reasons))
    if any(cell.is_best for cell in table.cells):
        yield "Bold: the best number of a column."
    if table.intervals:
        yield "In square brackets: the 95 % interval."
    if table.marks:
        yield table.marks
    if table.generated:
        yield f"° of lines generated from the references in place of translations ({', '.join(table.generated)})"
    if table.warnings:
        yield f"! of text that may not be what the metric expects: {' '.join(table.warnings)}"
    if table.random:
        yield f"° by a small random model in place of a pretrained one ({', '.join(table.random)})"


def of_records(records: Iterable[dict[str, Any]]) -> TextTable:
    """Return flat records as a table with a column for each key; numbers are not rounded."""
    listed = list(records)
    names = list(dict.fromkeys(key for record in listed for key in record)) or ["nothing"]
    rows = tuple(tuple(Text(_value(record.get(name))) for name in names) for record in listed)
    return TextTable((tuple((name.replace("_", " "), 1) for name in names),), rows, left=len(names))


def _value(value: Any) -> str:
    """Return a value of a record as a text; a dash for None and for an empty text, and the values of lists joined."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or NONE
    return NONE if value is None or value == "" else str(value)
