"""Figures of points: a panel per metric, which is drawn against a number that differs between systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from docmt.base.checks import need, needed, section, setting, some
from docmt.reporting.drawn import (
    DrawnFigure,
    hollow,
    missing,
    not_comparable,
    paint_lines,
    panels_of,
    point,
    published_points,
    with_differences,
)
from docmt.reporting.figures import Panel
from docmt.reporting.item import (
    KIND,
    BesidePublished,
    Checks,
    FigureConfig,
    PieceContent,
    SystemOnCorpus,
    published_number,
)
from docmt.reporting.look import Style, styles_of_lines
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The note below a figure in which a point has the values of several seeds.
BARS = "Bars: from the smallest to the largest seed"


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of a figure of points."""

    label: str = needed("label of the axis")
    unit: str = setting("", "unit of its numbers")
    log: bool = setting(False, "whether it is logarithmic")


@dataclass(frozen=True)
class Series:
    """A line of a figure of points.

    `points` has the system at each place of the horizontal axis. `published` has the published number of each metric at
    a place.
    """

    label: str = needed("label of the line")
    points: dict[float, str] = section(dict, "the system at each place of the horizontal axis")
    published: dict[float, dict[str, Any]] = section(
        dict, "by place of the horizontal axis, the published number of each metric"
    )

    def __post_init__(self) -> None:
        """Raise BadValue where the line has neither a system's point nor a published point."""
        need(bool(self.points or self.published), "points", "nothing", "points, or published ones")


@dataclass(frozen=True, kw_only=True)
class PointsFigure(FigureConfig):
    """A figure with a panel per metric: mean and range over seeds, against a number that differs between systems."""

    kind: Literal["points"] = setting("points", KIND)
    metrics: tuple[str, ...] = needed(
        "metrics, each in a panel of its own", some("one metric or more", found="nothing")
    )
    x: Axis = needed("the horizontal axis: a number that differs between systems")
    baseline: str | None = setting(None, "label of the line that further panels compare the others with")
    series: tuple[Series, ...] = needed("the lines of the figure")

    def __post_init__(self) -> None:
        """Raise BadValue where a logarithmic axis has a point at 0 or below."""
        super().__post_init__()
        numbers = [number for series in self.series for number in (*series.points, *series.published)]
        below = [number for number in numbers if number <= 0]
        need(not self.x.log or not below, "x.log", True, f"false, or no point at {below}")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the systems of each line from left to right, on the figure's corpus."""
        # Sorted, since the keys of a mapping have no order once a study has been written to JSON and read again.
        return ((self.corpus, series.points[x]) for series in self.series for x in sorted(series.points))

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield the corpus, the system and the metric of every point in a panel that has published points too."""
        cells = [cells for series in self.series for cells in series.published.values()]
        for metric in self.metrics:
            if any(published_number(numbers.get(metric)) is not None for numbers in cells):
                yield from ((corpus, system, metric) for corpus, system in self.systems_of(corpora))

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown metric or system, a repeated label, or a published value that is no number."""
        super().check(checks, path)
        checks.metrics(self.metrics, (*path, "metrics"))
        checks.labels([series.label for series in self.series], (*path, "series"))
        checks.line(self.baseline, self.series, (*path, "baseline"))
        for number, series in enumerate(self.series):
            series_path = (*path, "series", number)
            for x, system in series.points.items():
                checks.system(system, self.corpus, (*series_path, "points", f"{x:g}"))
            for x, cells in series.published.items():
                checks.cells(cells, self.metrics, (*series_path, "published", f"{x:g}"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return a figure with a panel per metric."""
        look = styles_of_lines({series.label: series.points.values() for series in self.series}, results.look)
        points = [record for metric in self.metrics for record in _points(self, metric, results)]
        records = with_differences(points, self.baseline)
        panels = list(chain.from_iterable(_panels(name, self, metric, records, look) for metric in self.metrics))
        bars = (BARS,) if any(len(record["values"]) > 1 for record in records) else ()
        marks = (*bars, *hollow(records), *not_comparable(records))
        return DrawnFigure(tuple(panels), look, marks, missing(records), tuple(records)).content


def _panels(
    name: str, figure: PointsFigure, metric: str, records: Sequence[dict], look: dict[str, Style]
) -> Iterator[Panel]:
    paint = partial(_paint, look=look, axis=figure.x, unit=parse_metric(metric).metric.unit)
    of_metric = [record for record in records if record["metric"] == metric]
    return panels_of(name, metric, of_metric, figure.baseline, paint)


def _points(figure: PointsFigure, metric: str, results: Results) -> Iterator[dict]:
    beside = {*figure.beside_published(())}
    for series in figure.series:
        for x in sorted({*series.points, *series.published}):
            published = series.published.get(x, {}).get(metric)
            system = series.points.get(x)
            is_beside = (figure.corpus, system, metric) in beside
            yield point(series.label, x, system, figure.corpus, metric, published, results, is_beside)


def _paint(axes: "Axes", records: Sequence[dict], axis: Axis, **options: Any) -> None:
    """Paint lines with a tick at each point, and with a bar from the smallest to the largest value of all seeds."""
    from matplotlib.ticker import FixedLocator, NullLocator

    x = f"{axis.label} ({axis.unit})" if axis.unit else axis.label
    paint_lines(axes, records, x=x, ranges=True, **options)
    if axis.log:
        axes.set_xscale("log")
    ticks = {record["x"] for record in records if record["values"]} | {place for place, _ in published_points(records)}
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
