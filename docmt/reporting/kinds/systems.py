"""Tables of systems: each cell has the published number, the measured number and their difference."""

import dataclasses
import statistics
from collections.abc import Iterable, Iterator

from docmt.kinds.systems import ColumnConfig, RowConfig, SystemsTable
from docmt.reporting.adopted import replaced_file
from docmt.reporting.best_cells import mark_best
from docmt.reporting.comparable import random_models, reasons_of_cell
from docmt.reporting.formats import MARKS
from docmt.reporting.over_seeds import (
    DOCUMENTS_ONLY,
    external_source,
    over_seeds,
    runs_with_file,
    why_empty,
)
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results, Run
from docmt.reporting.table import Cell, Column, Drop, Row, Signature, Table
from docmt.settings.metrics import MetricName, parse_metric

TESTS = {
    "bootstrap": "paired bootstrap resampling (Koehn 2004)",
    "sign": "the sign test of Collins et al. (2005)",
}
"""The names of the tests of significance on the page, by the `significance` of a table."""


DROPS = {"above": "from the row above", "first": "from the first row"}
"""The heading of the column of drops, by the `drop` of a table."""


def content(name: str, config: SystemsTable, results: Results) -> PieceContent:
    """Return the table with the numbers of all runs so far, and its cells as flat records."""
    table = fill_table(name, config, results)
    return PieceContent(table, records(table))


def fill_table(name: str, config: SystemsTable, results: Results) -> Table:
    """Return a table with the numbers of all runs so far; `name` is the name of the table in the study."""
    stated = config.columns_of(results.settings.study.corpora)
    pairs = [(key, column, metric) for key, column in stated for metric in config.metrics]
    rows = mark_best([_row(name, config, row, pairs, results) for row in config.rows])
    columns = tuple(
        Column(
            key,
            column.label or column.corpus,
            column.corpus,
            metric,
            parse_metric(metric).metric.about,
            any(row.cells[number].published is not None for row in rows if row.cells),
            metric in config.lower_is_better,
        )
        for number, (key, column, metric) in enumerate(pairs)
    )
    cells = [cell for row in rows for cell in row.cells]
    signatures = _signatures((cell, text) for cell in cells for text in cell.signatures)
    intervals = _signatures((cell, score.interval) for cell in cells for score in cell.intervals)
    tests = _signatures((cell, cell.comparison["signature"]) for cell in cells if cell.p is not None)
    filled = tuple(_with_drops(config, rows)) if config.drop else tuple(rows)
    return Table(
        columns,
        filled,
        signatures,
        tests,
        _marks(config, cells),
        _drop_heading(config),
        intervals=intervals,
        baselines=_baseline_labels(config),
    )


def _drop_heading(config: SystemsTable) -> str:
    """Return the heading of the column of drops; empty in a table without the column."""
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
    """Yield the rows with their mean difference from the row above or from the first row; headings have none.

    A heading is skipped where the row above is looked for.
    """
    others: list[Row] = []
    for stated, row in zip(config.rows, rows, strict=True):
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
    seeds = (
        " and by the paired t-test over seeds"
        if any(comparison["p_seeds"] is not None for comparison in tested)
        else ""
    )
    test = f"by {TESTS[config.significance]}{seeds}, two-sided"
    return f"{levels}: better or worse than {against}{further}, {test}.{lower}"


def _baseline_labels(config: SystemsTable) -> tuple[str, ...]:
    """Return the labels of the systems with which rows are compared, each once."""
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
    """Return the cell of a row in a column for a metric; `table` is the name of the table."""
    name = parse_metric(metric, f"study {results.settings.study.study}")
    system = config.system_of(row, key, column)
    runs = results.of(column.corpus, system) if system else []
    if row.reference:
        runs = list(_reference(results, column.corpus, name))[:1]
    measured = over_seeds(runs, name, _empty(results, column.corpus, system, name, runs))
    baseline = config.baseline_of(row, key, column)
    pair = {"corpus": column.corpus, "metric": metric, "system": system, "baseline": baseline}
    published = row.published.get(key, {}).get(metric)
    return Cell(
        column=key,
        corpus=column.corpus,
        system=system,
        metric=metric,
        decimals=name.metric.decimals,
        published=published,
        **vars(measured),
        baseline=baseline,
        baseline_measured=_measured(results, column.corpus, baseline, name) if baseline else None,
        comparison=results.comparison(table, **pair, test=config.significance)
        if measured.values and baseline
        else None,
        random=tuple(dict.fromkeys(model for run in runs for model in random_models(results, run, name)))
        if measured.values
        else (),
        not_comparable=reasons_of_cell(results, config, metric, column.corpus, _scored(row, system, runs), published),
        generated=replaced_file(runs) if measured.values else "",
        warnings=_warnings(runs, name) if measured.values else (),
    )


def _warnings(runs: list[Run], metric: MetricName) -> tuple[str, ...]:
    """Return what scoring jobs warned of in the text of a cell; none for metrics of a model, which read no text."""
    scored = [] if metric.metric.of_model else runs
    return tuple(dict.fromkeys(text for run in scored for text in run.scoring.get("warnings", ())))


def _reference(results: Results, corpus: str, metric: MetricName) -> Iterator[Run]:
    """Yield a run for each run on a corpus that has scored the reference too: with the scores of the reference alone.

    They are the same in all runs of a page, but for different settings of scoring, which signatures state.
    """
    for run in results.of(corpus):
        if metric.name in run.of_reference:
            yield dataclasses.replace(run, scores=run.of_reference)


def _scored(row: RowConfig, system: str | None, runs: list[Run]) -> str | None:
    """Return the system whose settings of scoring hold for a cell; a reference is scored with each system."""
    return runs[0].entry.system.name if row.reference and runs else system


def _measured(results: Results, corpus: str, system: str, metric: MetricName) -> float | None:
    """Return the mean of a metric over the seeds of a system on a corpus; None without any value."""
    return over_seeds(results.of(corpus, system), metric, "").measured


def _empty(results: Results, corpus: str, system: str | None, metric: MetricName, runs: list[Run]) -> str:
    """Return why a cell has no number; `runs`: the runs of its system."""
    with_file = runs_with_file(runs, metric)
    lines = {run.scoring["decoding"]["lines"] for run in with_file if run.scoring}
    if lines == {"documents"} and not (metric.of_model and external_source(runs)):
        return DOCUMENTS_ONLY
    return why_empty(results, corpus, system, metric, bool(with_file))


def _signatures(texts: Iterable[tuple[Cell, str]]) -> tuple[Signature, ...]:
    """Return each signature of a metric once, with the corpora of the cells that have it."""
    corpora: dict[tuple[str, str], dict[str, None]] = {}
    for cell, text in texts:
        corpora.setdefault((cell.metric, text), {})[cell.corpus] = None
    return tuple(Signature(metric, text, tuple(names)) for (metric, text), names in corpora.items())


def records(table: Table) -> Iterator[dict]:
    """Yield every cell as a flat record, for JSON and CSV; a cell of the column of drops has the metric `drop`."""
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
