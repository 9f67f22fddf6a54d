"""The cells that an item of a study declares, and what is wrong with those that its JSON file has.

What is declared follows from the study alone. A cell is a finite number, or says the one thing that it has to say
where the study itself has nothing to measure: a row that is only published, sentences of a system that translates
documents, annotators that nobody asked.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docmt.catalogue.published import readings_of
from docmt.grid.grid import Grid
from docmt.kinds.attention import AttentionFigure
from docmt.kinds.cases import CasesFigure
from docmt.kinds.counts import CountsTable
from docmt.kinds.curves import CurvesFigure
from docmt.kinds.gaps import GapsTable
from docmt.kinds.human import VERDICTS, HumanTable
from docmt.kinds.item import Item, published_number
from docmt.kinds.latent import LatentFigure
from docmt.kinds.passages import PassageConfig
from docmt.kinds.points import PointsFigure
from docmt.kinds.positions import PositionsFigure
from docmt.kinds.systems import SystemsTable
from docmt.settings.metrics import base_of, parse_metric
from docmt.settings.system import Entry

Record = dict[str, Any]
Key = tuple[Hashable, ...]
Problems = Iterator[str]

MEASURED = "measured"


def wrong_cells(grid: Grid, study: str, name: str, records: Sequence[Record]) -> list[str]:
    """What is wrong with the records of an item's JSON file; empty where nothing is."""
    item = grid.studies[study].items[name]
    problems = [*_not_finite(records), *CHECKS.get(item.kind, _some)(grid, study, item, records)]
    return [f"{study}/{name}: {problem}" for problem in problems]


def _not_finite(records: Iterable[Record]) -> Problems:
    """Whatever a record calls its numbers."""
    for record in records:
        for key, value in record.items():
            values = value if isinstance(value, list) else [value]
            if any(isinstance(number, float) and not math.isfinite(number) for number in values):
                yield f"{_description(record)}: {key} is {value}"


def _description(record: Record) -> str:
    names = ("row", "column", "corpus", "label", "document", "word", "kind", "x", "metric", "value", "seed")
    return " ".join(str(record[name]) for name in names if record.get(name) not in (None, ""))


def _differing(expected: Iterable[Key], actual: Iterable[Key]) -> Problems:
    """Cells that are missing, and cells that nobody declared."""
    wanted, there = Counter(iter(expected)), Counter(iter(actual))
    yield from (f"no cell {key}" for key in wanted - there)
    yield from (f"a cell too many: {key}" for key in there - wanted)


def _keyed(records: Iterable[Record], *names: str) -> dict[Key, Record]:
    return {tuple(record[name] for name in names): record for record in records}


def _said(record: Record, expected: str) -> Problems:
    """The status that the cell has to have and, of what is measured, a number."""
    if record["status"] != expected:
        yield f"{_description(record)}: {record['status']}, expected {expected}"
    elif (expected == MEASURED) != _is_number(record["measured"]):
        yield f"{_description(record)}: {expected}, and the number is {record['measured']}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _status(entry: Entry | None, metric: str) -> str:
    """What a cell of this system, or of none, has to say. Without marks of sentences only documents can be scored."""
    if entry is None:
        return "published only"
    if not entry.has_model and parse_metric(metric).of_model:
        return f"no model: {entry.system.source.about}"
    of_lines = parse_metric(metric).metric.source == "scores" and not metric.split()[-1].startswith("d-")
    return "documents only" if of_lines and entry.system.model.frame == "unmarked" else MEASURED


OF_REFERENCE = ("LTCR", "HHI", "coherence", "cohesion")
"""The metrics that score a text without comparing it with another, so that the reference has them too."""


def _of_seeds(record: Record, entry: Entry | None) -> Problems:
    """Where something was measured, every seed was."""
    if entry is not None and record["status"] == MEASURED and len(record["values"]) != len(entry.seeds):
        yield f"{_description(record)}: {len(record['values'])} of {len(entry.seeds)} seeds"


def _table(grid: Grid, study: str, table: SystemsTable, records: Sequence[Record]) -> Problems:
    declared = {
        (row.label or row.system, key, metric): (row, key, column)
        for row in table.rows
        for key, column in table.columns_of(grid.studies[study].corpora)
        for metric in table.metrics
        if not row.group
    }
    cells = [record for record in records if record["metric"] != "drop"]
    by_place = _keyed(cells, "row", "column", "metric")
    yield from _differing(declared, [tuple(cell[name] for name in ("row", "column", "metric")) for cell in cells])
    for place in filter(by_place.__contains__, declared):
        row, key, column = declared[place]
        system, baseline = table.system_of(row, key, column), table.baseline_of(row, key, column)
        entries = [name and grid.named(study, column.corpus, name) for name in (system, baseline)]
        is_scored = row.reference and base_of(place[2]) in OF_REFERENCE
        yield from _said(by_place[place], MEASURED if is_scored else _status(entries[0], place[2]))
        yield from _of_seeds(by_place[place], entries[0])
        yield from _compared(by_place[place], *entries)
        yield from _marked(grid, study, by_place[place], entries[0])
        yield from _beside_published(grid, by_place[place], entries[0])
    if table.drop:
        yield from _drops(table, [record for record in records if record["metric"] == "drop"])


def _compared(record: Record, entry: Entry | None, baseline: Entry | None) -> Problems:
    """A p-value, or the reason for none, where both systems have the metric, and its units can be compared."""
    metric = record["metric"]
    statuses = [_status(system_entry, metric) for system_entry in (entry, baseline)]
    if statuses == [MEASURED, MEASURED] and parse_metric(metric).tallied and {*entry.seeds} & {*baseline.seeds}:
        p = record["p"]
        is_tested = _is_number(p) and 0 <= p <= 1
        if is_tested == bool(record["untested"]):
            yield f"{_description(record)}: p is {p} ({record['untested']}), against {baseline.system.name}"


def _marked(grid: Grid, study: str, record: Record, entry: Entry | None) -> Problems:
    """A number behind which small random models stand names those that they stand for, and no other number does."""
    if entry is None or record["status"] != MEASURED:
        return
    folders = [start.pretrained for start in grid.starts(entry)]
    scoring = grid.scoring[study]
    judges = {"cohesion": scoring.cohesion.models.values(), "aligner": [scoring.aligner.model]}
    folders += judges.get(parse_metric(record["metric"]).metric.judge, ())
    # Pages have the name of the folder, since the settings of a job have no paths of the user's.
    stand_ins = {
        checkpoint.folder(grid.scale): Path(checkpoint.stands_for).name for checkpoint in grid.checkpoints.values()
    }
    expected = {stand_ins[folder] for folder in folders if folder in stand_ins}
    if set(record["random"]) != expected:
        yield f"{_description(record)}: marked as random {record['random']}, expected {sorted(expected)}"


def _beside_published(grid: Grid, record: Record, entry: Entry | None) -> Problems:
    """A number beside a published one has either its difference or the reason why it has none, as generated text."""
    if entry is None or record["status"] != MEASURED or published_number(record.get("published")) is None:
        return
    reasons, is_generated = record["not_comparable"], bool(grid.fixtures and grid.corpora[entry.corpus].files)
    if bool(reasons) == _is_number(record["difference"]) or (is_generated and "generated" not in reasons):
        yield f"{_description(record)}: difference {record['difference']}, not comparable because {reasons!r}"


def _drops(table: SystemsTable, drops: Sequence[Record]) -> Problems:
    """Of all rows but the first, the mean difference."""
    rows = [row.label or row.system for row in table.rows if not row.group]
    measured = {record["row"] for record in drops if _is_number(record["measured"])}
    yield from (f"{row}: no drop" for row in rows[1:] if row not in measured)


def _gaps(grid: Grid, study: str, table: GapsTable, records: Sequence[Record]) -> Problems:
    """A difference in every row, of all seeds, and its interval where both systems have two seeds or more."""
    declared = {row.label or row.system: row for row in table.rows if not row.group}
    yield from _differing([(name,) for name in declared], [(record["row"],) for record in records])
    for record in (candidate for candidate in records if candidate["row"] in declared):
        row, names = declared[record["row"]], ["difference"]
        seeds = {
            side: len(grid.named(study, table.corpus, getattr(row, side)).seeds) for side in ("system", "baseline")
        }
        names += ["low", "high"] if min(seeds.values()) > 1 else []
        yield from (
            f"{_description(record)}: {name} is {record[name]}" for name in names if not _is_number(record[name])
        )
        for side, count in seeds.items():
            if len(record[f"{side}_values"]) != count:
                yield f"{_description(record)}: {side} has {len(record[f'{side}_values'])} of {count} seeds"


def _counts(grid: Grid, study: str, table: CountsTable, records: Sequence[Record]) -> Problems:
    corpora = table.corpora or grid.studies[study].corpora
    columns = [(count, reading) for count in table.counts for reading in readings_of(count)]
    declared = {(corpus, split, *column) for corpus in corpora for split in table.splits for column in columns}
    by_place = _keyed(records, "corpus", "row", "metric", "reading")
    yield from _differing(declared, by_place)
    for place in sorted(declared & by_place.keys()):
        yield from _said(by_place[place], MEASURED)


def _human(grid: Grid, study: str, table: HumanTable, records: Sequence[Record]) -> Problems:
    by_place = _keyed(records, "row", "metric")
    yield from _differing([(row.label, verdict) for row in table.rows for verdict in VERDICTS], by_place)
    for record in by_place.values():
        yield from _said(record, MEASURED if study in grid.human else "not run")


def _points(grid: Grid, study: str, figure: PointsFigure, records: Sequence[Record]) -> Problems:
    declared = {
        (series.label, x, metric): series.points.get(x)
        for series in figure.series
        for x in {*series.points, *series.published}
        for metric in figure.metrics
    }
    yield from _of_line(grid, study, figure.corpus, declared, records)


def _positions(grid: Grid, study: str, figure: PositionsFigure, records: Sequence[Record]) -> Problems:
    declared = {
        (series.label, j, f"{figure.metric}@j{j:g}"): series.system
        for series in figure.series
        for j in {*series.published, *_places(grid, study, figure.corpus, series.system)}
    }
    # Levels, which are of no position, are published and nothing else.
    points = [record for record in records if "x" in record]
    yield from _of_line(grid, study, figure.corpus, declared, points)


def _places(grid: Grid, study: str, corpus: str, system: str | None) -> range:
    """Where a window of a system can have a sentence, from 1."""
    window = grid.named(study, corpus, system).system.view.test.window if system else 0
    return range(1, (window or 1) + 1) if system else range(0)


def _of_line(
    grid: Grid, study: str, corpus: str, declared: dict[Key, str | None], records: Sequence[Record]
) -> Problems:
    by_place = _keyed(records, "label", "x", "metric")
    yield from _differing(declared, [(record["label"], record["x"], record["metric"]) for record in records])
    for place in filter(by_place.__contains__, declared):
        system = declared[place]
        entry = grid.named(study, corpus, system) if system else None
        yield from _said(by_place[place], _status(entry, place[2]))
        yield from _of_seeds(by_place[place], entry)


def _curves(grid: Grid, study: str, figure: CurvesFigure, records: Sequence[Record]) -> Problems:
    """Each value of each seed is a line: two points or more."""
    points = Counter((r["label"], r["seed"], r["value"]) for r in records if _is_number(r["x"]) and _is_number(r["y"]))
    declared = {
        (curve.name, seed, value)
        for curve in figure.systems
        for seed in grid.named(study, figure.corpus, curve.system).seeds
        for value in figure.values
    }
    yield from (f"a curve too many: {key}" for key in points.keys() - declared)
    yield from (f"no curve {key}: {points[key]} points" for key in sorted(declared) if points[key] < 2)


def _maps(*kinds: str) -> Callable[..., Problems]:
    """Of what is looked at inside a model; eq. 8 and similarity are of latent variables."""

    def check(grid: Grid, study: str, figure: AttentionFigure | LatentFigure, records: Sequence[Record]) -> Problems:
        model = grid.named(study, figure.corpus, figure.system).system.model
        declared = {kind for kind in kinds if kind == "attention" or getattr(model, "latent", False)}
        yield from _differing(declared, {record["kind"] for record in records})
        yield from (f"{_description(record)}: no number" for record in records if not _is_number(record["value"]))

    return check


def _cases(_: Grid, __: str, figure: CasesFigure, records: Sequence[Record]) -> Problems:
    """What two systems do differently may be nothing; what there is has both, and the reference."""
    chains: dict[Key, set[str]] = {}
    for record in records:
        chains.setdefault((record["document"], record["word"]), set()).add(record["side"])
        if not record["translations"]:
            yield f"{_description(record)}: {record['side']} has no translations"
    sides = {"reference", figure.baseline, figure.system}
    yield from (
        f"{key}: {chain_sides}, expected {sides}" for key, chain_sides in chains.items() if chain_sides != sides
    )


def _passages(_: Grid, __: str, item: PassageConfig, records: Sequence[Record]) -> Problems:
    """A line for each sentence, by every system; a model that has learnt nothing may leave it empty."""
    measured = [record for record in records if record["kind"] == MEASURED]
    yield from (f"{_description(record)}: {record['status']}" for record in measured if record["status"] != "there")
    declared = {
        (number, system.name, place)
        for number, document in enumerate(item.documents, 1)
        for system in item.systems
        for place in range(1, len(document.source) + 1)
    }
    yield from _differing(declared, _keyed(measured, "document", "label", "sentence"))


def _some(_: Grid, __: str, ___: Item, records: Sequence[Record]) -> Problems:
    """Of a kind of which nothing else is known."""
    yield from () if records else ("no records",)


CHECKS: dict[str, Callable[..., Problems]] = {
    "systems": _table,
    "gaps": _gaps,
    "counts": _counts,
    "human": _human,
    "points": _points,
    "positions": _positions,
    "curves": _curves,
    "attention": _maps("attention", "alignment"),
    "latent": _maps("similarity"),
    "cases": _cases,
    "passage": _passages,
}
"""By the kind of item: (grid, study, item, records) -> problems; a new kind needs none."""
