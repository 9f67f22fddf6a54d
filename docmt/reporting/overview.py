"""The picture of a page's first screen: the quality of each system against its consistency."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from docmt.reporting.figures import Panel, draw, label_axes
from docmt.reporting.formats import number
from docmt.reporting.look import SIGN, Style
from docmt.reporting.over_seeds import OverSeeds, over_seeds
from docmt.reporting.plots import Plot, by_corpus
from docmt.reporting.results import Run
from docmt.settings.metrics import METRICS, parse_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The metrics of each axis, the first that two systems or more have.
QUALITY, CONSISTENCY = ("s-BLEU", "d-BLEU"), ("LTCR", "accuracy")


class Point(NamedTuple):
    """A system with its two numbers."""

    system: str
    quality: OverSeeds
    consistency: OverSeeds


@by_corpus
def overview(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Plot BLEU against LTCR, or contrastive accuracy where there is no LTCR, with intervals; a point is a system."""
    for quality, consistency in product(QUALITY, CONSISTENCY):
        points = list(_points(runs, quality, consistency))
        if len(points) > 1:
            break
    else:
        return Plot(corpus, ())
    axes = tuple(f"{name}, %" if METRICS[name].unit == "%" else name for name in (quality, consistency))
    paint = partial(_paint, points=points, look=look, labels=axes)
    title = f"{consistency} against {quality}"
    panel = Panel(
        title,
        draw(f"overview-{corpus}", _said(title, points, look), paint),
        paint,
        tuple(point.system for point in points),
    )
    numbers = tuple((title, point.system, [point.quality.measured, point.consistency.measured]) for point in points)
    return Plot(corpus, (panel,), steps=(quality, consistency), numbers=numbers)


def _points(runs: list[Run], quality: str, consistency: str) -> Iterator[Point]:
    for system in dict.fromkeys(run.entry.system.name for run in runs):
        members = [run for run in runs if run.entry.system.name == system]
        point = Point(system, *(over_seeds(members, parse_metric(name), "") for name in (quality, consistency)))
        if point.quality.values and point.consistency.values:
            yield point


def _said(title: str, points: list[Point], look: dict[str, Style]) -> str:
    """Return the picture in words, for screen readers."""
    texts = (f"{look[p.system].label} {number(p.consistency.measured)} at {number(p.quality.measured)}" for p in points)
    return f"{title}: {'; '.join(texts)}"


def _paint(axes: "Axes", points: list[Point], look: dict[str, Style], labels: tuple[str, str]) -> None:
    for point in points:
        style, place = look[point.system], (point.quality.measured, point.consistency.measured)
        across, up = _bar(point.quality), _bar(point.consistency)
        _, *bars = axes.errorbar(*place, xerr=across, yerr=up, color=style.colour, elinewidth=1, alpha=0.55, fmt="none")
        for bar in bars[1]:
            bar.set_gid(style.tag(SIGN))
        axes.plot(*([value] for value in place), **style.marked | {"markersize": 8, "linestyle": "none"})
    label_axes(axes, *labels)


def _bar(value: OverSeeds) -> list[list[float]] | None:
    """Return the distances to the ends of the interval, as matplotlib takes them; None without an interval."""
    return None if value.low is None else [[value.measured - value.low], [value.high - value.measured]]
