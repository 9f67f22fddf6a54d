"""What the findings of a study come to with the numbers that were measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.reporting.formats import number, p_value, signed
from docmt.reporting.over_seeds import over_seeds
from docmt.reporting.results import Results
from docmt.reporting.study import PLACE, Condition, FindingCell, StatedFinding, decimals_of
from docmt.settings.metric import ROUNDING
from docmt.settings.metrics import parse_metric

# Whether all conditions hold, one does not, a number is missing, or the numbers are of generated text.
FindingState = Literal["supported", "not supported", "not run", "not judged"]

MISSING = "…"  # The text of a number that is missing in a sentence.


@dataclass(frozen=True)
class JudgedFinding:
    """A finding with its numbers: `sentence` has them filled in, and `reasons` says why it is not supported."""

    sentence: str
    state: FindingState
    reasons: tuple[str, ...]
    on_record: bool

    @property
    def is_failed(self) -> bool:
        """Whether the numbers do not support a finding that is on record."""
        return self.on_record and self.state == "not supported"


def judged_findings(results: Results) -> list[JudgedFinding]:
    """Return the findings of the page in the order of the study."""
    return [_judged(finding, results) for finding in results.settings.study.findings]


def _judged(finding: StatedFinding, results: Results) -> JudgedFinding:
    """Return a finding with its state: numbers of generated text support nothing, and contradict nothing."""
    numbers = {name: _measured(cell, results) for name, cell in finding.cells.items()}
    sentence = PLACE.sub(lambda place: _filled(place[1], finding, numbers), finding.says)
    missing = tuple(dict.fromkeys(finding.cells[name].system for name in numbers if numbers[name] is None))
    reasons = tuple(reason for condition in finding.when for reason in _failed(condition, finding, numbers, results))
    state: FindingState = "not supported" if reasons else "supported"
    if missing:
        state, reasons = "not run", missing
    if results.settings.data:
        state, reasons = "not judged", ()
    return JudgedFinding(sentence, state, reasons, finding.on_record or results.settings.study.on_record)


def _corpus(cell: FindingCell, results: Results) -> str:
    study = results.settings.study
    (corpus,) = cell.corpora_in(study.items[cell.table], study.corpora)
    return corpus


def _measured(cell: FindingCell, results: Results) -> float | None:
    return over_seeds(results.of(_corpus(cell, results), cell.system), parse_metric(cell.metric), "").measured


def _filled(place: str, finding: StatedFinding, numbers: dict[str, float | None]) -> str:
    names = place.split("-")
    values, decimals = [numbers[name] for name in names], decimals_of([finding.cells[name] for name in names])
    if any(value is None for value in values):
        return MISSING
    first, *rest = values
    return number(first - sum(rest), decimals).replace("-", "−")


def _failed(
    condition: Condition, finding: StatedFinding, numbers: dict[str, float | None], results: Results
) -> Iterator[str]:
    """Yield why a condition does not hold; nothing where it holds, or where a number is missing."""
    cell, other = numbers[condition.cell], condition.other
    value = numbers[other] if isinstance(other, str) else other
    if cell is None or value is None:
        return
    stated = finding.cells[condition.cell]
    decimals, difference = decimals_of([stated]), cell - value
    beside = finding.cells[other].system if isinstance(other, str) else f"{other:g}"
    directed = {"above": difference, "below": -difference, "near": -abs(difference)}[condition.direction]
    least = -condition.by if condition.direction == "near" else condition.by
    if directed < least - ROUNDING or (abs(directed) <= ROUNDING and condition.direction != "near"):
        by = f" by {condition.by:g}" if condition.by else ""
        said = f"{stated.metric} of {stated.system} is not {condition.direction} {beside}{by}"
        yield f"{said} (difference {signed(difference, decimals)})"
    elif condition.p is not None:
        yield from _not_significant(condition.p, stated, beside, results)


def _not_significant(level: float, cell: FindingCell, baseline: str, results: Results) -> Iterator[str]:
    """Yield why a difference does not count: p is not below the level, or the comparison was not run."""
    pair = {"corpus": _corpus(cell, results), "metric": cell.metric, "system": cell.system, "baseline": baseline}
    test = results.settings.study.items[cell.table].significance or ""
    comparison = results.comparison(cell.table, **pair, test=test)
    between = f"{cell.metric} of {cell.system} and {baseline}"
    if comparison is None:
        yield f"no test of {between} was run"
    elif comparison["untested"]:
        yield f"{between} have no test: {comparison['untested']}"
    elif comparison["p"] >= level:
        yield f"no significant difference between {between} (p = {p_value(comparison['p'])}, level {level:g})"
