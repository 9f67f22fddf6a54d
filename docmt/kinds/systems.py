"""Tables of systems: each cell has the published number, the measured number and their difference."""

import dataclasses
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, needed, section, setting, some
from docmt.reporting.best import mark_best
from docmt.reporting.formats import MARKS
from docmt.reporting.item import (
    KIND,
    BesidePublished,
    Checks,
    PieceContent,
    Published,
    SystemOnCorpus,
    TableConfig,
    TableRow,
    need_published,
    published_number,
)
from docmt.reporting.over_seeds import (
    DOCUMENTS_ONLY,
    external_source,
    over_seeds,
    runs_with_file,
    why_empty,
    why_not_comparable,
)
from docmt.reporting.results import Results, Run
from docmt.reporting.table import Cell, Column, Drop, Row, Signature, Table
from docmt.settings.metrics import MetricName, parse_metric

# The names of the tests of significance on the page, by the `significance` of a table.
TESTS = {
    "bootstrap": "paired bootstrap resampling (Koehn 2004)",
    "sign": "the sign test of Collins et al. (2005)",
}

# The heading of the column of drops, by the `drop` of a table.
DROPS = {"above": "from the row above", "first": "from the first row"}


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
        return sorted(metric for metric in self.metrics if parse_metric(metric).is_tested)

    def reads(self) -> list[str]:
        """Return the inputs of the table: records, scores, and comparisons where a metric can be tested."""
        return [*super().reads(), *(["comparisons"] if self.tallied else [])]

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

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the table with the numbers of all runs so far, and its cells as flat records."""
        stated = self.columns_of(results.settings.study.corpora)
        pairs = [(key, column, metric) for key, column in stated for metric in self.metrics]
        rows = mark_best([_row(name, self, row, pairs, results) for row in self.rows])
        columns = tuple(
            Column(
                key,
                column.label or column.corpus,
                column.corpus,
                metric,
                parse_metric(metric).metric.about,
                any(row.cells[number].published is not None for row in rows if row.cells),
                metric in self.lower_is_better,
            )
            for number, (key, column, metric) in enumerate(pairs)
        )
        cells = [cell for row in rows for cell in row.cells]
        table = Table(
            columns,
            tuple(_with_drops(self, rows)) if self.drop else tuple(rows),
            _signatures((cell, text) for cell in cells for text in cell.signatures),
            tests=_signatures((cell, cell.comparison["signature"]) for cell in cells if cell.p is not None),
            marks=_marks(self, cells),
            drop=_drop_heading(self),
            intervals=_signatures((cell, score.interval) for cell in cells for score in cell.intervals),
            baselines=_baseline_labels(self),
        )
        return PieceContent(table, table.records)


def _drop_heading(config: SystemsTable) -> str:
    heading = DROPS.get(config.drop or "", "")
    return f"{heading}, above 0 is worse" if heading and config.lower_is_better else heading


def _row(
    name: str, config: SystemsTable, row: RowConfig, pairs: list[tuple[str, ColumnConfig, str]], results: Results
) -> Row:
    """Return a row with a cell for each (key, column, metric) of `pairs`; a heading has no cells."""
    if row.group:
        return Row("", None, "", (), group=row.group)
    cells = tuple(_cell(name, config, row, *pair, results) for pair in pairs)
    return Row(row.name, row.system, row.note, cells)


def _with_drops(config: SystemsTable, rows: list[Row]) -> Iterator[Row]:
    """Yield the rows with their mean difference from the row above or from the first row; headings have none."""
    others: list[Row] = []
    for stated, row in zip(config.rows, rows, strict=True):
        # A heading is skipped where the row above is looked for.
        if row.group:
            yield row
            continue
        other = (others[-1] if config.drop == "above" else others[0]) if others else None
        measured = _mean_difference(row, other) if other else None
        decimals = parse_metric(config.metrics[0]).metric.decimals
        cells = [*row.cells, *(other.cells if other else ())]
        reasons = tuple(dict.fromkeys(reason for cell in cells for reason in cell.not_comparable))
        yield dataclasses.replace(row, drop=Drop(stated.drop, measured, decimals, reasons))
        others.append(row)


def _mean_difference(row: Row, other: Row) -> float | None:
    """Return the mean, over columns, of the difference of two rows; None where a cell has no number."""
    pairs = [(cell.measured, other_cell.measured) for cell, other_cell in zip(row.cells, other.cells, strict=True)]
    differences = [left - right for left, right in pairs if left is not None and right is not None]
    return statistics.fmean(differences) if len(differences) == len(pairs) else None


def _marks(config: SystemsTable, cells: list[Cell]) -> str:
    """Return the explanation of all marks of p-values, whether a cell has them or not; empty without any test."""
    tested = [cell.comparison for cell in cells if cell.comparison]
    if not tested:
        return ""
    baselines = _baseline_labels(config)
    levels = ", ".join(f"{sign} p < {level}" for sign, level in reversed(MARKS.items()))
    against = " or ".join(baselines)
    further = ", each row's own baseline" if len(baselines) > 1 else ""
    lower = "".join(f" A lower {metric} is better." for metric in config.lower_is_better)
    by_seeds = any(comparison["p_seeds"] is not None for comparison in tested)
    seeds = " and by the paired t-test over seeds" if by_seeds else ""
    test = f"by {TESTS[config.significance]}{seeds}, two-sided"
    return f"{levels}: better or worse than {against}{further}, {test}.{lower}"


def _baseline_labels(config: SystemsTable) -> tuple[str, ...]:
    labels = {row.system: row.name for row in reversed(config.rows) if not row.group}
    return tuple(labels.get(baseline, baseline) for baseline in dict.fromkeys(_baselines(config)))


def _baselines(config: SystemsTable) -> Iterator[str]:
    """Yield the baseline of each row that has one, as the study states it, without the suffix of a column."""
    for row in config.rows:
        baseline = row.baseline or config.baseline
        if baseline is not None and row.system not in (None, baseline):
            yield baseline


def _cell(
    table: str,
    config: SystemsTable,
    row: RowConfig,
    key: str,
    column: ColumnConfig,
    metric: str,
    results: Results,
) -> Cell:
    name = parse_metric(metric, f"study {results.settings.study.study}")
    system = config.system_of(row, key, column)
    runs = results.of(column.corpus, system) if system else []
    if row.reference:
        runs = list(_reference(results, column.corpus, name))[:1]
    measured = over_seeds(runs, name, _empty(results, column.corpus, system, name, runs))
    baseline = config.baseline_of(row, key, column)
    pair = {"corpus": column.corpus, "metric": metric, "system": system, "baseline": baseline}
    published = row.published.get(key, {}).get(metric)
    cell = Cell(
        column=key,
        corpus=column.corpus,
        system=system,
        metric=metric,
        decimals=name.metric.decimals,
        published=published,
        **vars(measured),
        baseline=baseline,
        baseline_measured=over_seeds(results.of(column.corpus, baseline), name, "").measured if baseline else None,
        not_comparable=_reasons(results, config, metric, column.corpus, _scored(row, system, runs), published),
    )
    if not measured.values:
        return cell
    return dataclasses.replace(
        cell,
        comparison=results.comparison(table, **pair, test=config.significance) if baseline else None,
        random=tuple(dict.fromkeys(model for run in runs for model in _random_models(results, run, name))),
        generated=_replaced_file(runs),
        warnings=_warnings(runs, name),
    )


def _warnings(runs: list[Run], metric: MetricName) -> tuple[str, ...]:
    """Return what scoring jobs warned of in the text of a cell; none for metrics of a model, which read no text."""
    scored = [] if metric.metric.of_model else runs
    return tuple(dict.fromkeys(text for run in scored for text in run.scoring.get("warnings", ())))


def _reference(results: Results, corpus: str, metric: MetricName) -> Iterator[Run]:
    """Yield each run on a corpus that has scored the reference too: with the scores of the reference alone."""
    for run in results.of(corpus):
        if metric.name in run.of_reference:
            # They are the same in all runs of a page, but for different settings of scoring, which signatures state.
            yield dataclasses.replace(run, scores=run.of_reference)


def _scored(row: RowConfig, system: str | None, runs: list[Run]) -> str | None:
    """Return the system whose settings of scoring hold for a cell; a reference is scored with each system."""
    return runs[0].entry.system.name if row.reference and runs else system


def _empty(results: Results, corpus: str, system: str | None, metric: MetricName, runs: list[Run]) -> str:
    with_file = runs_with_file(runs, metric)
    lines = {run.scoring["decoding"]["lines"] for run in with_file if run.scoring}
    if lines == {"documents"} and not (metric.of_model and external_source(runs)):
        return DOCUMENTS_ONLY
    return why_empty(results, corpus, system, metric, bool(with_file))


def _signatures(texts: Iterable[tuple[Cell, str]]) -> tuple[Signature, ...]:
    corpora: dict[tuple[str, str], dict[str, None]] = {}
    for cell, text in texts:
        corpora.setdefault((cell.metric, text), {})[cell.corpus] = None
    return tuple(Signature(metric, text, tuple(names)) for (metric, text), names in corpora.items())


def _reasons(
    results: Results, table: SystemsTable, metric: str, corpus: str, system: str | None, published: object
) -> tuple[str, ...]:
    """Return the reasons why the number of a cell is not comparable; none where it is beside no published number."""
    if system is None or published_number(published) is None:
        return ()
    stated = table.not_comparable.get(metric)
    return ((stated,) if stated else ()) + why_not_comparable(results, corpus, system, metric)


def _random_models(results: Results, run: Run, metric: MetricName) -> tuple[str, ...]:
    """Return the folders of the pretrained models that random ones replaced: as a start, or as a judge."""
    start = results.settings.random_starts.get(f"{run.entry.corpus}/{run.entry.system.name}")
    judge = _judge(run.scoring, metric) if metric.metric.judge else None
    stand_ins = results.settings.stand_ins
    return tuple(dict.fromkeys(stand_ins[folder] for folder in (start, judge) if folder in stand_ins))


def _judge(scoring: dict, metric: MetricName) -> str | None:
    """Return the folder of the model by which the metric was computed; None where its computation needs no model."""
    return ((scoring.get("settings") or {}).get(metric.metric.judge) or {}).get("model")


def _replaced_file(runs: Sequence[Run]) -> str:
    """Return the name of the user's translations that generated lines replace in runs; empty where none do."""
    replaced = [run for run in runs if run.scoring and run.scoring["decoding"].get("stand_in")]
    return replaced[0].entry.system.source.place if replaced else ""
