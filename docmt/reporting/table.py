"""The content of a table of a page: its columns, rows and cells, and the signatures below it."""

from collections.abc import Iterator
from dataclasses import dataclass

from docmt.reporting.formats import mark
from docmt.reporting.item import published_number
from docmt.reporting.over_seeds import PUBLISHED_ONLY, OverSeeds


class BesidePublished:
    """A base for classes with the fields `published`, `measured` and `not_comparable`."""

    @property
    def published_value(self) -> float | None:
        """The published number; None where there is none, or a text in its place."""
        return published_number(self.published)

    @property
    def difference(self) -> float | None:
        """The measured number minus the published number; None where one is missing, or they are not comparable."""
        published = published_number(self.published)
        if self.measured is None or published is None or self.not_comparable:
            return None
        return self.measured - published


@dataclass(frozen=True)
class Cell(BesidePublished, OverSeeds):
    """The cell of a row, a column and a metric.

    `published`: a number, a number as text in its printed form, "not digitised", or None. `values`: a number for each
    seed that was run. `empty`: the reason for having no values: the system was not run, its scores lack the metric (as
    on a corpus without contrastive sets), the system translates documents and has no sentences to score, or the row has
    only published numbers. `baseline`: the system that the cell is compared with, and `baseline_measured`: its number;
    each is None where there is none. `comparison`: the comparison with the baseline that stage 7 wrote. `random`: the
    folders of pretrained models that small random models replaced. `not_comparable`: the reasons why the measured
    number is not comparable with the published one; empty without a published number. `generated`: where generated
    lines replaced a user's translations, the name of what they replaced. `warnings`: why the scored text may not be
    what the metric expects. `is_best`: whether no other system has a better number in the column
    (`docmt/reporting/best.py`).
    """

    column: str
    corpus: str
    system: str | None
    metric: str
    decimals: int
    published: float | str | None
    baseline: str | None = None
    baseline_measured: float | None = None
    comparison: dict | None = None
    random: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()
    generated: str = ""
    warnings: tuple[str, ...] = ()
    is_best: bool = False

    @property
    def baseline_difference(self) -> float | None:
        """The measured number minus the baseline's; None for the baseline itself, and where one is missing."""
        if self.measured is None or self.baseline_measured is None:
            return None
        return self.measured - self.baseline_measured

    @property
    def p(self) -> float | None:
        """The p-value of the comparison (the larger of the tests over units and over seeds); None where untested."""
        return None if self.comparison is None else self.comparison["p"]

    @property
    def untested(self) -> str:
        """The reason why the comparison has no p-value; empty where it has one, and without a comparison."""
        return "" if self.comparison is None else self.comparison["untested"]

    @property
    def mark(self) -> str:
        """The mark of the p-value; empty without a comparison, and where the difference is not significant."""
        return mark(self.p, self.baseline_difference, self.decimals)


@dataclass(frozen=True)
class Drop(BesidePublished):
    """The mean, over columns, of the difference of a row from another row.

    `measured` is None for the first row, and where one of the cells of the two rows has no measured number.
    `not_comparable` has the reasons of all cells of the two rows.
    """

    published: float | str | None
    measured: float | None
    decimals: int
    not_comparable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A row of the table. A heading has only a `group`; `drop` is None in tables without the column of drops."""

    label: str
    system: str | None
    note: str
    cells: tuple[Cell, ...]
    group: str = ""
    drop: Drop | None = None


@dataclass(frozen=True)
class Column:
    """A column of the page: a metric in a column that the study states; `key` is the name of the study's column."""

    key: str
    label: str
    corpus: str
    metric: str
    about: str
    # Whether a row has a published number here; in other columns the page shows measured numbers alone.
    has_published: bool
    lower_is_better: bool = False  # Whether a lower number of the metric is better.


@dataclass(frozen=True)
class Signature:
    """The signature of numbers or of p-values of a metric, and the corpora on which they have this signature."""

    metric: str
    text: str
    corpora: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The columns and rows of a table."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    signatures: tuple[Signature, ...]  # The signatures of the numbers.
    tests: tuple[Signature, ...] = ()  # The signatures of the p-values.
    marks: str = ""  # The explanation of the marks of p-values.
    drop: str = ""  # The heading of the last column, empty in a table without it.
    head: str = "System"  # The heading of the labels of rows.
    intervals: tuple[Signature, ...] = ()  # The signatures of the confidence intervals.
    baselines: tuple[str, ...] = ()  # The labels of the systems with which rows are compared.

    @property
    def cells(self) -> list[Cell]:
        """The cells of all rows."""
        return [cell for row in self.rows for cell in row.cells]

    @property
    def footnotes(self) -> list[str]:
        """The notes of rows, and then the reasons why cells have no number or no test, each once."""
        notes = [row.note for row in self.rows]
        reasons = [reason for cell in self.cells for reason in (cell.footnote, cell.untested)]
        return list(dict.fromkeys(filter(None, [*notes, *reasons])))

    @property
    def random(self) -> list[str]:
        """The folders of pretrained models that small random models replaced in any cell, sorted."""
        return sorted({model for cell in self.cells for model in cell.random})

    @property
    def generated(self) -> list[str]:
        """The names of the users' translations that generated lines replaced in any cell, sorted."""
        return sorted({cell.generated for cell in self.cells if cell.generated})

    @property
    def warnings(self) -> list[str]:
        """The reasons why scored text may not be what metrics expect, each once."""
        return list(dict.fromkeys(text for cell in self.cells for text in cell.warnings))

    @property
    def reasons(self) -> list[str]:
        """The reasons why measured numbers are not comparable with published ones, each once."""
        cells = [cell for cell in self.cells if cell.measured is not None]
        return list(dict.fromkeys(reason for cell in cells for reason in cell.not_comparable))

    @property
    def beside_published(self) -> list[tuple[str, str, Cell]]:
        """The cells with a system and a published number, with the labels of their rows and columns."""
        rows = [row for row in self.rows if row.cells]
        cells = [(row.label, *pair) for row in rows for pair in zip(self.columns, row.cells, strict=True)]
        numbers = [place for place in cells if published_number(place[2].published) is not None]
        return [(label, column.label, cell) for label, column, cell in numbers if cell.status != PUBLISHED_ONLY]

    @property
    def groups(self) -> list[tuple[str, list[Column]]]:
        """The label of each column that the study states, with the page's columns for its metrics."""
        keys = dict.fromkeys(column.key for column in self.columns)
        by_key = {key: [column for column in self.columns if column.key == key] for key in keys}
        return [(columns[0].label, columns) for columns in by_key.values()]

    @property
    def records(self) -> Iterator[dict]:
        """Every cell as a flat record, for JSON and CSV; a cell of the column of drops has the metric `drop`."""
        for row in self.rows:
            for cell in row.cells:
                yield {
                    "row": row.label,
                    "system": cell.system,
                    "column": cell.column,
                    "corpus": cell.corpus,
                    "metric": cell.metric,
                    "published": cell.published,
                    "measured": cell.measured,
                    "low": cell.low,
                    "high": cell.high,
                    "sd": cell.deviation,
                    "difference": cell.difference,
                    "baseline": cell.baseline,
                    "baseline_difference": cell.baseline_difference,
                    "p": cell.p,
                    "test": cell.comparison and cell.comparison["signature"],
                    "values": list(cell.values),
                    "seeds": cell.seeds,
                    "status": cell.status,
                    "signature": " ; ".join(cell.signatures),
                    "random": list(cell.random),
                    "generated": cell.generated,
                    "warnings": list(cell.warnings),
                    "note": row.note,
                    "not_comparable": "; ".join(cell.not_comparable),
                    "untested": cell.untested,
                }
            if row.drop is not None and (row.drop.published, row.drop.measured) != (None, None):
                yield {
                    "row": row.label,
                    "system": row.system,
                    "metric": "drop",
                    "published": row.drop.published,
                    "measured": row.drop.measured,
                    "difference": row.drop.difference,
                    "not_comparable": "; ".join(row.drop.not_comparable),
                }
