"""Figures of points: metrics against a number that differs between systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, FigureConfig, SystemOnCorpus, reads_of


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of a figure of points."""

    label: str
    unit: str = setting("", "in what it is measured")
    log: bool = setting(False, "whether it is logarithmic")


@dataclass(frozen=True)
class Series:
    """A line of a figure of points: at which number stands which system, and what was published there."""

    label: str
    points: dict[float, str] = field(default_factory=dict)
    published: dict[float, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(bool(self.points or self.published), "points", "nothing", "points, or published ones")


@dataclass(frozen=True, kw_only=True)
class PointsFigure(FigureConfig):
    """Metrics, a panel each, against a number that differs between systems: mean and range over seeds."""

    kind: Literal["points"] = "points"
    metrics: tuple[str, ...]
    x: Axis
    series: tuple[Series, ...]

    def __post_init__(self) -> None:
        need(bool(self.metrics), "metrics", "nothing", "one metric or more")
        numbers = [number for one in self.series for number in (*one.points, *one.published)]
        below = [number for number in numbers if number <= 0]
        need(not self.x.log or not below, "x.log", True, f"false, or no point at {below}")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        return ((self.corpus, series.points[x]) for series in self.series for x in sorted(series.points))

    def reads(self) -> list[str]:
        return reads_of(self.metrics)

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        checks.metrics(self.metrics, (*path, "metrics"))
        checks.labels([series.label for series in self.series], (*path, "series"))
        for number, series in enumerate(self.series):
            own = (*path, "series", number)
            for x, system in series.points.items():
                checks.system(system, self.corpus, (*own, "points", f"{x:g}"))
            for x, cells in series.published.items():
                checks.cells(cells, self.metrics, (*own, "published", f"{x:g}"))
