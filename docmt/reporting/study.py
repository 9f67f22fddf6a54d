"""A study: its systems, each of which may be stated as a difference from another one, its items and its findings.

A finding is a sentence with numbers of the study's tables, and with the conditions of its claim.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from docmt.base.checks import Checked, at_least, in_schema, need, need_seeds, needed, section, setting, some, within
from docmt.reporting.item import Checks, FigureConfig, Item, PassageConfig, TableConfig
from docmt.settings.metrics import parse_metric

# A place of a sentence: the name of a cell, or two names with a minus sign between them for their difference.
PLACE = re.compile(r"\{([^{}]*)\}")


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


@dataclass(frozen=True)
class MeasuredAs(Checked):
    """A statement of a paper on how it measures a metric, and the settings of scoring that follow from it."""

    paper: str = setting("", "the place in the paper, such as footnote 3", some("a place in the paper"))
    quotation: str = setting("", "a few words of the paper", some("a few words of the paper"))
    scoring: dict[str, Any] = section(
        dict, "the settings that the paper names; a number by other ones is not comparable with it"
    )
    obtain: str = setting("", "how a person gets the files that these settings name")


@dataclass(frozen=True)
class StudyConfig(Checked):
    """The schema of a file of `workflow/studies`.

    A system has the settings that the file states for it; `docmt.grid.resolve` adds the settings that it inherits.
    """

    study: str = needed("name of the study, which is that of its file")
    title: str = needed("title of the study's page")
    corpora: tuple[str, ...] = needed("corpora on which the study's systems are trained and scored")
    systems: dict[str, Any] = needed("systems by name, each with the settings in which it differs from others")
    about: str = setting("", "the question of the study, in a few sentences")
    seeds: tuple[int, ...] | None = setting(
        None, "seeds of the study's trainings; none = those of config.yaml", need_seeds
    )
    tables: dict[str, TableConfig] = section(dict, "tables by name")
    figures: dict[str, FigureConfig] = section(dict, "figures by name")
    passages: dict[str, PassageConfig] = section(
        dict, "sentences by name, which the study states and its systems translate"
    )
    findings: tuple[StatedFinding, ...] = setting((), "sentences with numbers of tables, and their conditions")
    compares: tuple[Literal["precision", "engine"], ...] = setting(
        (), "settings that the study compares: `precision` or `engine` of config.yaml does not replace them here"
    )
    on_record: bool = setting(False, "whether a finding that does not hold at full size is a failure")
    scoring: dict[str, Any] = section(
        dict, "how the study's systems are scored, where it differs from `scoring` of config.yaml"
    )
    measured_as: dict[str, tuple[MeasuredAs, ...]] = section(dict, "by metric, what the paper says on how it measures")

    @cached_property
    def items(self) -> dict[str, Item]:
        """The items by name, in the order of the study's page: tables and passages together, then figures."""
        first = sorted({**self.tables, **self.passages}, key=_natural)
        both = {**self.tables, **self.passages, **self.figures}
        return {name: both[name] for name in [*first, *sorted(self.figures, key=_natural)]}

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label of each system that an item labels: that of the first such item in the order of the page."""
        pairs = [pair for item in self.items.values() for pair in item.labels_of()]
        return dict(reversed(pairs))


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    """Return a sort key that puts `table2` before `table10`, and names without a number last."""
    parts = re.split(r"(\d+)", name)
    return len(parts) == 1, [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


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
