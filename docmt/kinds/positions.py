"""Figures by position: a BLEU score of the first sentences of all windows, of the second sentences, and so on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from docmt.base.checks import need, needed, section, setting
from docmt.reporting.drawn import (
    DrawnFigure,
    hollow,
    missing,
    not_comparable,
    paint_lines,
    panels_of,
    point,
    with_differences,
)
from docmt.reporting.figures import POSITION
from docmt.reporting.item import (
    KIND,
    BesidePublished,
    Checks,
    FigureConfig,
    PieceContent,
    SystemOnCorpus,
    published_number,
)
from docmt.reporting.look import styles_of_lines
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric


@dataclass(frozen=True)
class PositionSeries:
    """A line of a figure by position: a system that translates windows, published numbers by position, or both."""

    label: str = needed("label of the line")
    system: str | None = setting(None, "name of the study's system; none for a line that is only published")
    published: dict[float, Any] = section(dict, "the published number of each position")

    def __post_init__(self) -> None:
        """Raise BadValue where the line has neither a system nor published numbers."""
        need(self.system is not None or bool(self.published), "system", None, "a system, or published values")


@dataclass(frozen=True)
class Level:
    """A published number that belongs to no position, drawn as a horizontal line."""

    label: str = needed("label of the line")
    published: Any = needed("the published number")


@dataclass(frozen=True, kw_only=True)
class PositionsFigure(FigureConfig):
    """A figure of a sentence-level BLEU score by the position j of the sentence in its window."""

    kind: Literal["positions"] = setting("positions", KIND)
    metric: str = setting("s-BLEU", "a BLEU score over sentences")
    baseline: str | None = setting(None, "label of the line that further panels compare the others with")
    series: tuple[PositionSeries, ...] = needed("the lines of the figure")
    levels: tuple[Level, ...] = setting((), "published numbers of no position")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the system of each line that has one, on the figure's corpus."""
        return ((self.corpus, series.system) for series in self.series if series.system is not None)

    def labels_of(self) -> Iterator[tuple[str, str]]:
        """Yield the name of the system and the label of each line that has a system."""
        return ((series.system, series.label) for series in self.series if series.system is not None)

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield the corpus, the system and the metric of every line, where the figure has published numbers too."""
        stated = [number for series in self.series for number in series.published.values()]
        stated += [level.published for level in self.levels]
        if any(published_number(number) is not None for number in stated):
            yield from ((corpus, system, self.metric) for corpus, system in self.systems_of(corpora))

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for a corpus or system that the study lacks, and for a system that translates no windows.

        The metric must have positions; labels of lines and levels must differ; published values must be numbers.
        """
        super().check(checks, path)
        checks.metric(f"{self.metric}@j1", (*path, "metric"))
        checks.labels([line.label for line in (*self.series, *self.levels)], (*path, "series"))
        checks.line(self.baseline, self.series, (*path, "baseline"))
        for number, series in enumerate(self.series):
            series_path = (*path, "series", number)
            for position, value in series.published.items():
                checks.published(value, (*series_path, "published", f"{position:g}"))
            if series.system is not None:
                checks.system(series.system, self.corpus, (*series_path, "system"))
                checks.model(series.system, (*series_path, "system"))
                view = checks.systems[series.system].view.test
                description = f"{series.system}, test view {view.name}"
                checks.require(
                    (view.window or 1) > 1,
                    "not a system that translates windows",
                    description,
                    (*series_path, "system"),
                )
        for number, level in enumerate(self.levels):
            checks.published(level.published, (*path, "levels", number, "published"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return a figure with one panel; positions are those of the systems' windows and of published numbers."""
        look = styles_of_lines({line.label: [line.system] if line.system else [] for line in self.series}, results.look)
        records = with_differences(list(_positions(self, results)), self.baseline)
        numbers = {level.label: published_number(level.published) for level in self.levels}
        levels = {label: number for label, number in numbers.items() if number is not None}
        unread = [f"{level.label}: {level.published}" for level in self.levels if level.label not in levels]
        published = [
            {"label": level.label, "metric": self.metric, "published": level.published} for level in self.levels
        ]
        paint = partial(paint_lines, look=look, x=POSITION, unit=parse_metric(self.metric).metric.unit)
        panels = tuple(panels_of(name, self.metric, records, self.baseline, paint, levels))
        marks = (*hollow(records), *unread, *not_comparable(records))
        return DrawnFigure(panels, look, marks, missing(records), (*records, *published)).content


def _positions(figure: PositionsFigure, results: Results) -> Iterator[dict]:
    """Yield the record of each position of each line of the figure; positions are counted from 1."""
    beside = {*figure.beside_published(())}
    for series in figure.series:
        is_beside = (figure.corpus, series.system, figure.metric) in beside
        windows = [e for e in results.settings.entries if (e.corpus, e.system.name) == (figure.corpus, series.system)]
        last = max((entry.system.view.test.window or 1 for entry in windows), default=0)
        for j in sorted({*map(float, range(1, last + 1)), *series.published}):
            metric, published = f"{figure.metric}@j{j:g}", series.published.get(j)
            yield point(series.label, j, series.system, figure.corpus, metric, published, results, is_beside)
