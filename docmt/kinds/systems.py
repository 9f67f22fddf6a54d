"""Tables of systems: a row per system, its metrics by column, and the published numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, needed, section, setting, some
from docmt.reporting.item import (
    KIND,
    BesidePublished,
    Checks,
    Published,
    SystemOnCorpus,
    TableConfig,
    TableRow,
    need_published,
    published_number,
    reads_of,
)
from docmt.settings.metrics import parse_metric


@dataclass(frozen=True)
class ColumnConfig:
    """A column of a table: a corpus, and a suffix that is added to the names of the rows' systems in this column."""

    corpus: str = needed("a corpus of the study")
    label: str = setting("", "label of the column; the corpus where it is left out")
    suffix: str = setting("", "a row's system `lc` is `lc.2m` here, if this is `.2m`")


@dataclass(frozen=True)
class RowConfig(TableRow):
    """A row of a table: a system, published numbers without a system, or a heading across the table."""

    label: str = setting("", "label of the row; the system's name where it is left out")
    group: str = setting("", "a heading across the table, and nothing else in this row")
    system: str | None = setting(None, "name of the study's system; none for a row that is only published")
    only: tuple[str, ...] | None = setting(None, "keys of the columns that have the system; none = all columns")
    baseline: str | None = setting(None, "the system that the row is compared with, where it is not the table's")
    published: Published = section(dict, "by key of the column, the published number of each metric")
    reference: bool = setting(False, "whether the row has the scores of the reference, in metrics that need no other")
    drop: int | float | str | None = setting(
        None, "the published number in the column of the table's `drop`", need_published
    )
    note: str = setting("", "a footnote, such as an error of the paper")

    def __post_init__(self) -> None:
        """Raise BadValue where a heading has further fields, and for a reference with a system."""
        super().__post_init__()
        need(not self.reference or self.system is None, "reference", True, "no `system` beside it")


@dataclass(frozen=True, kw_only=True)
class SystemsTable(TableConfig):
    """A table with a row per system and a column per corpus, each column with the same metrics."""

    kind: Literal["systems"] = setting("systems", KIND)
    metrics: tuple[str, ...] = needed("metrics of each column", some("one metric or more", found="nothing"))
    rows: tuple[RowConfig, ...] = needed("systems, published numbers and headings, each in a row")
    columns: dict[str, ColumnConfig] = section(dict, "columns by key; left out = one for each corpus of the study")
    drop: Literal["above", "first"] | None = setting(
        None, "a last column: the mean over columns of the difference from the row above, or from the first row"
    )
    baseline: str | None = setting(None, "the system that rows are compared with; none = no test of significance")
    significance: Literal["bootstrap", "sign"] = setting(
        "bootstrap", "the test: paired bootstrap (Koehn 2004), or the sign test of Collins et al. (2005)"
    )
    not_comparable: dict[str, str] = section(
        dict, "by metric, why its numbers are not comparable with the published ones"
    )

    def __post_init__(self) -> None:
        """Raise BadValue for a `drop` over several metrics or in rows alone."""
        super().__post_init__()
        need(self.drop is None or len(self.metrics) == 1, "drop", self.drop, "a single metric beside it")
        stated = [row.name for row in self.rows if row.drop is not None]
        need(self.drop is not None or not stated, "rows", f"drop of {stated}", "`drop: above` or `first` of the table")

    def columns_of(self, corpora: Sequence[str]) -> list[tuple[str, ColumnConfig]]:
        """Return the columns with their keys: those that the table states, or one per corpus of the study.

        The columns are in the order of the study's corpora, and columns of the same corpus in the order of their
        suffixes.
        """
        if not self.columns:
            return [(corpus, ColumnConfig(corpus)) for corpus in corpora]
        # Settings are written as JSON with sorted keys, so the order of the keys in the study is lost.
        return sorted(self.columns.items(), key=lambda item: (corpora.index(item[1].corpus), item[1].suffix, item[0]))

    def system_of(self, row: RowConfig, key: str, column: ColumnConfig) -> str | None:
        """Return the system of a row in a column; none where the row has no system there, only published numbers."""
        has_system = row.system is not None and (row.only is None or key in row.only)
        return f"{row.system}{column.suffix}" if has_system else None

    def baseline_of(self, row: RowConfig, key: str, column: ColumnConfig) -> str | None:
        """Return the system with which a cell is compared; none for the baseline itself, and for a cell without one."""
        baseline, system = row.baseline or self.baseline, self.system_of(row, key, column)
        if baseline is None or system is None or row.system == baseline:
            return None
        return f"{baseline}{column.suffix}"

    def cells(self, corpora: Sequence[str]) -> Iterator[tuple[str, str, str | None]]:
        """Yield (corpus, system, baseline) of every cell with a system; a cell without a comparison has no baseline."""
        for row in self.rows:
            for key, column in self.columns_of(corpora):
                if (system := self.system_of(row, key, column)) is not None:
                    yield column.corpus, system, self.baseline_of(row, key, column)

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the corpus and the system of every cell, row by row."""
        return ((corpus, system) for corpus, system, _ in self.cells(corpora))

    def labels_of(self) -> Iterator[tuple[str, str]]:
        """Yield the name of the system and the label of each row that has both, in each column of the table."""
        suffixes = dict.fromkeys(column.suffix for column in self.columns.values()) or {"": None}
        rows = [(row.system, row.label) for row in self.rows if row.system is not None and row.label]
        return ((f"{system}{suffix}", label) for system, label in rows for suffix in suffixes)

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield the corpus, the system and the metric of every cell with a system and a published number."""
        for row in self.rows:
            for key, column in self.columns_of(corpora):
                system, published = self.system_of(row, key, column), row.published.get(key, {})
                numbers = [metric for metric in self.metrics if published_number(published.get(metric)) is not None]
                yield from ((column.corpus, system, metric) for metric in numbers if system is not None)

    def pairs(self, corpora: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Yield (corpus, system, baseline) of every comparison, each once."""
        return iter(dict.fromkeys(cell for cell in self.cells(corpora) if cell[2] is not None))

    @property
    def lower_is_better(self) -> list[str]:
        """The metrics of the table of which a lower number is better."""
        return [metric for metric in self.metrics if parse_metric(metric).metric.lower_is_better]

    @property
    def tallied(self) -> list[str]:
        """The metrics of the table that are sums over units of the test set, which the tests need."""
        return sorted(metric for metric in self.metrics if parse_metric(metric).tallied)

    def reads(self) -> list[str]:
        """Return the inputs of the table: records, scores, and comparisons where a metric can be tested."""
        return [*reads_of(self.metrics), *(["comparisons"] if self.tallied else [])]

    @property
    def measures(self) -> tuple[str, ...]:
        """The metrics that the item shows."""
        return self.metrics

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for a metric, corpus, column, system or published value that the study cannot have."""
        checks.metrics(self.metrics, (*path, "metrics"))
        for metric in self.not_comparable:
            checks.known("metric of the table", metric, self.metrics, (*path, "not_comparable", metric))
        for key, column in self.columns.items():
            checks.corpus(column.corpus, (*path, "columns", key, "corpus"))
        for _, column in self.columns_of(checks.study_corpora):
            if self.baseline is not None:
                checks.system(f"{self.baseline}{column.suffix}", column.corpus, (*path, "baseline"))
        for number, row in enumerate(self.rows):
            self._check_row(row, checks, (*path, "rows", number))

    def _check_row(self, row: RowConfig, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown column, system, baseline or metric of a row."""
        columns = dict(self.columns_of(checks.study_corpora))
        for number, key in enumerate(row.only or ()):
            checks.known("column", key, columns, (*path, "only", number))
        for key, column in columns.items():
            if (system := self.system_of(row, key, column)) is not None:
                checks.system(system, column.corpus, (*path, "system"))
                if row.baseline is not None:
                    checks.system(f"{row.baseline}{column.suffix}", column.corpus, (*path, "baseline"))
        if row.system is None and row.baseline is not None:
            checks.known("system", row.baseline, checks.systems, (*path, "baseline"))
        for key, cells in row.published.items():
            checks.known("column", key, columns, (*path, "published", key))
            checks.cells(cells, self.metrics, (*path, "published", key))
