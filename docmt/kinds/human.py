"""Tables of judgements: what annotators prefer."""

from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, TableConfig

Verdict = Literal["equal", "better", "worse"]
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse")


@dataclass(frozen=True)
class HumanRow:
    """An annotator, or all of them."""

    label: str
    annotator: int | None = setting(None, "which, by the order of the sheets, from 1; none = the mean of all")
    published: dict[str, Any] = field(default_factory=dict)
    note: str = setting("", "a footnote")

    def __post_init__(self) -> None:
        need(self.annotator is None or self.annotator >= 1, "annotator", self.annotator, "1 or more, or none")


@dataclass(frozen=True, kw_only=True)
class HumanTable(TableConfig):
    """In how many sentences annotators find a system equal to, better or worse than another, in percent."""

    kind: Literal["human"] = "human"
    rows: tuple[HumanRow, ...]

    def reads(self) -> list[str]:
        return ["human"]

    def check(self, checks: Checks, path: tuple) -> None:
        for number, row in enumerate(self.rows):
            checks.cells(row.published, VERDICTS, (*path, "rows", number, "published"))
