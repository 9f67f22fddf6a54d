"""The files beside the page of an item: which there are, and their writing."""

from pathlib import Path

from docmt.base.artifacts import atomic_file
from docmt.reporting.item import TableConfig
from docmt.reporting.drawn import DrawnFigure
from docmt.reporting.exports.figure import write_figure
from docmt.reporting.exports.latex import to_latex
from docmt.reporting.exports.markdown import to_markdown
from docmt.reporting.exports.parquet import write_records
from docmt.reporting.exports.text_table import TextTable, of_records, of_systems
from docmt.reporting.pieces import Piece
from docmt.reporting.table import Table

OF_EACH = ("csv", "json", "parquet")
"""The endings of the files that every item has beside its page: its records."""
OF_TABLES = ("tex", "md")
"""The endings of the files that tables have too."""
OF_DRAWN = ("svg", "pdf")
"""The endings of the files that figures of lines have too. Strips of attention and cases are text, and have none."""


def endings_of(piece: Piece) -> tuple[str, ...]:
    """Return the endings of the files beside the page of an item, in the order of the page's links."""
    further = OF_TABLES if isinstance(piece.item, TableConfig) else OF_DRAWN if _has_panels(piece) else ()
    return (*OF_EACH, *further)


def _has_panels(piece: Piece) -> bool:
    """Return whether an item is a figure of lines with something drawn."""
    return isinstance(piece.content, DrawnFigure) and bool(piece.content.panels)


def write_exports(piece: Piece, output: Path) -> None:
    """Write the records of an item as Parquet beside its page, a table as LaTeX and Markdown, a figure as SVG and PDF.

    The LaTeX and Markdown of a table of systems show what its page shows. Those of other tables have all records.
    """
    write_records(piece.records, output.with_suffix(".parquet"))
    if _has_panels(piece):
        write_figure(piece.content, output)
    if not isinstance(piece.item, TableConfig):
        return
    table, title = text_table(piece), ". ".join(filter(None, (piece.item.paper, piece.item.title)))
    for ending, text in (("tex", to_latex(table, title, piece.name)), ("md", to_markdown(table, title))):
        with atomic_file(output.with_suffix(f".{ending}")) as stream:
            stream.write(text)


def text_table(piece: Piece) -> TextTable:
    """Return a table of a page as texts."""
    return of_systems(piece.content) if isinstance(piece.content, Table) else of_records(piece.records)
