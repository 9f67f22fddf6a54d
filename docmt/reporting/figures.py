"""Panels of figures as inline SVG, which the page shows side by side or below each other.

The SVG contains text as text, and the browser shows it in the page's font. Names of systems and contrastive sets may be
in other scripts than Latin; they are in the captions and legends of the page, and not in the SVG. A transparent circle
at each point of a line lets a script read its value out; without a script nothing of a page is missing, since the
numbers are in tables beside it.
"""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from docmt.reporting.look import AXIS, GRID, INK, LINE, ON_PAGE, SIGN, SOFT, Style, Tag, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D

RC = {
    "svg.fonttype": "none",
    # Without a fixed salt the ids, and so the bytes of a page, would differ each time that the page is made.
    "svg.hashsalt": "docmt",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": AXIS,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
}

# Dashes of levels and of dotted curves, in the form of the attribute `stroke-dasharray` of SVG.
LEVEL_DASH, DOTTED = "5 4", "1.5 3"

LEVEL_DASHES = (LEVEL_DASH, "10 3", "10 3 2 3", "2 4")  # Dashes of several levels of one figure, which are all grey.

# The style of a line for comparison, such as chance, a unigram model or a published level.
LEVEL = {"color": AXIS, "linestyle": (0, (4, 3)), "linewidth": 1.2}

UPDATES, POSITION = "updates", "position j in the window"  # Labels of horizontal axes.

# The largest number of points of a learning curve. Longer curves are thinned, since a page would grow by megabytes.
CURVE_POINTS = 240

# The largest number of points of a line that can be read out: a page with hundreds of them would be too large.
MOST_POINTS = 16
POINTS_PER_INCH = 72  # The unit of the coordinates of matplotlib's SVG files.


@dataclass(frozen=True)
class Panel:
    """A drawing with its own axes, its title and its systems.

    `paint` makes the drawing on other axes again, for files. `notes`: the text and the dashes of each line that belongs
    to no system.
    """

    title: str
    svg: Markup
    paint: Callable[["Axes"], None]
    systems: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


def notes_of(panels: Iterable[Panel]) -> tuple[tuple[str, str], ...]:
    """Return the notes of several panels, each note once."""
    return tuple(dict.fromkeys(note for panel in panels for note in panel.notes))


@dataclass(frozen=True)
class Curve:
    """A curve of a panel; all curves of one system, such as those of its seeds, have the same style."""

    system: str  # The name of the system, or its label.
    x: Sequence[float]
    y: Sequence[float]
    # The meaning of a second kind of curves, which are drawn dotted; empty for a curve of the first kind.
    dotted: str = ""


def draw(identifier: str, label: str, paint: Callable[["Axes"], None]) -> Markup:
    """Return the SVG of a drawing that `paint` makes on new axes; `label` describes it for screen readers."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(RC):
        canvas = Canvas(figsize=(4.6, 3.0), layout="constrained")
        axes = canvas.add_subplot()
        paint(axes)
        out = io.StringIO()
        canvas.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    # Every id inside begins with `identifier`, since an id may occur only once on a page.
    return _inline(out.getvalue(), identifier, label, _readings(canvas, axes))


def _inline(svg: str, identifier: str, label: str, values: Markup) -> Markup:
    """Return an SVG file as a part of a page, with `values`, by which a script reads the values of its points out."""
    svg = _tagged(svg[svg.index("<svg") :])
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    # An SVG inside an HTML page needs no namespaces.
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub("|".join(ON_PAGE), lambda colour: ON_PAGE[colour[0]], svg)
    svg = re.sub(r'\bid="', f'id="{identifier}-', svg)
    svg = svg.replace("url(#", f"url(#{identifier}-").replace('href="#', f'href="#{identifier}-')
    view_box = re.search(r'viewBox="[^"]*"', svg)[0]
    head = Markup('<svg role="img" aria-label="{}" {}>').format(label, Markup(view_box))
    return head + Markup(svg[svg.index(">") + 1 : svg.rindex("</svg>")]) + values + Markup("</svg>\n")


def _readings(canvas: "Canvas", axes: "Axes") -> Markup:
    """Return the circles of all tagged lines of a drawing that has been saved; empty where no line has a tag."""
    groups = [group for line in axes.get_lines() if (group := _of_line(canvas, axes, line))]
    return Markup('<g class="readings">{}</g>').format(Markup("").join(groups)) if groups else Markup()


def _tagged(svg: str) -> str:
    """Return an SVG whose parts with tags have the names of their systems in the attribute `data-system`."""
    return re.sub(r' id="([^"]*\|[^"]*)"', lambda found: _attribute(Tag.of(found[1])), svg)


def _attribute(tag: Tag | None) -> str:
    return f' data-system="{escape(" ".join(tag.systems))}"' if tag is not None and tag.systems else ""


def _of_line(canvas: "Canvas", axes: "Axes", line: "Line2D") -> Markup | None:
    tag = Tag.of(line.get_gid())
    if tag is None or tag.kind != LINE:
        return None
    circles = Markup("").join(_circles(canvas, axes, line))
    system = Markup(_attribute(tag))
    return Markup('<g{} data-label="{}">{}</g>').format(system, tag.label, circles) if circles else None


def _circles(canvas: "Canvas", axes: "Axes", line: "Line2D") -> Iterator[Markup]:
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


def curves(identifier: str, title: str, drawn: Sequence[Curve], look: dict[str, Style], **options: Any) -> Panel:
    """Return a panel of curves; `options` are the keyword arguments of `_paint_curves`."""
    paint = partial(_paint_curves, drawn=drawn, look=look, **options)
    levels = [("unigram model", LEVEL_DASH)] if options.get("level") is not None else []
    dotted = [(kind, DOTTED) for kind in dict.fromkeys(curve.dotted for curve in drawn) if kind]
    svg = draw(identifier, title, paint)
    return Panel(title, svg, paint, tuple(dict.fromkeys(curve.system for curve in drawn)), (*levels, *dotted))


def _paint_curves(
    axes: "Axes",
    drawn: Sequence[Curve],
    look: dict[str, Style],
    *,
    unit: str,
    x: str = UPDATES,
    steps: Sequence[float] | None = (1, 2, 5, 10),
    logarithmic: bool = False,
    level: float | None = None,
    from_zero: bool = False,
) -> None:
    """Paint curves of at most CURVE_POINTS points; the last point of each curve has the marker of its system.

    `x`, `unit`: the labels of the axes. `steps`: the allowed distances between ticks, times powers of ten; None for
    those of matplotlib. `logarithmic`: whether the vertical axis is logarithmic. `level`: the place of a dashed line
    for comparison. `from_zero`: whether the vertical axis begins at 0.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator

    for curve in drawn:
        xs, ys, style = thin(curve.x), thin(curve.y), look[curve.system]
        second = {"linestyle": line_style(DOTTED), "gid": style.tag(LINE, curve.dotted)} if curve.dotted else {}
        axes.plot(xs, ys, **style.line | second)
        # The last point is often on the edge of the axes, where its marker would be clipped.
        axes.plot(xs[-1:], ys[-1:], style.marker, color=style.colour, clip_on=False, gid=style.tag(SIGN))
    if level is not None:
        axes.axhline(level, **LEVEL)
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda *_: "")
    if from_zero:
        # Without a point at 0, a curve that hardly changes would be drawn at the upper edge of the axes.
        axes.update_datalim([(drawn[0].x[0], 0)])
        axes.autoscale_view()
        axes.set_ylim(bottom=0)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=steps, integer=x == UPDATES))


def label_axes(axes: "Axes", x: str, unit: str) -> None:
    """Set the labels of the horizontal and of the vertical axis."""
    axes.set_xlabel(x)
    axes.set_ylabel(unit)


def thin(values: Sequence[float]) -> list[float]:
    """Return at most CURVE_POINTS values: the means of groups of neighbouring values."""
    size = -(-len(values) // CURVE_POINTS)  # rounded up
    # All groups have the same size; the last group may be smaller.
    return [sum(group) / len(group) for n in range(0, len(values), size or 1) if (group := values[n : n + size])]
