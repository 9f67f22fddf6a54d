"""Tables of gaps: how far two systems are apart, row by row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, SystemOnCorpus, TableConfig, TableRow, reads_of


@dataclass(frozen=True)
class GapRow(TableRow):
    """A system and what it is compared with, such as both at one length of input; or a heading across the table."""

    label: str = setting("", "what the row is called; the system's name where it is left out")
    group: str = setting("", "a heading across the table, and nothing else in this row")
    system: str | None = setting(None, "name of the study's system")
    baseline: str | None = setting(None, "the system whose mean is taken from its mean")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in () if self.group else ("system", "baseline"):
            need(getattr(self, name) is not None, name, None, "the name of a system (or a `group` alone)")


@dataclass(frozen=True, kw_only=True)
class GapsTable(TableConfig):
    """A metric of two systems a row, their difference and its interval over trainings."""

    kind: Literal["gaps"] = "gaps"
    corpus: str
    metric: str
    system: str = setting("system", "what the rows' systems are called together")
    baseline: str = setting("baseline", "what those are called that they are compared with")
    confidence: float = setting(0.95, "the share of such intervals that hold the true difference")
    rows: tuple[GapRow, ...]

    def __post_init__(self) -> None:
        need(0 < self.confidence < 1, "confidence", self.confidence, "above 0 and below 1")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        pairs = ((row.system, row.baseline) for row in self.rows if not row.group)
        return ((self.corpus, system) for pair in pairs for system in pair)

    def reads(self) -> list[str]:
        return reads_of([self.metric])

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        checks.metric(self.metric, (*path, "metric"))
        for number, row in enumerate(self.rows):
            for key in () if row.group else ("system", "baseline"):
                checks.system(getattr(row, key), self.corpus, (*path, "rows", number, key))
