"""Tables of systems: for every row, column and metric what was published, what was measured, and the difference."""

import dataclasses
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.kinds.item import published_number
from docmt.kinds.systems import ColumnConfig, RowConfig, SystemsTable
from docmt.reporting.formats import MARKS, mark
from docmt.reporting.over_seeds import DOCUMENTS_ONLY, OverSeeds, over_seeds, runs_with_file, why_empty
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import MetricName, parse_metric

TESTS = {
    "bootstrap": "paired bootstrap resampling (Koehn 2004)",
    "sign": "the sign test of Collins et al. (2005)",
}
"""What a study's `significance` is called on the page."""


class BesidePublished:
    """What has a number `published` beside one `measured`."""

    @property
    def difference(self) -> float | None:
        published = published_number(self.published)
        return None if self.measured is None or published is None else self.measured - published


@dataclass(frozen=True)
class Cell(BesidePublished, OverSeeds):
    """One (row, column, metric). `published` is a number, one as it was printed, "not digitised", or none.

    `values` has one number a seed that was run; `empty` says why there is none: the system was not run, these
    scores lack the metric (as a corpus without contrastive sets does), the system translates documents and has no
    sentences to score, or the row exists only as published. `comparison`: with the row's baseline, as stage 7 left it.
    `random`: pretrained models in whose place small random ones were used.
    """

    column: str
    corpus: str
    system: str | None
    metric: str
    decimals: int
    published: float | str | None
    comparison: dict | None = None
    random: tuple[str, ...] = ()

    @property
    def p(self) -> float | None:
        """That the difference from the row's baseline is chance; none where that was not tested."""
        return None if self.comparison is None else self.comparison["p"]

    @property
    def mark(self) -> str:
        return mark(self.p)


@dataclass(frozen=True)
class Drop(BesidePublished):
    """The mean over columns of a row's difference from another row; none where one of them was not run."""

    published: float | str | None
    measured: float | None
    decimals: int


@dataclass(frozen=True)
class Row:
    """A heading across the table has a `group` and nothing else; `drop` is none where the table shows none."""

    label: str
    system: str | None
    note: str
    cells: tuple[Cell, ...]
    group: str = ""
    drop: Drop | None = None


@dataclass(frozen=True)
class Column:
    """One metric of a column: `key` is the column's name in the study.

    `has_published`: whether any row has something published here, so that the page leaves no empty columns.
    """

    key: str
    label: str
    corpus: str
    metric: str
    about: str
    has_published: bool


@dataclass(frozen=True)
class Signature:
    """How the numbers of a metric were made, or their p-values, and on which corpora it was so."""

    metric: str
    text: str
    corpora: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """`drop` says what the last column is; empty where there is none. `head`: what the rows are."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    signatures: tuple[Signature, ...]
    tests: tuple[Signature, ...]
    marks: str
    drop: str
    head: str = "System"

    @property
    def random(self) -> list[str]:
        """Pretrained models in whose place small random ones were used, for any cell."""
        return sorted({model for row in self.rows for cell in row.cells for model in cell.random})

    @property
    def groups(self) -> list[tuple[str, list[Column]]]:
        """The study's columns by their labels, each with its metrics."""
        keys = dict.fromkeys(column.key for column in self.columns)
        own = {key: [column for column in self.columns if column.key == key] for key in keys}
        return [(columns[0].label, columns) for columns in own.values()]


DROPS = {"above": "from the row above", "first": "from the first row"}
"""What the mean difference of a table's last column is from."""


def content(name: str, config: SystemsTable, results: Results) -> PieceContent:
    table = fill_table(name, config, results)
    return PieceContent(table, records(table))


def fill_table(name: str, config: SystemsTable, results: Results) -> Table:
    """A table of the study with what is there of its runs."""
    stated = config.columns_of(results.settings.study.corpora)
    pairs = [(key, column, metric) for key, column in stated for metric in config.metrics]
    rows = [_row(name, config, row, pairs, results) for row in config.rows]
    columns = tuple(
        Column(
            key,
            column.label or column.corpus,
            column.corpus,
            metric,
            parse_metric(metric).metric.about,
            any(row.cells[number].published is not None for row in rows if row.cells),
        )
        for number, (key, column, metric) in enumerate(pairs)
    )
    cells = [cell for row in rows for cell in row.cells]
    how = _signatures((cell, text) for cell in cells for text in cell.signatures)
    tests = _signatures((cell, cell.comparison["signature"]) for cell in cells if cell.comparison)
    shown = tuple(_with_drops(config, rows)) if config.drop else tuple(rows)
    return Table(columns, shown, how, tests, _marks(config, cells), DROPS.get(config.drop or "", ""))


def _row(
    name: str, config: SystemsTable, row: RowConfig, pairs: list[tuple[str, ColumnConfig, str]], results: Results
) -> Row:
    if row.group:
        return Row("", None, "", (), group=row.group)
    cells = tuple(_cell(name, config, row, *pair, results) for pair in pairs)
    return Row(row.name, row.system, row.note, cells)


def _with_drops(config: SystemsTable, rows: list[Row]) -> Iterator[Row]:
    """Headings are no rows to compare with."""
    others: list[Row] = []
    for stated, row in zip(config.rows, rows, strict=True):
        if row.group:
            yield row
            continue
        other = (others[-1] if config.drop == "above" else others[0]) if others else None
        measured = _mean_difference(row, other) if other else None
        decimals = parse_metric(config.metrics[0]).metric.decimals
        yield dataclasses.replace(row, drop=Drop(stated.drop, measured, decimals))
        others.append(row)


def _mean_difference(row: Row, other: Row) -> float | None:
    pairs = [(own.measured, than.measured) for own, than in zip(row.cells, other.cells, strict=True)]
    differences = [own - than for own, than in pairs if own is not None and than is not None]
    return statistics.fmean(differences) if len(differences) == len(pairs) else None


def _marks(config: SystemsTable, cells: list[Cell]) -> str:
    """What the marks mean, of all levels, whichever occur; empty where nothing was tested."""
    tested = [cell.comparison for cell in cells if cell.comparison]
    if not tested:
        return ""
    labels = {row.system: row.name for row in reversed(config.rows) if not row.group}
    baselines = dict.fromkeys(_baselines(config))
    levels = ", ".join(f"{sign} p < {level}" for sign, level in reversed(MARKS.items()))
    against = " or ".join(labels.get(baseline, baseline) for baseline in baselines)
    own = ", each row's own baseline" if len(baselines) > 1 else ""
    seeds = " and by the paired t-test over seeds" if any(one["p_seeds"] is not None for one in tested) else ""
    return f"{levels}: better or worse than {against}{own}, by {TESTS[config.significance]}{seeds}, two-sided."


def _baselines(config: SystemsTable) -> Iterator[str]:
    """As the study states them, without the suffixes of columns."""
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
    measured = over_seeds(runs, name, _empty(results, column.corpus, system, runs_with_file(runs, name)))
    baseline = config.baseline_of(row, key, column)
    pair = {"corpus": column.corpus, "metric": metric, "system": system, "baseline": baseline}
    return Cell(
        column=key,
        corpus=column.corpus,
        system=system,
        metric=metric,
        decimals=name.metric.decimals,
        published=row.published.get(key, {}).get(metric),
        **vars(measured),
        comparison=results.comparison(table, **pair, test=config.significance)
        if measured.values and baseline
        else None,
        random=tuple(dict.fromkeys(model for run in runs for model in _random_models(results, run, name)))
        if measured.values
        else (),
    )


def _empty(results: Results, corpus: str, system: str | None, there: list[Run]) -> str:
    lines = {run.scores["decoding"]["lines"] for run in there if run.scores is not None}
    return DOCUMENTS_ONLY if lines == {"documents"} else why_empty(results, corpus, system, bool(there))


def _random_models(results: Results, run: Run, metric: MetricName) -> tuple[str, ...]:
    """The pretrained models, by the folders that config.yaml and studies name, in whose place random ones were used: to
    start the training from, or to measure by."""
    start = results.settings.random_starts.get(f"{run.entry.corpus}/{run.entry.system.name}")
    judge = _judge(run.scores, metric) if metric.metric.judge else None
    stand_ins = results.settings.stand_ins
    return tuple(dict.fromkeys(stand_ins[folder] for folder in (start, judge) if folder in stand_ins))


def _judge(scores: dict | None, metric: MetricName) -> str | None:
    """The model of `scoring` that the metric was measured by."""
    return (((scores or {}).get("settings") or {}).get(metric.metric.judge) or {}).get("model")


def _signatures(texts: Iterable[tuple[Cell, str]]) -> tuple[Signature, ...]:
    """Each text once for its metric, with the corpora of its cells."""
    corpora: dict[tuple[str, str], dict[str, None]] = {}
    for cell, text in texts:
        corpora.setdefault((cell.metric, text), {})[cell.corpus] = None
    return tuple(Signature(metric, text, tuple(names)) for (metric, text), names in corpora.items())


def records(table: Table) -> Iterator[dict]:
    """Every cell as a flat record, for JSON and CSV; the last column's as those of the metric `drop`."""
    for row in table.rows:
        for cell in row.cells:
            yield {
                "row": row.label,
                "system": cell.system,
                "column": cell.column,
                "corpus": cell.corpus,
                "metric": cell.metric,
                "published": cell.published,
                "measured": cell.measured,
                "sd": cell.deviation,
                "difference": cell.difference,
                "baseline": cell.comparison and cell.comparison["baseline"],
                "p": cell.p,
                "test": cell.comparison and cell.comparison["signature"],
                "values": list(cell.values),
                "seeds": cell.seeds,
                "status": cell.status,
                "signature": " ; ".join(cell.signatures),
                "random": list(cell.random),
                "note": row.note,
            }
        if row.drop is not None and (row.drop.published, row.drop.measured) != (None, None):
            yield {
                "row": row.label,
                "system": row.system,
                "metric": "drop",
                "published": row.drop.published,
                "measured": row.drop.measured,
                "difference": row.drop.difference,
            }
