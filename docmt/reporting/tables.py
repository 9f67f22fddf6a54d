"""A study's tables: for every row, corpus and metric what was published, what was measured, and the difference."""

import csv
import io
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docmt.core.marks import MARKS, mark
from docmt.core.metrics import parse_metric
from docmt.core.study import RowConfig, TableConfig
from docmt.reporting.results import Results

NOT_RUN = "not run"
NOT_SCORED = "not scored"
PUBLISHED_ONLY = "published only"
DOCUMENTS_ONLY = "documents only"

TESTS = {
    "bootstrap": "paired bootstrap resampling (Koehn 2004)",
    "sign": "the sign test of Collins et al. (2005)",
}
"""What a study's `significance` is called on the page."""


@dataclass(frozen=True)
class Cell:
    """One (row, corpus, metric). `published` is a number, a note such as "not digitised", or none.

    `values` has one number a seed that was run; `empty` says why there is none: the system was not run, these
    scores lack the metric (as a corpus without contrastive sets does), the system translates documents and has no
    sentences to score, or the row exists only as published. `comparison`: with the row's baseline, as stage 7 left it.
    """

    corpus: str
    metric: str
    decimals: int
    published: float | str | None
    values: tuple[float, ...]
    seeds: int
    empty: str
    signatures: tuple[str, ...]
    comparison: dict | None = None

    @property
    def p(self) -> float | None:
        """That the difference from the row's baseline is chance; none where that was not tested."""
        return None if self.comparison is None else self.comparison["p"]

    @property
    def mark(self) -> str:
        return mark(self.p)

    @property
    def measured(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation over seeds (of the sample); none for fewer than two."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        if self.measured is None or not isinstance(self.published, int | float):
            return None
        return self.measured - self.published

    @property
    def status(self) -> str:
        return "measured" if self.values else self.empty


@dataclass(frozen=True)
class Row:
    label: str
    system: str | None
    note: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Column:
    """`has_published`: whether any row has something published here, so that the page leaves no empty columns."""

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
    id: str
    title: str
    caption: str
    paper: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    signatures: tuple[Signature, ...]
    tests: tuple[Signature, ...]
    marks: str

    @property
    def corpora(self) -> list[str]:
        return list(dict.fromkeys(column.corpus for column in self.columns))


def fill_tables(results: Results) -> list[Table]:
    return [_table(name, config, results) for name, config in results.settings.study.tables.items()]


def _table(name: str, config: TableConfig, results: Results) -> Table:
    pairs = [(corpus, metric) for corpus in results.corpora for metric in config.metrics]
    rows = tuple(
        Row(_label(row), row.system, row.note, tuple(_cell(config, row, *pair, results) for pair in pairs))
        for row in config.rows
    )
    columns = tuple(
        Column(corpus, metric, parse_metric(metric).metric.about, _any_published(rows, number))
        for number, (corpus, metric) in enumerate(pairs)
    )
    cells = [cell for row in rows for cell in row.cells]
    how = _signatures((cell, text) for cell in cells for text in cell.signatures)
    tests = _signatures((cell, cell.comparison["signature"]) for cell in cells if cell.comparison)
    return Table(name, config.title, config.caption, config.paper, columns, rows, how, tests, _marks(config, cells))


def _label(row: RowConfig) -> str:
    return row.label or row.system or ""


def _marks(config: TableConfig, cells: list[Cell]) -> str:
    """What the marks mean, of all levels, whichever occur; empty where nothing was tested."""
    tested = [cell.comparison for cell in cells if cell.comparison]
    if not tested:
        return ""
    labels = {row.system: _label(row) for row in reversed(config.rows)}
    baselines = dict.fromkeys(b for row in config.rows if (b := config.baseline_of(row)))
    levels = ", ".join(f"{sign} p < {level}" for sign, level in reversed(MARKS.items()))
    against = " or ".join(labels.get(baseline, baseline) for baseline in baselines)
    own = ", each row's own baseline" if len(baselines) > 1 else ""
    seeds = " and by the paired t-test over seeds" if any(one["p_seeds"] is not None for one in tested) else ""
    return f"{levels}: better or worse than {against}{own}, by {TESTS[config.significance]}{seeds}, two-sided."


def _any_published(rows: tuple[Row, ...], number: int) -> bool:
    return any(row.cells[number].published is not None for row in rows)


def _cell(table: TableConfig, row: RowConfig, corpus: str, metric: str, results: Results) -> Cell:
    name = parse_metric(metric, f"study {results.settings.study.study}")
    runs = results.of(corpus, row.system) if row.system else []
    scored = [run.scores for run in runs if run.scores is not None]
    found = [measured for scores in scored if (measured := name.find(scores)) is not None]
    return Cell(
        corpus=corpus,
        metric=metric,
        decimals=name.metric.decimals,
        published=row.published.get(corpus, {}).get(metric),
        values=tuple(measured.value for measured in found),
        seeds=len(runs),
        empty=_empty(row, scored, results.settings.not_run.get(corpus)),
        signatures=tuple(dict.fromkeys(measured.signature for measured in found)),
        comparison=_comparison(table, row, corpus, metric, results) if found else None,
    )


def _comparison(table: TableConfig, row: RowConfig, corpus: str, metric: str, results: Results) -> dict | None:
    baseline = table.baseline_of(row)
    return baseline and results.comparison(corpus, metric, row.system, baseline, table.significance)


def _empty(row: RowConfig, scored: list[dict], left_out: str | None) -> str:
    if row.system is None:
        return PUBLISHED_ONLY
    if not scored:
        return f"{NOT_RUN}: {left_out}" if left_out else NOT_RUN
    documents = all(scores["decoding"]["lines"] == "documents" for scores in scored)
    return DOCUMENTS_ONLY if documents else NOT_SCORED


def _signatures(texts: Iterable[tuple[Cell, str]]) -> tuple[Signature, ...]:
    """Each text once for its metric, with the corpora of its cells."""
    corpora: dict[tuple[str, str], dict[str, None]] = {}
    for cell, text in texts:
        corpora.setdefault((cell.metric, text), {})[cell.corpus] = None
    return tuple(Signature(metric, text, tuple(names)) for (metric, text), names in corpora.items())


def records(table: Table) -> Iterator[dict]:
    """Every cell as a flat record, for JSON and CSV."""
    for row in table.rows:
        for cell in row.cells:
            yield {
                "table": table.id,
                "row": row.label,
                "system": row.system,
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
                "note": row.note,
            }


def to_json(tables: list[Table]) -> list[dict]:
    """The content of `tables.json`."""
    return [
        {
            "table": table.id,
            "title": table.title,
            "caption": table.caption,
            "paper": table.paper,
            "marks": table.marks,
            "cells": list(records(table)),
        }
        for table in tables
    ]


def to_csv(table: Table) -> str:
    """A line a cell; numbers in full, values of several seeds joined by blanks."""
    out = io.StringIO()
    rows = [{**record, "values": " ".join(map(repr, record["values"]))} for record in records(table)]
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else ["table"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
