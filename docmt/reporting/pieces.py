"""A study's tables, figures and passages, each as what a page shows of it and as plain records.

A kind is shown by a module of `docmt/reporting/kinds`, of the same name as the one in `docmt/kinds` that says what it
states. The module has a function `content(name, item, results) -> PieceContent`. The template is that of its name in
`templates/kinds`, or the one that `PieceContent` names.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from docmt.kinds.item import Item
from docmt.reporting.over_seeds import not_run
from docmt.reporting.results import Results


@dataclass(frozen=True)
class PieceContent:
    """`data`: what the template shows, none where nothing of it was run; `records`: all of it, flat.

    `template`: which of `templates/kinds`, where it is not that of the kind's name.
    """

    data: Any
    records: Iterable[dict]
    template: str = ""


@dataclass(frozen=True)
class Piece:
    """`template`: which of `templates/kinds` shows the content. `empty`: why there is nothing, empty where there is
    something. `records`: all of it, flat."""

    name: str
    item: Item
    template: str
    content: Any
    records: tuple[dict, ...]
    empty: str = ""


def pieces(results: Results) -> list[Piece]:
    """All items of the page, in the study's order."""
    return [_piece(name, item, results) for name, item in results.settings.study.items.items()]


def _piece(name: str, item: Item, results: Results) -> Piece:
    kind = type(item).__module__.rpartition(".")[2]
    content = import_module(f"docmt.reporting.kinds.{kind}").content(name, item, results)
    empty = "" if content.data is not None else _why_empty(item, results)
    return Piece(name, item, content.template or f"{kind}.html", content.data, tuple(content.records), empty)


def _why_empty(item: Item, results: Results) -> str:
    """Why the system that it is about, the last one, has not run."""
    *_, system = item.systems_of(results.settings.study.corpora)
    return not_run(results.settings.why_not_run(*system))


def to_json(piece: Piece, results: Results) -> dict[str, Any]:
    """The content of `<item>.json`."""
    study = {"study": results.settings.study.study, "scale": results.settings.scale, "name": piece.name}
    stated = {name: getattr(piece.item, name) for name in ("kind", "title", "paper", "caption", "note")}
    marks = {"marks": piece.content.marks} if piece.template == "systems.html" else {}
    return study | stated | marks | {"records": list(piece.records)}


def to_csv(piece: Piece) -> str:
    """The records, a line each; numbers in full, values of several seeds joined by blanks."""
    out = io.StringIO()
    columns = list(dict.fromkeys(key for record in piece.records for key in record)) or ["nothing"]
    writer = csv.DictWriter(out, fieldnames=columns, lineterminator="\n")
    writer.writeheader()
    for record in piece.records:
        writer.writerow({key: _plain(value) for key, value in record.items()})
    return out.getvalue()


def _plain(value: Any) -> Any:
    return " ".join(map(repr, value)) if isinstance(value, list) else value
