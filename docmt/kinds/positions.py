"""Figures by position: how well windows translate their first, second ... sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, FigureConfig, SystemOnCorpus, reads_of


@dataclass(frozen=True)
class PositionSeries:
    """A line of a figure by position: a system that translates windows, what was published by position, or both."""

    label: str
    system: str | None = setting(None, "name of the study's system; none for a line that is only published")
    published: dict[float, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(self.system is not None or bool(self.published), "system", None, "a system, or published values")


@dataclass(frozen=True)
class Level:
    """A published number that is of no position: a horizontal line."""

    label: str
    published: Any


@dataclass(frozen=True, kw_only=True)
class PositionsFigure(FigureConfig):
    """A BLEU score of sentences by the position j at which windows translate them."""

    kind: Literal["positions"] = "positions"
    metric: str = setting("s-BLEU", "a BLEU score over sentences")
    series: tuple[PositionSeries, ...]
    levels: tuple[Level, ...] = setting((), "published numbers of no position")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        return ((self.corpus, series.system) for series in self.series if series.system is not None)

    def reads(self) -> list[str]:
        return reads_of([self.metric])

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        checks.metric(f"{self.metric}@j1", (*path, "metric"))
        checks.labels([one.label for one in (*self.series, *self.levels)], (*path, "series"))
        for number, series in enumerate(self.series):
            own = (*path, "series", number)
            for position, value in series.published.items():
                checks.published(value, (*own, "published", f"{position:g}"))
            if series.system is not None:
                checks.system(series.system, self.corpus, (*own, "system"))
                view = checks.systems[series.system].view.test
                found = f"{series.system}, test view {view.name}"
                checks.require((view.window or 1) > 1, "not a system that translates windows", found, (*own, "system"))
        for number, level in enumerate(self.levels):
            checks.published(level.published, (*path, "levels", number, "published"))
