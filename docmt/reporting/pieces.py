"""A study's tables, figures and passages, each as what a page shows of it and as plain records."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from docmt.kinds.attention import AttentionFigure
from docmt.kinds.cases import CasesFigure
from docmt.kinds.counts import CountsTable
from docmt.kinds.curves import CurvesFigure
from docmt.kinds.gaps import GapsTable
from docmt.kinds.human import HumanTable
from docmt.kinds.latent import LatentFigure
from docmt.kinds.passages import PassageConfig
from docmt.kinds.points import PointsFigure
from docmt.kinds.positions import PositionsFigure
from docmt.kinds.study import Item
from docmt.kinds.systems import SystemsTable
from docmt.reporting.case_studies import Case, chain_study
from docmt.reporting.counts_table import count_records, fill_counts
from docmt.reporting.drawn import draw_curves, draw_points, draw_positions
from docmt.reporting.gaps_table import fill_gaps, gap_records
from docmt.reporting.human_table import fill_human
from docmt.reporting.inside import Strip, inside_of, strip_records
from docmt.reporting.passages import fill_passages, passage_records
from docmt.reporting.results import Results
from docmt.reporting.tables import fill_table, not_run, records


@dataclass(frozen=True)
class Piece:
    """`template`: which of `templates/pieces` shows the content. `empty`: why there is nothing, empty where there is
    something. `records`: all of it, flat."""

    name: str
    kind: str
    title: str
    paper: str
    caption: str
    note: str
    template: str
    content: Any
    records: tuple[dict, ...]
    empty: str = ""


Made = tuple[str, Any, Iterator[dict] | tuple[dict, ...]]
"""Template, content and records; the content is none where nothing of it was run."""


def pieces(results: Results) -> list[Piece]:
    """All items of the page, in the study's order."""
    return [_piece(name, item, results) for name, item in results.settings.study.items.items()]


def _piece(name: str, item: Item, results: Results) -> Piece:
    template, content, found = MAKERS[type(item)](name, item, results)
    return Piece(
        name=name,
        kind=getattr(item, "kind", "passage"),
        title=item.title,
        paper=item.paper,
        caption=item.caption,
        note=getattr(item, "note", ""),
        template=template,
        content=content,
        records=tuple(found),
        empty="" if content is not None else _why_empty(item, results),
    )


def _why_empty(item: AttentionFigure | LatentFigure | CasesFigure, results: Results) -> str:
    return not_run(results.settings.why_not_run(item.corpus, item.system))


def _systems_table(name: str, item: SystemsTable, results: Results) -> Made:
    table = fill_table(name, item, results)
    return "systems.html", table, records(table)


def _counts_table(_: str, item: CountsTable, results: Results) -> Made:
    table = fill_counts(item, results)
    return "counts.html", table, count_records(table)


def _gaps_table(_: str, item: GapsTable, results: Results) -> Made:
    table = fill_gaps(item, results)
    return "gaps.html", table, gap_records(table)


def _human_table(_: str, item: HumanTable, results: Results) -> Made:
    table = fill_human(item, results)
    return "systems.html", table, records(table)


def _points(name: str, item: PointsFigure, results: Results) -> Made:
    drawn = draw_points(name, item, results)
    return "drawn.html", drawn, drawn.records


def _positions(name: str, item: PositionsFigure, results: Results) -> Made:
    drawn = draw_positions(name, item, results)
    return "drawn.html", drawn, drawn.records


def _curves(name: str, item: CurvesFigure, results: Results) -> Made:
    drawn = draw_curves(name, item, results)
    return "drawn.html", drawn, drawn.records


def _attention(_: str, item: AttentionFigure, results: Results) -> Made:
    one = inside_of(results, item.corpus, item.system)
    strips: dict[str, tuple[Strip, ...]] = {"alignment": one.aligned, "attention": one.attended} if one else {}
    return "attention.html", one, (row for kind, rows in strips.items() for row in strip_records(kind, rows))


def _latent(_: str, item: LatentFigure, results: Results) -> Made:
    one = inside_of(results, item.corpus, item.system)
    asked = one.asked if one else ()
    return "latent.html", one if asked else None, strip_records("similarity", asked)


def _cases(_: str, item: CasesFigure, results: Results) -> Made:
    runs = [results.first(item.corpus, system) for system in (item.baseline, item.system)]
    if not all(run.occurrences.exists() for run in runs):
        return "cases.html", None, ()
    study = chain_study(results, runs)
    overcorrected = [case for case in study.overcorrections if item.system in case.overcorrecting]
    cases = list(study.cases) if item.show == "different" else overcorrected
    return "cases.html", (study, cases), _case_records(cases)


def _case_records(cases: list[Case]) -> Iterator[dict]:
    """A row a chain and side."""
    for case in cases:
        for word, chain in zip(case.words, case.chains, strict=True):
            for side, rendering in (("reference", chain.reference), *chain.systems.items()):
                yield {
                    "document": case.document,
                    "word": word,
                    "side": side,
                    "translations": _counted(rendering.counts),
                    "consistent": rendering.is_consistent,
                }


def _counted(counts: Any) -> str:
    return ", ".join(f"{text or '-'} x {count}" for text, count in counts)


def _passages(name: str, item: PassageConfig, results: Results) -> Made:
    passages = fill_passages(name, item, results)
    return "passages.html", passages, passage_records(passages)


MAKERS: dict[type, Callable[[str, Any, Results], Made]] = {
    SystemsTable: _systems_table,
    GapsTable: _gaps_table,
    CountsTable: _counts_table,
    HumanTable: _human_table,
    PointsFigure: _points,
    PositionsFigure: _positions,
    CurvesFigure: _curves,
    AttentionFigure: _attention,
    LatentFigure: _latent,
    CasesFigure: _cases,
    PassageConfig: _passages,
}
"""How each kind of item becomes a piece."""


def to_json(piece: Piece, results: Results) -> dict[str, Any]:
    """The content of `<item>.json`."""
    names = ("name", "kind", "title", "paper", "caption", "note")
    study = {"study": results.settings.study.study, "scale": results.settings.scale}
    marks = {"marks": piece.content.marks} if piece.template == "systems.html" else {}
    return study | {name: getattr(piece, name) for name in names} | marks | {"records": list(piece.records)}


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
