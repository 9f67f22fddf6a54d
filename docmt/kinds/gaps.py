"""Tables of gaps: a metric of a system and of its baseline, their difference, and its confidence interval."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, needed, setting, within
from docmt.reporting.item import KIND, Checks, PieceContent, SystemOnCorpus, TableConfig, TableRow
from docmt.reporting.over_seeds import OverSeeds, over_seeds, runs_with_file, why_empty
from docmt.reporting.results import Results
from docmt.settings.metric import Metric
from docmt.settings.metrics import parse_metric


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

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown metric, and for a system that is not on the table's corpus."""
        super().check(checks, path)
        checks.metric(self.metric, (*path, "metric"))
        for number, row in enumerate(self.rows):
            for key in () if row.group else ("system", "baseline"):
                checks.system(getattr(row, key), self.corpus, (*path, "rows", number, key))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the table with the metric of all runs so far, and its rows as flat records."""
        rows = tuple(_gap(self, row, results) for row in self.rows)
        gaps = Gaps(self, parse_metric(self.metric).metric, rows)
        return PieceContent(gaps, _records(gaps))


@dataclass(frozen=True, kw_only=True)
class GapSide(OverSeeds):
    """The metric over the seeds of one system of a row: the compared system or its baseline."""

    system: str


@dataclass(frozen=True)
class Gap:
    """A row of the table; a heading has only a `group`. The ends of the interval, `low` and `high`, may be None."""

    label: str
    group: str = ""
    system: GapSide | None = None
    baseline: GapSide | None = None
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float | None:
        """The mean of the system minus the mean of the baseline; None where one of the means is missing."""
        if self.system is None or self.baseline is None:
            return None
        ours, theirs = self.system.measured, self.baseline.measured
        return None if ours is None or theirs is None else ours - theirs


@dataclass(frozen=True)
class Gaps:
    """The table of the study with the content of its rows."""

    stated: GapsTable
    metric: Metric
    rows: tuple[Gap, ...]

    @property
    def sides(self) -> list[GapSide]:
        """The two systems of each row that is no heading."""
        return [side for row in self.rows for side in (row.system, row.baseline) if side is not None]

    @property
    def footnotes(self) -> list[str]:
        """The reasons why systems have no number, each once; a cell refers to its reason by a number."""
        return list(dict.fromkeys(side.footnote for side in self.sides if side.footnote))

    @property
    def signatures(self) -> list[str]:
        """The signatures of the numbers, each once."""
        return list(dict.fromkeys(text for side in self.sides for text in side.signatures))

    @property
    def test(self) -> str:
        """The description of the confidence intervals."""
        return f"Welch's t interval over seeds, {100 * self.stated.confidence:g} %, two-sided"


def welch_interval(system: Sequence[float], baseline: Sequence[float], confidence: float) -> tuple[float, float] | None:
    """Return the confidence interval of the difference of two means with unequal variances.

    The result is None where one of the systems has fewer than two values.

    Trainings of two systems are not paired: they have only their seeds in common, and two different systems draw
    different random numbers from the same seed. Where all values of each system are equal, both ends of the interval
    are the difference of the means.

    Paper: Welch, The generalization of "Student's" problem when several different population variances are involved,
    Biometrika 1947.

    Example: two systems have three values each, with the means 7 and 2 and the variances 1. The standard error of the
    difference is sqrt(2 / 3), with 4 degrees of freedom. For these, 95 % of the t distribution lie between -2.776445
    and 2.776445.

    >>> low, high = welch_interval([6, 7, 8], [1, 2, 3], 0.95)
    >>> [round(end, 4) for end in (low, high)] == [round(5 + sign * 2.776445 * (2 / 3) ** 0.5, 4) for sign in (-1, 1)]
    True
    """
    from scipy.stats import ttest_ind

    if min(len(system), len(baseline)) < 2:
        return None
    if len({*system}) == len({*baseline}) == 1:
        return system[0] - baseline[0], system[0] - baseline[0]
    with warnings.catch_warnings():
        # scipy warns where all values of one system are equal, which is allowed here.
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = ttest_ind(system, baseline, equal_var=False).confidence_interval(confidence)
    return float(interval.low), float(interval.high)


def _records(gaps: Gaps) -> Iterator[dict]:
    for row in gaps.rows:
        if row.system is not None and row.baseline is not None:
            yield {
                "row": row.label,
                "metric": gaps.stated.metric,
                **_side_record("system", row.system),
                **_side_record("baseline", row.baseline),
                "difference": row.difference,
                "low": row.low,
                "high": row.high,
                "confidence": gaps.stated.confidence,
                "test": gaps.test,
                "signature": " ; ".join(gaps.signatures),
            }


def _side_record(name: str, side: GapSide) -> dict:
    """Return the fields of a record for one system of a row; `name` is "system" or "baseline"."""
    return {
        name: side.system,
        f"{name}_measured": side.measured,
        f"{name}_sd": side.deviation,
        f"{name}_values": list(side.values),
        f"{name}_status": side.status,
    }


def _gap(table: GapsTable, row: GapRow, results: Results) -> Gap:
    if row.group or row.system is None or row.baseline is None:
        return Gap("", row.group)
    ours, theirs = (_side(table, name, results) for name in (row.system, row.baseline))
    low, high = welch_interval(ours.values, theirs.values, table.confidence) or (None, None)
    return Gap(row.name, "", ours, theirs, low, high)


def _side(table: GapsTable, system: str, results: Results) -> GapSide:
    metric, runs = parse_metric(table.metric), results.of(table.corpus, system)
    why = why_empty(results, table.corpus, system, metric, bool(runs_with_file(runs, metric)))
    return GapSide(system=system, **vars(over_seeds(runs, metric, why)))
