"""The files beside the page of an item, which other programs read.

Each item has CSV, JSON and Parquet, a table has LaTeX and Markdown, and a figure of lines has SVG and PDF.
"""

import dataclasses
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import pyarrow as pa
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.digests import canonical_json
from docmt.base.spreadsheets import csv_lines
from docmt.base.tables import write_parquet
from docmt.reporting.drawn import DrawnFigure
from docmt.reporting.figures import LEVEL, RC
from docmt.reporting.findings import judged_findings
from docmt.reporting.item import TableConfig
from docmt.reporting.look import line_style
from docmt.reporting.pieces import Piece
from docmt.reporting.results import Results
from docmt.reporting.text_table import TextTable, keys_of, of_records, of_systems, to_latex, to_markdown

OF_EACH = ("csv", "json", "parquet")  # The endings of the files that every item has beside its page: its records.
OF_TABLES = ("tex", "md")  # The endings of the files that tables have too.
# The endings of the files that figures of lines have too. Strips of attention and cases are text, and have none.
OF_DRAWN = ("svg", "pdf")
# Settings of files: letters are text that can be selected and searched, in a TrueType font.
IN_FILES = {"pdf.fonttype": 42, "font.family": ["DejaVu Sans"]}
# What the files say of themselves: no date, so that the same figure has the same bytes.
METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
ACROSS = 2  # The largest number of panels side by side.
WIDTH, HEIGHT, LEGEND_LINE = 4.6, 3.2, 0.22  # The size of a panel, and the height of a line of the legend, in inches.


def endings_of(piece: Piece) -> tuple[str, ...]:
    """Return the endings of the files beside the page of an item, in the order of the page's links."""
    further = OF_TABLES if isinstance(piece.item, TableConfig) else OF_DRAWN if _has_panels(piece) else ()
    return (*OF_EACH, *further)


def _has_panels(piece: Piece) -> bool:
    return isinstance(piece.content, DrawnFigure) and bool(piece.content.panels)


def write_exports(piece: Piece, results: Results, output: Path) -> None:
    """Write the files of an item beside its page `output`."""
    write_json(output.with_suffix(".json"), to_json(piece, results))
    write_records(piece.records, output.with_suffix(".parquet"))
    texts = {"csv": to_csv(piece)}
    if _has_panels(piece):
        write_figure(piece.content, output)
    if isinstance(piece.item, TableConfig):
        # LaTeX and Markdown of a table of systems show what its page shows; those of other tables have all records.
        table, title = text_table(piece), ". ".join(filter(None, (piece.item.paper, piece.item.title)))
        texts |= {"tex": to_latex(table, title, piece.name), "md": to_markdown(table, title)}
    for ending, text in texts.items():
        with atomic_file(output.with_suffix(f".{ending}")) as stream:
            stream.write(text)


def text_table(piece: Piece) -> TextTable:
    """Return a table of a page as texts."""
    return of_systems(piece.table) if piece.table else of_records(piece.records)


def to_json(piece: Piece, results: Results) -> dict[str, Any]:
    """Return the content of the JSON file of an item."""
    study = {"study": results.settings.study.study, "scale": results.settings.scale, "name": piece.name}
    stated = {name: getattr(piece.item, name) for name in ("kind", "title", "paper", "caption", "note")}
    marks = {"marks": piece.table.marks} if piece.table else {}
    findings = [dataclasses.asdict(finding) for finding in judged_findings(results)]
    return study | stated | marks | {"findings": findings, "records": list(piece.records)}


def to_csv(piece: Piece) -> str:
    """Return the records as CSV, a line for each, not rounded; lists, such as the values of seeds, have spaces."""
    columns = keys_of(piece.records)
    return csv_lines([columns, *([_plain(record.get(column)) for column in columns] for record in piece.records)])


def _plain(value: Any) -> Any:
    return " ".join(map(repr, value)) if isinstance(value, list) else value


def write_records(records: Sequence[dict[str, Any]], output: Path) -> None:
    """Write records as a table, a column for each key: null where a record lacks it, texts for several types."""
    columns = {name: _column([record.get(name) for record in records]) for name in keys_of(records)}
    write_parquet(output, pa.table(columns))


def _column(values: list[Any]) -> pa.Array:
    """Return the values of a column; as texts where they have several types."""
    if all(value is None for value in values):
        return pa.array(values, pa.string())
    # Whole numbers and other numbers are one type, but a truth value is no number.
    try:
        if len({isinstance(value, bool) for value in values if value is not None}) == 1:
            return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    return pa.array([_plain_text(value) for value in values], pa.string())


def _plain_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else canonical_json(value)


def write_figure(figure: DrawnFigure, output: Path) -> None:
    """Write a figure beside its page as SVG and as PDF; `output` is the page. A figure needs a panel."""
    across = min(ACROSS, len(figure.panels))
    rows = -(-len(figure.panels) // across)  # rounded up
    lines = list(_legend(figure))
    with matplotlib.rc_context(RC | IN_FILES):
        size = (WIDTH * across, HEIGHT * rows + LEGEND_LINE * -(-len(lines) // across))
        canvas = Canvas(figsize=size, layout="constrained")
        for place, panel in enumerate(figure.panels, 1):
            axes = canvas.add_subplot(rows, across, place)
            panel.paint(axes)
            # A tag in a file would be an id with characters that ids may not have.
            for artist in axes.get_children():
                artist.set_gid(None)
            axes.set_title(panel.title.replace("_", " "))
        canvas.legend(handles=lines, loc="outside lower center", ncols=across, frameon=False)
        for form, metadata in METADATA.items():
            drawn = io.BytesIO()
            canvas.savefig(drawn, format=form, metadata=metadata)
            with atomic_file(output.with_suffix(f".{form}"), "wb") as stream:
                stream.write(drawn.getvalue())


def _legend(figure: DrawnFigure) -> Iterator[Line2D]:
    for label, style in figure.look.items():
        yield Line2D([], [], label=label, **(style.marked | {"gid": None}))
    for note, dash in figure.notes:
        yield Line2D([], [], label=note, **(LEVEL | {"linestyle": line_style(dash)}))
