"""The values in a drawing, as parts of its SVG that a script can read out: a circle at each point of each line.

The circles are transparent. Without a script nothing of a page is missing, since the numbers are in tables beside it.
"""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from docmt.reporting.look import LINE, Tag

MOST_POINTS = 16
"""The largest number of points of a line that can be read out: a page with hundreds of them would be too large."""
POINTS_PER_INCH = 72
"""The unit of the coordinates of matplotlib's SVG files."""


def readings(canvas: Canvas, axes: Axes) -> Markup:
    """Return the circles of all tagged lines of a drawing that has been saved; empty where no line has a tag."""
    groups = [group for line in axes.get_lines() if (group := _of_line(canvas, axes, line))]
    return Markup('<g class="readings">{}</g>').format(Markup("").join(groups)) if groups else Markup()


def tagged(svg: str) -> str:
    """Return an SVG whose parts with tags have the names of their systems in the attribute `data-system`."""
    return re.sub(r' id="([^"]*\|[^"]*)"', lambda found: _attribute(Tag.of(found[1])), svg)


def _attribute(tag: Tag | None) -> str:
    """Return the attribute with the names of systems; empty for a part that belongs to no system."""
    return f' data-system="{escape(" ".join(tag.systems))}"' if tag is not None and tag.systems else ""


def _of_line(canvas: Canvas, axes: Axes, line: Line2D) -> Markup | None:
    """Return the circles of a line; None for a line without a tag, and for one without points."""
    tag = Tag.of(line.get_gid())
    if tag is None or tag.kind != LINE:
        return None
    circles = Markup("").join(_circles(canvas, axes, line))
    system = Markup(_attribute(tag))
    return Markup('<g{} data-label="{}">{}</g>').format(system, tag.label, circles) if circles else None


def _circles(canvas: Canvas, axes: Axes, line: Line2D) -> Iterator[Markup]:
    """Yield a circle for each point of a line that can be read out."""
    height, scale = canvas.get_figheight() * POINTS_PER_INCH, POINTS_PER_INCH / canvas.dpi
    points = [(x, y) for x, y in line.get_xydata() if x == x and y == y]
    for x, y in _thinned(points):
        across, up = axes.transData.transform((x, y)) * scale
        place = axes.fmt_xdata(x) if axes.fmt_xdata else f"{x:g}"
        yield Markup('<circle cx="{:.1f}" cy="{:.1f}" r="5" data-label="{}" data-value="{:.5g}"/>').format(
            across, height - up, f"{axes.get_xlabel()}: {place}", y
        )


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return at most MOST_POINTS points at equal distances; the last point is always among them."""
    step = -(-len(points) // MOST_POINTS)  # rounded up
    return list(points[::-1][:: step or 1])[::-1]
