"""The items of a page with their content: an object that a template renders, and flat records.

An item is rendered by the module of `docmt/reporting/kinds` with the same name as the module of its kind in
`docmt/kinds`. The module has a function `content(name, item, results) -> PieceContent`. The template is the file of
`templates/kinds` with the name of the kind, or the file that `PieceContent` names.
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from docmt.base.spreadsheets import csv_lines
from docmt.reporting.item import Item
from docmt.reporting.study import MeasuredAs
from docmt.reporting.findings import judged_findings
from docmt.reporting.over_seeds import not_run, not_scored
from docmt.reporting.results import Results
from docmt.settings.metrics import base_of


@dataclass(frozen=True)
class PieceContent:
    """The content of an item, which the module of its kind returns.

    `data`: the object that the template renders; None where there is no content. `records`: the content as flat
    records, for JSON and CSV. `template`: a file of `templates/kinds`; empty for the file with the name of the kind.
    """

    data: Any
    records: Iterable[dict]
    template: str = ""


@dataclass(frozen=True)
class Piece:
    """An item of a page with its content.

    `template`: the file of `templates/kinds` that renders the content. `records`: the content as flat records. `empty`:
    the reason where there is no content; empty where there is content. `measured_as`: what the paper says on how it
    measures, each with its metric.
    """

    name: str
    item: Item
    template: str
    content: Any
    records: tuple[dict, ...]
    empty: str = ""
    measured_as: tuple[tuple[str, MeasuredAs], ...] = ()


def pieces(results: Results) -> list[Piece]:
    """Return all items of the page, in the order of the page, with their content."""
    return [_piece(name, item, results) for name, item in results.settings.study.items.items()]


def _piece(name: str, item: Item, results: Results) -> Piece:
    """Return an item with the content that the module of its kind returns."""
    kind = type(item).__module__.rpartition(".")[2]
    content = import_module(f"docmt.reporting.kinds.{kind}").content(name, item, results)
    empty = "" if content.data is not None else _why_empty(item, results)
    template, statements = content.template or f"{kind}.html", results.settings.study.measured_as
    metrics = dict.fromkeys(map(base_of, item.measures))
    measured_as = tuple((metric, statement) for metric in metrics for statement in statements.get(metric, ()))
    return Piece(name, item, template, content.data, tuple(content.records), empty, measured_as)


def _why_empty(item: Item, results: Results) -> str:
    """Return why the item's main system, the last system that the item lists, has not run, or has no scored chains."""
    *_, (corpus, system) = item.systems_of(results.settings.study.corpora)
    why = results.settings.why_not_scored(corpus, "aligner") if "occurrences" in item.reads() else ""
    is_scored = any(run.occurrences.exists() for run in results.of(corpus, system))
    return not_scored(why) if why and is_scored else not_run(results.settings.why_not_run(corpus, system))


def to_json(piece: Piece, results: Results) -> dict[str, Any]:
    """Return the content of the JSON file of an item."""
    study = {"study": results.settings.study.study, "scale": results.settings.scale, "name": piece.name}
    stated = {name: getattr(piece.item, name) for name in ("kind", "title", "paper", "caption", "note")}
    marks = {"marks": piece.content.marks} if piece.template == "systems.html" else {}
    findings = [dataclasses.asdict(finding) for finding in judged_findings(results)]
    return study | stated | marks | {"findings": findings, "records": list(piece.records)}


def to_csv(piece: Piece) -> str:
    """Return the records as CSV, a line for each record; lists, such as the values of seeds, are joined by spaces.

    Numbers are not rounded.
    """
    # Readers of CSV need a header: a file without records has a header with the single column "nothing".
    columns = list(dict.fromkeys(key for record in piece.records for key in record)) or ["nothing"]
    return csv_lines([columns, *([_plain(record.get(column)) for column in columns] for record in piece.records)])


def _plain(value: Any) -> Any:
    """Return the value of a CSV cell: a list as one text, any other value unchanged."""
    return " ".join(map(repr, value)) if isinstance(value, list) else value
