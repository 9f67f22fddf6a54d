"""A study: its systems, each of which may be stated as a difference from another one, and its items."""

import re
from dataclasses import dataclass, field
from typing import Any

from docmt.base.checks import need, need_seeds, setting
from docmt.kinds.findings import StatedFinding
from docmt.kinds.item import FigureConfig, Item, TableConfig
from docmt.kinds.passages import PassageConfig


@dataclass(frozen=True)
class MeasuredAs:
    """A statement of a paper on how it measures a metric, and the settings of scoring that follow from it."""

    paper: str = setting("", "the place in the paper, such as footnote 3")
    quotation: str = setting("", "a few words of the paper")
    scoring: dict[str, Any] = field(
        default_factory=dict,
        metadata={"about": "the settings that the paper names; a number by other ones is not comparable with it"},
    )
    obtain: str = setting("", "how a person gets the files that these settings name")

    def __post_init__(self) -> None:
        """Raise BadValue for a statement without a place or without words of the paper."""
        need(bool(self.paper), "paper", self.paper, "a place in the paper")
        need(bool(self.quotation), "quotation", self.quotation, "a few words of the paper")


@dataclass(frozen=True)
class StudyConfig:
    """The schema of a file of `workflow/studies`.

    A system has the settings that the file states for it; `docmt.plan.resolve` adds the settings that it inherits.
    """

    study: str
    title: str
    corpora: tuple[str, ...]
    systems: dict[str, Any]
    about: str = setting("", "the question of the study, in a few sentences")
    seeds: tuple[int, ...] | None = setting(None, "where the study's differ from config.yaml's")
    tables: dict[str, TableConfig] = field(default_factory=dict)
    figures: dict[str, FigureConfig] = field(default_factory=dict)
    passages: dict[str, PassageConfig] = field(default_factory=dict)
    findings: tuple[StatedFinding, ...] = setting((), "sentences with numbers of tables, and their conditions")
    on_record: bool = setting(False, "whether a finding that does not hold at full size is a failure")
    scoring: dict[str, Any] = field(
        default_factory=dict,
        metadata={"about": "how the study's systems are scored, where it differs from `scoring` of config.yaml"},
    )
    measured_as: dict[str, tuple[MeasuredAs, ...]] = field(
        default_factory=dict, metadata={"about": "by metric, what the paper says on how it measures"}
    )

    def __post_init__(self) -> None:
        """Raise BadValue where `seeds` is empty, or has a seed twice or out of range."""
        need_seeds("seeds", self.seeds)

    @property
    def items(self) -> dict[str, Item]:
        """The items by name, in the order of the study's page: tables and passages together, then figures."""
        first = sorted({**self.tables, **self.passages}, key=_natural)
        both = {**self.tables, **self.passages, **self.figures}
        return {name: both[name] for name in [*first, *sorted(self.figures, key=_natural)]}

    @property
    def labels(self) -> dict[str, str]:
        """The label of each system that an item labels: that of the first such item in the order of the page."""
        pairs = [pair for item in self.items.values() for pair in item.labels_of()]
        return dict(reversed(pairs))


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    """Return a sort key that puts `table2` before `table10`, and names without a number last."""
    parts = re.split(r"(\d+)", name)
    return len(parts) == 1, [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
