"""Panels of figures as inline SVG, which the page sets side by side or below each other.

Text remains text in the SVG, and the browser sets it in the page's font. Names that may be in other scripts than Latin,
such as those of systems and contrastive sets, are in the captions and legends of the page, not in the SVG.
"""

import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, MaxNLocator

RC = {
    "svg.fonttype": "none",
    # Without a fixed salt the ids, and so the bytes of a page, would differ in each run.
    "svg.hashsalt": "docmt",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": "#8a929b",
    "axes.labelcolor": "#333b44",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "axes.axisbelow": True,
    "grid.color": "#e4e7ea",
    "grid.linewidth": 0.8,
    "xtick.color": "#5a636d",
    "ytick.color": "#5a636d",
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
}

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5548f", "#c48a00", "#3aa0d8", "#3b3b3b")
DASHES = ("", "6 2", "2 2", "8 2 2 2")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LEVEL_DASH, DOTTED = "5 4", "1.5 3"
"""Dashes of lines that belong to no system, as the SVG of the legend writes them."""

LEVEL = {"color": "#8a929b", "linestyle": (0, (4, 3)), "linewidth": 1.2}
"""The style of a line to compare with: chance, a unigram model."""

UPDATES, POSITION = "updates", "position j in the window"
"""Labels of horizontal axes."""

CURVE_POINTS = 240
"""The most points of a learning curve: more are averaged in groups, since a page would grow by megabytes."""


@dataclass(frozen=True)
class Style:
    """The style of a system, the same on the whole page, in colours that the colour-blind can distinguish."""

    colour: str
    dash: str
    marker: str

    @property
    def line(self) -> dict:
        """The arguments of matplotlib for a line without markers."""
        return {"color": self.colour, "linestyle": _line_style(self.dash)}

    @property
    def marked(self) -> dict:
        """The arguments of matplotlib for a line with a marker at each point."""
        return {"marker": self.marker, "markeredgecolor": "white", **self.line}


def _line_style(dash: str) -> str | tuple[int, tuple[float, ...]]:
    """Return the line style of matplotlib for the dashes of an SVG, at half their lengths."""
    return (0, tuple(float(part) / 2 for part in dash.split())) if dash else "solid"


def styles(systems: Sequence[str]) -> dict[str, Style]:
    """Return a style for each system: the colours in turn, with other dashes in each further round."""
    count = len(COLOURS)
    return {
        name: Style(COLOURS[n % count], DASHES[n // count % len(DASHES)], MARKERS[n % len(MARKERS)])
        for n, name in enumerate(systems)
    }


@dataclass(frozen=True)
class Panel:
    """A pair of axes with its title and its systems; `notes`: lines of no system, as (text, dashes)."""

    title: str
    svg: Markup
    systems: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


def notes_of(panels: Iterable[Panel]) -> tuple[tuple[str, str], ...]:
    """Return the lines of some panels that belong to no system, as (text, dashes), each once."""
    return tuple(dict.fromkeys(note for panel in panels for note in panel.notes))


@dataclass(frozen=True)
class Curve:
    """A line of a plot. The curves of one system (its seeds) have the same style.

    `system`: the name of the system, or its label. `dotted`: the meaning of a second kind of curves, which are drawn
    dotted; empty for the first kind.
    """

    system: str
    x: Sequence[float]
    y: Sequence[float]
    dotted: str = ""


def draw(identifier: str, label: str, paint: Callable[[Axes], None]) -> Markup:
    """Return the SVG of what `paint` draws on new axes; `label` describes it for screen readers.

    `identifier` is put before every id inside, since all SVGs of a page share one space of ids.
    """
    with matplotlib.rc_context(RC):
        canvas = Canvas(figsize=(4.6, 3.0), layout="constrained")
        axes = canvas.add_subplot()
        paint(axes)
        out = io.StringIO()
        canvas.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), identifier, label)


def _inline(svg: str, identifier: str, label: str) -> Markup:
    """Return an SVG file as a part of a page: without prolog, metadata and namespaces, and with unique ids."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    # HTML knows SVG, so namespaces are not needed.
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{identifier}-', svg)
    svg = svg.replace("url(#", f"url(#{identifier}-").replace('href="#', f'href="#{identifier}-')
    view_box = re.search(r'viewBox="[^"]*"', svg)[0]
    head = Markup('<svg role="img" aria-label="{}" {}>').format(label, Markup(view_box))
    return head + Markup(svg[svg.index(">") + 1 :])


def curves(identifier: str, title: str, drawn: Sequence[Curve], look: dict[str, Style], **options: Any) -> Panel:
    """Return a panel of lines over updates; `options` are those of `_paint_curves`."""
    svg = draw(identifier, title, lambda axes: _paint_curves(axes, drawn, look, **options))
    levels = [("unigram model", LEVEL_DASH)] if options.get("level") is not None else []
    dotted = [(kind, DOTTED) for kind in dict.fromkeys(curve.dotted for curve in drawn) if kind]
    return Panel(title, svg, tuple(dict.fromkeys(curve.system for curve in drawn)), (*levels, *dotted))


def _paint_curves(
    axes: Axes,
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
    """Paint curves, thinned to at most CURVE_POINTS points; the last point of each has the marker of its system.

    `x`, `unit`: labels of the axes. `steps`: steps between ticks, times powers of ten. `logarithmic`: whether the
    vertical axis is. `level`: a dashed line to compare with. `from_zero`: whether the vertical axis begins at 0.
    """
    for curve in drawn:
        xs, ys, style = thin(curve.x), thin(curve.y), look[curve.system]
        axes.plot(xs, ys, **style.line | ({"linestyle": _line_style(DOTTED)} if curve.dotted else {}))
        # Not clipped, since the last point is often on the edge of the axes.
        axes.plot(xs[-1:], ys[-1:], style.marker, color=style.colour, clip_on=False)
    if level is not None:
        axes.axhline(level, **LEVEL)
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda *_: "")
    if from_zero:
        # Without a point at 0, a curve that hardly changes would be drawn on the upper edge.
        axes.update_datalim([(drawn[0].x[0], 0)])
        axes.autoscale_view()
        axes.set_ylim(bottom=0)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=steps, integer=x == UPDATES))


def label_axes(axes: Axes, x: str, unit: str) -> None:
    """Set the labels of the horizontal and of the vertical axis."""
    axes.set_xlabel(x)
    axes.set_ylabel(unit)


def thin(values: Sequence[float]) -> list[float]:
    """Return at most CURVE_POINTS values: means of groups of equally many neighbours."""
    size = -(-len(values) // CURVE_POINTS)  # rounded up
    return [sum(group) / len(group) for n in range(0, len(values), size or 1) if (group := values[n : n + size])]
