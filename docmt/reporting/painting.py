"""What is painted on the axes of a study's figures: measured and published points, levels, curves of trainings."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from docmt.kinds.points import Axis
from docmt.reporting.figures import LEVEL, Curve, Style, plot_curve

PUBLISHED = {"markerfacecolor": "white", "linestyle": "none", "markeredgewidth": 1.6, "markersize": 7.5, "zorder": 3}
"""Published points are hollow, and no line leads through them."""

UPDATES = "updates"


@dataclass(frozen=True)
class Line:
    """A line of points, by its label: of each x the values of all seeds, and what was published."""

    label: str
    measured: tuple[tuple[float, tuple[float, ...]], ...]
    published: tuple[tuple[float, float], ...] = ()


def paint_points(axes: Axes, lines: Sequence[Line], look: dict[str, Style], x: Axis, unit: str) -> None:
    """The mean of each point over seeds, with a bar from the smallest to the largest value."""
    for line in lines:
        style = look[line.label]
        places, means, bars = [], [], ([], [])
        for place, values in line.measured:
            places.append(place)
            means.append(fmean(values))
            bars[0].append(means[-1] - min(values))
            bars[1].append(max(values) - means[-1])
        axes.errorbar(places, means, bars, marker=style.marker, markeredgecolor="white", capsize=3, **style.line)
        _paint_published(axes, line, style)
    _label(axes, x, unit)
    if x.log:
        axes.set_xscale("log")
    ticks = sorted({place for line in lines for place, _ in (*line.measured, *line.published)})
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


def paint_positions(
    axes: Axes, lines: Sequence[Line], levels: dict[str, float], look: dict[str, Style], unit: str
) -> None:
    """The mean at each position; `levels`, by what they are, are published and of no position."""
    for line in lines:
        style = look[line.label]
        places, means = [place for place, _ in line.measured], [fmean(values) for _, values in line.measured]
        axes.plot(places, means, marker=style.marker, markeredgecolor="white", **style.line)
        _paint_published(axes, line, style)
    for label, level in levels.items():
        axes.axhline(level, **LEVEL)
        place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        axes.text(1, level, label, color=LEVEL["color"], fontsize=8, **place)
    _label(axes, Axis("position j in the window"), unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def paint_trainings(axes: Axes, curves: Sequence[Curve], look: dict[str, Style], x: str, unit: str) -> None:
    """`x` is what the axis counts."""
    for curve in curves:
        plot_curve(axes, curve, look[curve.system])
    _label(axes, Axis(x), unit)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=x == UPDATES))


def _paint_published(axes: Axes, line: Line, style: Style) -> None:
    if line.published:
        places, values = zip(*sorted(line.published), strict=True)
        axes.plot(places, values, style.marker, color=style.colour, **PUBLISHED)


def _label(axes: Axes, x: Axis, unit: str) -> None:
    axes.set_xlabel(f"{x.label} ({x.unit})" if x.unit else x.label)
    axes.set_ylabel(unit)
