"""A study: its systems, each of which may be stated as a difference from another one, and its items."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import Checked, need_seeds, needed, section, setting, some
from docmt.kinds.findings import StatedFinding
from docmt.reporting.item import FigureConfig, Item, TableConfig
from docmt.kinds.passages import PassageConfig


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
