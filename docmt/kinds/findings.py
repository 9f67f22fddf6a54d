"""The findings that a study states: sentences with numbers of its tables, each with the conditions of its claim."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docmt.base.checks import Checked, at_least, in_schema, need, needed, setting, some, within
from docmt.reporting.item import Checks, Item
from docmt.settings.metrics import parse_metric

PLACE = re.compile(r"\{([^{}]*)\}")
"""A place of a sentence: the name of a cell, or two names with a minus sign between them for their difference."""


@in_schema(pattern=r"\S")
def need_sentence(name: str, value: str) -> None:
    """Raise BadValue for a text without a character that can be seen."""
    need(bool(value.strip()), name, value, "a sentence")


@dataclass(frozen=True)
class FindingCell:
    """A number of a study: the metric of a system, as a table or figure has it."""

    table: str = needed("name of the study's table or figure that has the number")
    system: str = needed("name of the study's system")
    metric: str = needed("a metric of the table")
    corpus: str | None = setting(None, "the corpus of the number; none = the only one of the system in the table")

    def corpora_in(self, item: Item, corpora: Sequence[str]) -> list[str]:
        """Return the corpora on which the table has the system, the stated corpus alone where there is one."""
        listed = dict.fromkeys(corpus for corpus, system in item.systems_of(corpora) if system == self.system)
        return [corpus for corpus in listed if self.corpus in (None, corpus)]


@dataclass(frozen=True)
class Condition(Checked):
    """A condition of a finding: a cell is above, below or near another cell or a number."""

    cell: str = needed("name of the finding's cell")
    above: float | str | None = setting(None, "the cell or the number that the cell is above")
    below: float | str | None = setting(None, "the cell or the number that the cell is below")
    near: float | str | None = setting(None, "the cell or the number from which the cell differs by at most `by`")
    by: float = setting(0.0, "the smallest difference (of `near`: the largest)", at_least(0))
    p: float | None = setting(
        None,
        "the level that p of the table's comparison is below",
        within("above 0 and at most 1", exclusiveMinimum=0, maximum=1),
    )

    def __post_init__(self) -> None:
        """Raise BadValue unless the condition has one direction, and `p` only beside another cell."""
        super().__post_init__()
        stated = [name for name in ("above", "below", "near") if getattr(self, name) is not None]
        need(len(stated) == 1, "cell", ", ".join(stated) or "no direction", "one of above, below and near")
        need(self.p is None or self.near is None, "p", self.p, "no p beside `near`")
        need(self.p is None or isinstance(self.other, str), "p", self.p, "p beside a cell, not beside a number")

    @property
    def direction(self) -> str:
        """The direction: above, below or near."""
        return next(name for name in ("above", "below", "near") if getattr(self, name) is not None)

    @property
    def other(self) -> float | str:
        """The other cell's name, or the number."""
        return getattr(self, self.direction)

    @property
    def names(self) -> dict[str, str]:
        """The names of cells in the condition, by their keys."""
        return {"cell": self.cell} | ({self.direction: self.other} if isinstance(self.other, str) else {})


@dataclass(frozen=True)
class StatedFinding(Checked):
    """A sentence that a page says where all conditions hold; `{a}` is a number, `{a-b}` the difference of two."""

    says: str = needed(
        "the sentence; {a} in it is the number of the cell a, {a-b} the difference of two", need_sentence
    )
    cells: dict[str, FindingCell] = needed("numbers of tables and figures, by the names that the sentence has for them")
    when: tuple[Condition, ...] = needed(
        "the conditions, all of which have to hold", some("one condition or more", found="nothing")
    )
    on_record: bool = setting(False, "whether a finding that does not hold at full size is a failure")

    @property
    def tables(self) -> set[str]:
        """The tables and figures of the finding's cells."""
        return {cell.table for cell in self.cells.values()}


def check_findings(findings: Sequence[StatedFinding], items: Mapping[str, Item], checks: Checks) -> None:
    """Raise UserError for a table, system, metric, corpus, cell or place of a sentence that the study does not have."""
    for number, finding in enumerate(findings):
        path = ("findings", number)
        for name, cell in finding.cells.items():
            _check_cell(cell, items, checks, (*path, "cells", name))
        for place in PLACE.findall(finding.says):
            for name in place.split("-"):
                checks.known("cell of the finding", name, finding.cells, (*path, "says"))
        rest = PLACE.sub("", finding.says)
        checks.require(
            not {*"{}"} & {*rest}, "a brace that is not closed, or not opened", finding.says, (*path, "says")
        )
        for place, condition in enumerate(finding.when):
            _check_condition(condition, finding, items, checks, (*path, "when", place))


def _check_cell(cell: FindingCell, items: Mapping[str, Item], checks: Checks, path: tuple) -> None:
    """Raise UserError unless the table has the system, on a single corpus, and the metric."""
    checks.known("table or figure", cell.table, items, (*path, "table"))
    item = items[cell.table]
    systems = dict.fromkeys(system for _, system in item.systems_of(checks.study_corpora))
    checks.known("system of the table", cell.system, systems, (*path, "system"))
    checks.known("metric of the table", cell.metric, item.measures, (*path, "metric"))
    corpora = dict.fromkeys(corpus for corpus, system in item.systems_of(checks.study_corpora) if system == cell.system)
    if cell.corpus is not None:
        checks.known("corpus of the system", cell.corpus, corpora, (*path, "corpus"))
    several = ", ".join(corpora)
    checks.require(
        cell.corpus is not None or len(corpora) == 1, "not a single corpus", several, path, "one of them as `corpus`"
    )


def _check_condition(
    condition: Condition, finding: StatedFinding, items: Mapping[str, Item], checks: Checks, path: tuple
) -> None:
    """Raise UserError for an unknown cell, and for p of two systems that the table does not compare."""
    for key, name in condition.names.items():
        checks.known("cell of the finding", name, finding.cells, (*path, key))
    if condition.p is None:
        return
    cell, other = (finding.cells[name] for name in condition.names.values())
    item = items[cell.table]
    (corpus,) = cell.corpora_in(item, checks.study_corpora)
    pairs = {*item.pairs(checks.study_corpora)}
    is_tested = cell.metric in item.tallied and (corpus, cell.system, other.system) in pairs
    names = f"{cell.system} and {other.system} by {cell.metric}"
    same = (cell.table, cell.metric) == (other.table, other.metric)
    expected = "a system and its baseline in one table, by a metric with a test"
    checks.require(is_tested and same, "no comparison in the table", names, (*path, "p"), expected)


def decimals_of(cells: Sequence[FindingCell]) -> int:
    """Return the decimals with which the numbers of these cells are printed: those of the most precise metric."""
    return max(parse_metric(cell.metric).metric.decimals for cell in cells)
