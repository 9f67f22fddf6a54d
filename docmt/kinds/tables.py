"""Tables of a study, as it states them: what stands in them, and what was published of it.

Four kinds: `systems` (rows by column and metric), `gaps` (how far two systems are apart, row by row), `counts` (what a
corpus holds), `human` (what annotators prefer).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docmt.base.checks import need, setting
from docmt.base.names import SPLITS
from docmt.base.parse import KINDS

NOT_DIGITISED = "not digitised"
"""A published value that stands in a picture only: it is never guessed."""
PRINTED = re.compile(r"-?\d+(\.\d+)?")

Published = dict[str, dict[str, Any]]
"""By column and metric: a number, a number as it is printed (text), or `NOT_DIGITISED`."""

Verdict = Literal["equal", "better", "worse"]
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse")


def is_published(value: object) -> bool:
    """Whether a study may state this as published."""
    if isinstance(value, str):
        return value == NOT_DIGITISED or PRINTED.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def published_number(value: Any) -> float | None:
    """The number that was published; none where nothing was, or nothing that can be read off."""
    return None if value is None or value == NOT_DIGITISED else float(value)


@dataclass(frozen=True)
class ColumnConfig:
    """A column of a table: a corpus, and what is put after a row's system to name the system that stands here."""

    corpus: str
    label: str = setting("", "what the column is called; the corpus where it is left out")
    suffix: str = setting("", "a row's system `lc` is `lc.2m` here, if this is `.2m`")


@dataclass(frozen=True)
class RowConfig:
    """A row of a table: a system, numbers that exist only as published, or a heading across the table."""

    label: str = setting("", "what the row is called; the system's name where it is left out")
    group: str = setting("", "a heading across the table, and nothing else in this row")
    system: str | None = setting(None, "name of the study's system; none for a row that is only published")
    only: tuple[str, ...] | None = setting(None, "the columns in which the system stands; none = all of them")
    baseline: str | None = setting(None, "the system that the row is compared with, where it is not the table's")
    published: Published = field(default_factory=dict)
    drop: Any = setting(None, "what is published in the column of the table's `drop`")
    note: str = setting("", "a footnote, such as a slip of the paper")

    def __post_init__(self) -> None:
        others = [
            name
            for name in ("label", "system", "only", "baseline", "published", "drop", "note")
            if getattr(self, name) not in ("", None, {})
        ]
        need(not self.group or not others, "group", self.group, f"no {', '.join(others)} beside it")
        need(self.drop is None or is_published(self.drop), "drop", self.drop, f"a number, or {NOT_DIGITISED}")


@dataclass(frozen=True, kw_only=True)
class TableConfig:
    """What all tables state."""

    title: str
    kind: str = setting("systems", "systems, gaps, counts or human")
    caption: str = setting("", "below the table")
    paper: str = setting("", "where the published numbers stand")


@dataclass(frozen=True, kw_only=True)
class SystemsTable(TableConfig):
    """Rows of systems by columns, each with the same metrics."""

    kind: Literal["systems"] = "systems"
    metrics: tuple[str, ...]
    rows: tuple[RowConfig, ...]
    columns: dict[str, ColumnConfig] = field(default_factory=dict)
    drop: Literal["above", "first"] | None = setting(
        None, "a last column: the mean over columns of the difference from the row above, or from the first row"
    )
    baseline: str | None = setting(None, "the system that rows are compared with; none = no test of significance")
    significance: Literal["bootstrap", "sign"] = setting(
        "bootstrap", "the test: paired bootstrap (Koehn 2004), or the sign test of Collins et al. (2005)"
    )

    def __post_init__(self) -> None:
        need(bool(self.metrics), "metrics", "nothing", "one metric or more")
        need(self.drop is None or len(self.metrics) == 1, "drop", self.drop, "a single metric beside it")
        stated = [row.label or row.system for row in self.rows if row.drop is not None]
        need(self.drop is not None or not stated, "rows", f"drop of {stated}", "`drop: above` or `first` of the table")

    def columns_of(self, corpora: Sequence[str]) -> list[tuple[str, ColumnConfig]]:
        """The columns by their keys: those of the table, or one a corpus of the study, which is named after it.

        In the order of the study's corpora, and of suffixes: keys of a mapping have none.
        """
        if not self.columns:
            return [(corpus, ColumnConfig(corpus)) for corpus in corpora]
        return sorted(self.columns.items(), key=lambda item: (corpora.index(item[1].corpus), item[1].suffix, item[0]))

    def system_of(self, row: RowConfig, key: str, column: ColumnConfig) -> str | None:
        """The system that a row has in a column; none where it is only published there."""
        stands = row.system is not None and (row.only is None or key in row.only)
        return f"{row.system}{column.suffix}" if stands else None

    def baseline_of(self, row: RowConfig, key: str, column: ColumnConfig) -> str | None:
        """The system that a row is compared with; none for the baseline itself and for what is only published."""
        baseline, system = row.baseline or self.baseline, self.system_of(row, key, column)
        if baseline is None or system is None or row.system == baseline:
            return None
        return f"{baseline}{column.suffix}"

    def cells(self, corpora: Sequence[str]) -> Iterator[tuple[str, str, str | None]]:
        """What the table needs to be measured: corpus, system and its baseline, of every cell with a system."""
        for row in self.rows:
            for key, column in self.columns_of(corpora):
                if (system := self.system_of(row, key, column)) is not None:
                    yield column.corpus, system, self.baseline_of(row, key, column)


@dataclass(frozen=True)
class GapRow:
    """A system and what it is compared with, such as both at one length of input; or a heading across the table."""

    label: str = setting("", "what the row is called; the system's name where it is left out")
    group: str = setting("", "a heading across the table, and nothing else in this row")
    system: str | None = setting(None, "name of the study's system")
    baseline: str | None = setting(None, "the system whose mean is taken from its mean")

    def __post_init__(self) -> None:
        others = [name for name in ("label", "system", "baseline") if getattr(self, name) not in ("", None)]
        need(not self.group or not others, "group", self.group, f"no {', '.join(others)} beside it")
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


@dataclass(frozen=True, kw_only=True)
class CountsTable(TableConfig):
    """What corpora hold: splits by corpora, each with the same counts. Published numbers stand in the catalogue."""

    kind: Literal["counts"] = "counts"
    counts: tuple[str, ...] = setting((), "names of `published` of the catalogue, such as sentences, words_per_chain")
    corpora: tuple[str, ...] = setting((), "which; the study's where it is left out")
    splits: tuple[str, ...] = setting(SPLITS, "rows")
    published: str = setting("", "the paper, as the catalogue's `published` calls it, whose place is `paper`")

    def __post_init__(self) -> None:
        need(bool(self.counts), "counts", "nothing", "one count or more")
        need(bool(self.splits), "splits", "nothing", f"some of {', '.join(SPLITS)}")


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


TABLES: dict[str, type[TableConfig]] = {
    "systems": SystemsTable,
    "gaps": GapsTable,
    "counts": CountsTable,
    "human": HumanTable,
}
"""By `kind`."""
KINDS[TableConfig] = ("kind of table", TABLES)
