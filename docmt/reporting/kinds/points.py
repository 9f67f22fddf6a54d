"""Figures of points: a panel per metric, which is drawn against a number that differs between systems."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from docmt.kinds.points import Axis, PointsFigure
from docmt.reporting.drawn import (
    DrawnFigure,
    hollow,
    identifier,
    missing,
    not_comparable,
    paint_lines,
    panels_of,
    point,
    published_points,
    with_differences,
)
from docmt.reporting.figures import Panel, draw
from docmt.reporting.look import Style, styles_of_lines
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric

BARS = "Bars: from the smallest to the largest seed"
"""The note below a figure in which a point has the values of several seeds."""


def content(name: str, figure: PointsFigure, results: Results) -> PieceContent:
    """Return a figure with a panel per metric."""
    look = styles_of_lines({series.label: series.points.values() for series in figure.series}, results.look)
    points = [record for metric in figure.metrics for record in _points(figure, metric, results)]
    records = with_differences(points, figure.baseline)
    panels = list(chain.from_iterable(_panels(name, figure, metric, records, look) for metric in figure.metrics))
    bars = (BARS,) if any(len(record["values"]) > 1 for record in records) else ()
    marks = (*bars, *hollow(records), *not_comparable(records))
    return DrawnFigure(tuple(panels), look, marks, missing(records), tuple(records)).content


def _panels(
    name: str, figure: PointsFigure, metric: str, records: Sequence[dict], look: dict[str, Style]
) -> Iterator[Panel]:
    """Yield the panel of a metric, and that of its differences to the baseline; none without a number."""
    unit = parse_metric(metric).metric.unit
    of_metric = [record for record in records if record["metric"] == metric]
    for title, drawn in panels_of(metric, of_metric, figure.baseline):
        if drawn:
            paint = partial(_paint, records=drawn, look=look, x=figure.x, unit=unit)
            yield Panel(title, draw(identifier(name, title), title, paint), paint)


def _points(figure: PointsFigure, metric: str, results: Results) -> Iterator[dict]:
    """Yield the record of each point of each line for a metric."""
    beside = {*figure.beside_published(())}
    for series in figure.series:
        for x in sorted({*series.points, *series.published}):
            published = series.published.get(x, {}).get(metric)
            system = series.points.get(x)
            is_beside = (figure.corpus, system, metric) in beside
            yield point(series.label, x, system, figure.corpus, metric, published, results, is_beside)


def _paint(axes: Axes, records: Sequence[dict], look: dict[str, Style], x: Axis, unit: str) -> None:
    """Paint lines with a tick at each point, and with a bar from the smallest to the largest value of all seeds."""
    paint_lines(axes, records, look, f"{x.label} ({x.unit})" if x.unit else x.label, unit, ranges=True)
    if x.log:
        axes.set_xscale("log")
    ticks = {record["x"] for record in records if record["values"]} | {place for place, _ in published_points(records)}
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
