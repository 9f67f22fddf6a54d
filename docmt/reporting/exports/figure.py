"""A figure of lines as one file, SVG or PDF: all panels, each with its title, and the legend below them."""

import io
from collections.abc import Iterator
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from docmt.base.artifacts import atomic_file
from docmt.reporting.drawn import DrawnFigure
from docmt.reporting.figures import LEVEL, RC
from docmt.reporting.look import line_style

IN_FILES = {"pdf.fonttype": 42, "font.family": ["DejaVu Sans"]}
"""Settings of files: letters are text that can be selected and searched, in a TrueType font."""
METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What the files say of themselves: no date, so that the same figure has the same bytes."""
ACROSS = 2
"""The largest number of panels side by side."""
WIDTH, HEIGHT, LEGEND_LINE = 4.6, 3.2, 0.22
"""The size of a panel, and the height of a line of the legend, in inches."""


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
    """Yield a line of the legend for each line of the figure, and for each line that belongs to no system."""
    for label, style in figure.look.items():
        yield Line2D([], [], label=label, **(style.marked | {"gid": None}))
    for note, dash in figure.notes:
        yield Line2D([], [], label=note, **(LEVEL | {"linestyle": line_style(dash)}))
