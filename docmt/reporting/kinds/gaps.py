"""Tables of gaps: a metric of a system and of its baseline, how far they are apart, and how sure that is."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scipy.stats import ttest_ind

from docmt.kinds.gaps import GapRow, GapsTable
from docmt.reporting.over_seeds import OverSeeds, over_seeds, runs_with_file, why_empty
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.settings.metrics import Metric, parse_metric


@dataclass(frozen=True, kw_only=True)
class GapSide(OverSeeds):
    """The metric of one of a row's systems."""

    system: str


@dataclass(frozen=True)
class Gap:
    """A row; a heading across the table has a `group` and no sides. `low` and `high`: the interval, if there is one."""

    label: str
    group: str
    system: GapSide | None
    baseline: GapSide | None
    low: float | None
    high: float | None

    @property
    def difference(self) -> float | None:
        """The system's mean less the baseline's."""
        if self.system is None or self.baseline is None:
            return None
        ours, theirs = self.system.measured, self.baseline.measured
        return None if ours is None or theirs is None else ours - theirs


@dataclass(frozen=True)
class Gaps:
    """`test`: how intervals were made; `signatures`: how the numbers were."""

    stated: GapsTable
    metric: Metric
    rows: tuple[Gap, ...]
    signatures: tuple[str, ...]

    @property
    def test(self) -> str:
        return f"Welch's t interval over seeds, {100 * self.stated.confidence:g} %, two-sided"


def content(_: str, table: GapsTable, results: Results) -> PieceContent:
    """With what is there of its runs."""
    rows = tuple(_gap(table, row, results) for row in table.rows)
    sides = [side for row in rows for side in (row.system, row.baseline) if side is not None]
    signatures = tuple(dict.fromkeys(text for side in sides for text in side.signatures))
    gaps = Gaps(table, parse_metric(table.metric).metric, rows, signatures)
    return PieceContent(gaps, _records(gaps))


def welch_interval(system: Sequence[float], baseline: Sequence[float], confidence: float) -> tuple[float, float] | None:
    """Of the difference of two means whose values have variances of their own; none where one has less than two values.

    Trainings of two systems have nothing in common but the number that their draws follow from, so they are not
    paired. Where no value differs from the others of its system, the interval is the difference itself.

    Paper: Welch, The generalization of "Student's" problem when several different population variances are involved,
    Biometrika 1947.

    Means 2 and 7 of three values each, variances 1: standard error sqrt(2 / 3), 4 degrees of freedom, for which 95 %
    of t lie within 2.776445.

    >>> low, high = welch_interval([6, 7, 8], [1, 2, 3], 0.95)
    >>> [round(end, 4) for end in (low, high)] == [round(5 + sign * 2.776445 * (2 / 3) ** 0.5, 4) for sign in (-1, 1)]
    True
    """
    if min(len(system), len(baseline)) < 2:
        return None
    if len({*system}) == len({*baseline}) == 1:
        return system[0] - baseline[0], system[0] - baseline[0]
    with warnings.catch_warnings():
        # That the values of one of the two are all the same, which is no mistake.
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = ttest_ind(system, baseline, equal_var=False).confidence_interval(confidence)
    return float(interval.low), float(interval.high)


def _records(gaps: Gaps) -> Iterator[dict]:
    """Every row as a flat record, for JSON and CSV."""
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
    return {
        name: side.system,
        f"{name}_measured": side.measured,
        f"{name}_sd": side.deviation,
        f"{name}_values": list(side.values),
        f"{name}_status": side.status,
    }


def _gap(table: GapsTable, row: GapRow, results: Results) -> Gap:
    if row.group or row.system is None or row.baseline is None:
        return Gap("", row.group, None, None, None, None)
    ours, theirs = (_side(table, name, results) for name in (row.system, row.baseline))
    low, high = welch_interval(ours.values, theirs.values, table.confidence) or (None, None)
    return Gap(row.name, "", ours, theirs, low, high)


def _side(table: GapsTable, system: str, results: Results) -> GapSide:
    metric, runs = parse_metric(table.metric), results.of(table.corpus, system)
    why = why_empty(results, table.corpus, system, bool(runs_with_file(runs, metric)))
    return GapSide(system=system, **vars(over_seeds(runs, metric, why)))
