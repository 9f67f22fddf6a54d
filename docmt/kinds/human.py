"""Tables of human judgements: how often annotators prefer a system to another."""

from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, TableConfig

Verdict = Literal["equal", "better", "worse"]
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse")
"""The verdicts on a sentence, in the order of the table's columns."""


@dataclass(frozen=True)
class HumanRow:
    """A row: the judgements of one annotator, or the mean of all annotators."""

    label: str
    annotator: int | None = setting(None, "number of the annotator, in the order of the sheets, from 1; none = mean")
    published: dict[str, Any] = field(default_factory=dict)
    note: str = setting("", "a footnote")

    def __post_init__(self) -> None:
        """Raise BadValue where the number of the annotator is below 1."""
        need(self.annotator is None or self.annotator >= 1, "annotator", self.annotator, "1 or more, or none")


@dataclass(frozen=True, kw_only=True)
class HumanTable(TableConfig):
    """A table of the percentage of sentences in which a system is equal to, better or worse than another."""

    kind: Literal["human"] = "human"
    rows: tuple[HumanRow, ...]

    def reads(self) -> list[str]:
        """Return the one input of the table, the file of judgements that config.yaml names."""
        return ["human"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for a published number of an unknown verdict, and for one that is no number."""
        for number, row in enumerate(self.rows):
            checks.cells(row.published, VERDICTS, (*path, "rows", number, "published"))
