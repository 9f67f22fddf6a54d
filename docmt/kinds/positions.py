"""Figures by position: the BLEU score of all sentences that are the first, the second, ... of their windows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import need, needed, section, setting
from docmt.reporting.item import KIND, BesidePublished, Checks, FigureConfig, SystemOnCorpus, published_number, reads_of


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

    def reads(self) -> list[str]:
        """Return the inputs of the figure: scores, and records of trainings."""
        return reads_of([self.metric])

    @property
    def measures(self) -> tuple[str, ...]:
        """The metric that the item shows."""
        return (self.metric,)

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
