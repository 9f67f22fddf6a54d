"""Figures as inline SVG, a panel each, so that the page can set them side by side or one below the other.

Text stays text in the SVG (the browser sets it in the page's font); what may hold other scripts than Latin, such as
names of systems and sets, stands in the page's own captions and legends.
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
"""Dashes of lines beside those of systems, as the legend's SVG has them."""

LEVEL = {"color": "#8a929b", "linestyle": (0, (4, 3)), "linewidth": 1.2}
"""The line to compare with: chance, a unigram model."""

UPDATES, POSITION = "updates", "position j in the window"
"""What horizontal axes count."""

CURVE_POINTS = 240
"""Points of a learning curve: more than this are averaged in groups, or a page grows by megabytes."""


@dataclass(frozen=True)
class Style:
    """How a system is drawn, the same on the whole page; colours are told apart by the colour-blind too."""

    colour: str
    dash: str
    marker: str

    @property
    def line(self) -> dict:
        return {"color": self.colour, "linestyle": _line_style(self.dash)}

    @property
    def marked(self) -> dict:
        """A line with a marker at each of its points."""
        return {"marker": self.marker, "markeredgecolor": "white", **self.line}


def _line_style(dash: str) -> str | tuple[int, tuple[float, ...]]:
    """What matplotlib calls the dashes of an SVG."""
    return (0, tuple(float(part) / 2 for part in dash.split())) if dash else "solid"


def styles(systems: Sequence[str]) -> dict[str, Style]:
    """A style for each system; after as many systems as colours, the next kind of dashes."""
    count = len(COLOURS)
    return {
        name: Style(COLOURS[n % count], DASHES[n // count % len(DASHES)], MARKERS[n % len(MARKERS)])
        for n, name in enumerate(systems)
    }


@dataclass(frozen=True)
class Panel:
    """One set of axes with its title and the systems in it; `notes`: what other lines are, and their dashes."""

    title: str
    svg: Markup
    systems: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


def notes_of(panels: Iterable[Panel]) -> tuple[tuple[str, str], ...]:
    """What lines of panels are that are no system's, and their dashes."""
    return tuple(dict.fromkeys(note for panel in panels for note in panel.notes))


@dataclass(frozen=True)
class Curve:
    """One line of a plot. Curves of one system (seeds) share its style; `dotted` says what a second kind of them is.

    `system`: its name, or the label that stands for it.
    """

    system: str
    x: Sequence[float]
    y: Sequence[float]
    dotted: str = ""


def draw(identifier: str, label: str, paint: Callable[[Axes], None]) -> Markup:
    """Paint on fresh axes and give the SVG, scalable, with `label` for those who cannot see it.

    `identifier` goes before every id within, since several SVGs share the page's ids.
    """
    with matplotlib.rc_context(RC):
        canvas = Canvas(figsize=(4.6, 3.0), layout="constrained")
        axes = canvas.add_subplot()
        paint(axes)
        out = io.StringIO()
        canvas.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), identifier, label)


def _inline(svg: str, identifier: str, label: str) -> Markup:
    """From a file to a part of a page: no prolog, no metadata, no namespaces (HTML knows SVG), ids of its own."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{identifier}-', svg)
    svg = svg.replace("url(#", f"url(#{identifier}-").replace('href="#', f'href="#{identifier}-')
    view_box = re.search(r'viewBox="[^"]*"', svg)[0]
    head = Markup('<svg role="img" aria-label="{}" {}>').format(label, Markup(view_box))
    return head + Markup(svg[svg.index(">") + 1 :])


def curves(identifier: str, title: str, drawn: Sequence[Curve], look: dict[str, Style], **options: Any) -> Panel:
    """Lines over updates. Options: those of `_paint_curves`."""
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
    """Thinned; the last point of each has the system's marker.

    `x`, `unit`: what the axes count. `steps`: of ticks, times powers of ten. `level`: a dashed line to compare with.
    """
    for curve in drawn:
        xs, ys, style = thin(curve.x), thin(curve.y), look[curve.system]
        axes.plot(xs, ys, **style.line | ({"linestyle": _line_style(DOTTED)} if curve.dotted else {}))
        axes.plot(xs[-1:], ys[-1:], style.marker, color=style.colour, clip_on=False)
    if level is not None:
        axes.axhline(level, **LEVEL)
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda *_: "")
    if from_zero:
        # What hardly changes would else lie on the upper edge.
        axes.update_datalim([(drawn[0].x[0], 0)])
        axes.autoscale_view()
        axes.set_ylim(bottom=0)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=steps, integer=x == UPDATES))


def label_axes(axes: Axes, x: str, unit: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(unit)


def thin(values: Sequence[float]) -> list[float]:
    """At most CURVE_POINTS values: means of equally many neighbours."""
    size = -(-len(values) // CURVE_POINTS)
    return [sum(group) / len(group) for n in range(0, len(values), size or 1) if (group := values[n : n + size])]
