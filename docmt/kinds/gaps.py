"""Tables of gaps: the difference of two systems in a metric, row by row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, needed, setting, within
from docmt.reporting.item import KIND, Checks, SystemOnCorpus, TableConfig, TableRow, reads_of


@dataclass(frozen=True)
class GapRow(TableRow):
    """A row: a heading across the table, or a system and its baseline, for example with the same length of input."""

    label: str = setting("", "label of the row; the system's name where it is left out")
    group: str = setting("", "a heading across the table, and nothing else in this row")
    system: str | None = setting(None, "name of the study's system")
    baseline: str | None = setting(None, "name of the system whose mean is subtracted")

    def __post_init__(self) -> None:
        """Raise BadValue where a row lacks one of its systems, or a heading has further fields."""
        super().__post_init__()
        for name in () if self.group else ("system", "baseline"):
            need(getattr(self, name) is not None, name, None, "the name of a system (or a `group` alone)")


@dataclass(frozen=True, kw_only=True)
class GapsTable(TableConfig):
    """A table of one metric: a row has two systems, their difference, and its confidence interval over trainings."""

    kind: Literal["gaps"] = setting("gaps", KIND)
    corpus: str = needed("corpus of the systems")
    metric: str = needed("the metric")
    system: str = setting("system", "heading of the column of the rows' systems")
    baseline: str = setting("baseline", "heading of the column of the rows' baselines")
    confidence: float = setting(
        0.95,
        "the share of such intervals that hold the true difference",
        within("above 0 and below 1", exclusiveMinimum=0, exclusiveMaximum=1),
    )
    rows: tuple[GapRow, ...] = needed("rows, each with two systems or a heading")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the system and the baseline of each row, on the table's corpus."""
        pairs = ((row.system, row.baseline) for row in self.rows if not row.group)
        return ((self.corpus, system) for pair in pairs for system in pair)

    def reads(self) -> list[str]:
        """Return the inputs of the table: records of trainings, and scores where the metric is a score."""
        return reads_of([self.metric])

    @property
    def measures(self) -> tuple[str, ...]:
        """The metric that the item shows."""
        return (self.metric,)

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown metric, and for a system that is not on the table's corpus."""
        super().check(checks, path)
        checks.metric(self.metric, (*path, "metric"))
        for number, row in enumerate(self.rows):
            for key in () if row.group else ("system", "baseline"):
                checks.system(getattr(row, key), self.corpus, (*path, "rows", number, key))
