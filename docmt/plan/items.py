"""What a table, figure or passage of a study is made from: its systems, and the files under `results/` that it needs.

Nothing else: a single table asks for the trainings of its rows alone. What is left out (`missing: skip`) is not asked
for; the item says so.
"""

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from docmt.base.errors import UserError, check_known
from docmt.catalogue.later_counts import COUNTS, view_pattern
from docmt.kinds.figures import (
    AttentionFigure,
    CasesFigure,
    CurvesFigure,
    LatentFigure,
    PassageConfig,
    PointsFigure,
    PositionsFigure,
)
from docmt.kinds.study import Item, StudyConfig
from docmt.kinds.tables import CountsTable, GapsTable, HumanTable, SystemsTable
from docmt.plan.grid import Grid
from docmt.settings.metrics import parse_metric
from docmt.settings.system import Entry

Files = dict[str, list[str]]
"""Paths from the project's root, by what they are."""

Standing = tuple[str, str]
"""A corpus and a system on it."""

OF_TRAININGS = {"records", "curves"}
"""What trainings leave."""


def study_of(grid: Grid, study: str, where: str) -> StudyConfig:
    """Raises UserError where there is no such study."""
    if study not in grid.studies:
        raise UserError("unknown study", where=where, found=study, expected=", ".join(grid.studies))
    return grid.studies[study]


def item_of(grid: Grid, study: str, name: str) -> Item:
    """Raises UserError where the study has no table, figure or passage of this name."""
    items = study_of(grid, study, f"results/8_report/{study}").items
    check_known("table, figure or passage", name, items, f"results/8_report/{study}/{name}.html")
    return items[name]


def item_entries(grid: Grid, study: str, name: str) -> list[Entry]:
    """The systems that an item shows, each on its corpus, in the order of the item."""
    config, item = grid.studies[study], item_of(grid, study, name)
    standing = dict.fromkeys(STANDING[type(item)](config, item))
    return [grid.named(study, *one) for one in standing]


def item_corpora(grid: Grid, study: str, name: str) -> list[str]:
    """The corpora that an item is of, with those whose vocabularies or models its systems take."""
    config, item = grid.studies[study], item_of(grid, study, name)
    own = list(item.corpora or config.corpora) if isinstance(item, CountsTable) else []
    needed = [corpus for entry in item_entries(grid, study, name) for corpus in grid.corpora_for(entry)]
    return list(dict.fromkeys([*own, *needed]))


def item_files(grid: Grid, study: str, name: str) -> Files:
    """What the item's job reads."""
    item = item_of(grid, study, name)
    entries = [entry for entry in item_entries(grid, study, name) if grid.left_out(entry) is None]
    files = FILES[type(item)](grid, study, name, item, entries)
    return {what: list(dict.fromkeys(paths)) for what, paths in files.items() if paths}


def study_files(grid: Grid, study: str) -> Files:
    """What the page of a whole study reads: all that its items do, every record, every item's page; and every score,
    but of systems that the items show by their trainings alone: nothing of these need be translated."""
    config = study_of(grid, study, f"results/8_report/{study}")
    entries = [entry for entry in grid.of_study(study) if grid.left_out(entry) is None]
    read = {name: item_files(grid, study, name) for name in config.items}
    trained_only = _trained_only(grid, study, read)
    files: Files = {
        "pages": [page_of(study, name) for name in config.items],
        "scores": [path for entry in entries if _standing(entry) not in trained_only for path in _scores(grid, entry)],
        "records": [path for entry in entries for path in _records(grid, entry)],
        "cards": [_card(grid, name) for name in config.corpora if name not in grid.not_run],
    }
    for files_of_item in read.values():
        for what, paths in files_of_item.items():
            files[what] = files.get(what, []) + paths
    return {what: list(dict.fromkeys(paths)) for what, paths in files.items()}


def _trained_only(grid: Grid, study: str, read: dict[str, Files]) -> set[Standing]:
    """What is shown, and by no item that reads more than trainings leave. `read`: the files of each item."""
    shown: dict[bool, set[Standing]] = {True: set(), False: set()}
    for name, files in read.items():
        by_trainings = files.keys() <= OF_TRAININGS
        shown[by_trainings] |= {_standing(entry) for entry in item_entries(grid, study, name)}
    return shown[True] - shown[False]


def _standing(entry: Entry) -> Standing:
    return entry.corpus, entry.system.name


def page_of(study: str, name: str) -> str:
    return f"results/8_report/{study}/{name}.html"


def _card(grid: Grid, corpus: str) -> str:
    return f"results/1_corpus/{grid.data_folder(corpus)}/card.json"


def run_folder(grid: Grid, stage: str, entry: Entry, seed: int) -> str:
    """Of stages 5 to 7; training stands with the system whose model an entry uses."""
    system = entry.trained if stage == "5_training" else entry.folder
    return f"results/{stage}/{grid.scale}/{entry.corpus}/{system}/seed{seed}"


def compared(grid: Grid, study: str, table: SystemsTable) -> Iterator[tuple[Entry, Entry, list[int]]]:
    """Every system of a table with its baseline, and the seeds that both have; those without any in common are left
    out, and so is what is not run."""
    cells = table.cells(grid.studies[study].corpora)
    for corpus, system, baseline in dict.fromkeys(cell for cell in cells if cell[2] is not None):
        pair = [grid.named(study, corpus, name) for name in (system, baseline)]
        seeds = [seed for seed in pair[0].seeds if seed in pair[1].seeds]
        if seeds and all(grid.left_out(entry) is None for entry in pair):
            yield *pair, seeds


def tallied(table: SystemsTable) -> list[str]:
    """The metrics by which a table's systems can be compared."""
    return sorted(metric for metric in table.metrics if parse_metric(metric).tallied)


def _of_table(study: StudyConfig, table: SystemsTable) -> Iterator[Standing]:
    return ((corpus, system) for corpus, system, _ in table.cells(study.corpora))


def _of_gaps(_: StudyConfig, table: GapsTable) -> Iterator[Standing]:
    pairs = ((row.system, row.baseline) for row in table.rows if not row.group)
    return ((table.corpus, system) for pair in pairs for system in pair)


def _of_points(_: StudyConfig, figure: PointsFigure) -> Iterator[Standing]:
    return ((figure.corpus, series.points[x]) for series in figure.series for x in sorted(series.points))


def _of_positions(_: StudyConfig, figure: PositionsFigure) -> Iterator[Standing]:
    return ((figure.corpus, series.system) for series in figure.series if series.system is not None)


def _of_shown(_: StudyConfig, item: CurvesFigure | PassageConfig) -> Iterator[Standing]:
    return ((item.corpus, shown.system) for shown in item.systems)


def _of_one(_: StudyConfig, figure: AttentionFigure | LatentFigure) -> Iterator[Standing]:
    yield figure.corpus, figure.system


def _of_cases(_: StudyConfig, figure: CasesFigure) -> Iterator[Standing]:
    yield from ((figure.corpus, figure.baseline), (figure.corpus, figure.system))


def _of_none(_: StudyConfig, __: Item) -> Iterator[Standing]:
    yield from ()


STANDING: dict[type, Callable[[StudyConfig, Any], Iterator[Standing]]] = {
    SystemsTable: _of_table,
    GapsTable: _of_gaps,
    CountsTable: _of_none,
    HumanTable: _of_none,
    PointsFigure: _of_points,
    PositionsFigure: _of_positions,
    CurvesFigure: _of_shown,
    AttentionFigure: _of_one,
    LatentFigure: _of_one,
    CasesFigure: _of_cases,
    PassageConfig: _of_shown,
}
"""Which systems an item shows."""


def _scores(grid: Grid, entry: Entry) -> list[str]:
    return [f"{run_folder(grid, '7_scores', entry, seed)}/scores.json" for seed in entry.seeds]


def _records(grid: Grid, entry: Entry, file: str = "record.json") -> list[str]:
    return [f"{run_folder(grid, '5_training', entry, seed)}/{file}" for seed in entry.seeds]


def _measured(grid: Grid, entries: Iterable[Entry], metrics: Iterable[str]) -> Files:
    """Scores only where a metric is one: what a training's record has needs no translation."""
    scored = any(parse_metric(metric).metric.source == "scores" for metric in metrics)
    return {
        "scores": [path for entry in entries if scored for path in _scores(grid, entry)],
        "records": [path for entry in entries for path in _records(grid, entry)],
    }


def _table_files(grid: Grid, study: str, name: str, table: SystemsTable, entries: list[Entry]) -> Files:
    pairs = any(compared(grid, study, table)) and tallied(table)
    comparisons = [f"results/7_comparisons/{study}/{name}/comparisons.json"] if pairs else []
    return {**_measured(grid, entries, table.metrics), "comparisons": comparisons}


def _gaps_files(grid: Grid, _: str, __: str, table: GapsTable, entries: list[Entry]) -> Files:
    return _measured(grid, entries, [table.metric])


def _counts_files(grid: Grid, study: str, _: str, table: CountsTable, __: list[Entry]) -> Files:
    corpora = [corpus for corpus in table.corpora or grid.studies[study].corpora if corpus not in grid.not_run]
    cards = [_card(grid, corpus) for corpus in corpora]
    later = [
        path
        for corpus in corpora
        for count in table.counts
        for split in table.splits
        if (path := later_card(grid, study, corpus, count, split)) is not None
    ]
    return {"cards": [*cards, *(f"results/{path}" for path in later)]}


def later_card(grid: Grid, study: str, corpus: str, count: str, split: str) -> str | None:
    """The card of a later stage that has a count, under `results/`, by the first system that has such a view; none
    where stage 1 has the count, or no stage has it."""
    if count not in COUNTS:
        return None
    pattern = view_pattern(count, split)
    for entry in grid.of_study(study):
        view = pattern if pattern == "words" else entry.system.view.name
        if entry.corpus == corpus and fnmatchcase(view, pattern):
            path = COUNTS[count].of_split(split).format(corpus=grid.data_folder(corpus), text=entry.system.text)
            return path.replace(pattern, view)
    return None


def _human_files(grid: Grid, study: str, *_: Any) -> Files:
    return {"human": [grid.human[study]] if study in grid.human else []}


def _points_files(grid: Grid, _: str, __: str, figure: PointsFigure, entries: list[Entry]) -> Files:
    return _measured(grid, entries, figure.metrics)


def _positions_files(grid: Grid, _: str, __: str, figure: PositionsFigure, entries: list[Entry]) -> Files:
    return _measured(grid, entries, [figure.metric])


def _curves_files(grid: Grid, _: str, __: str, ___: CurvesFigure, entries: list[Entry]) -> Files:
    return {
        "records": [path for entry in entries for path in _records(grid, entry)],
        "curves": [path for entry in entries for path in _records(grid, entry, "metrics.jsonl")],
    }


def _inside_files(grid: Grid, _: str, __: str, ___: Item, entries: list[Entry]) -> Files:
    folders = [run_folder(grid, "6_translations", entry, entry.seeds[0]) for entry in entries]
    return {"inside": [f"{folder}/inside.arrow" for folder in folders]}


def _cases_files(grid: Grid, _: str, __: str, ___: CasesFigure, entries: list[Entry]) -> Files:
    """Of the first seed that all have."""
    files: Files = {"occurrences": [], "translations": [], "tokens": []}
    for entry in entries:
        seed = entry.seeds[0]
        files["occurrences"].append(f"{run_folder(grid, '7_scores', entry, seed)}/occurrences.arrow")
        files["translations"].append(f"{run_folder(grid, '6_translations', entry, seed)}/test.tok.txt")
        folder = f"results/2_tokens/{grid.data_folder(entry.corpus)}/{entry.system.text}"
        files["tokens"].append(f"{folder}/tokens.arrow")
    return files


def _passage_files(grid: Grid, study: str, name: str, _: PassageConfig, entries: list[Entry]) -> Files:
    folders = [run_folder(grid, "6_passages", entry, entry.seeds[0]) for entry in entries]
    return {"passages": [f"{folder}/{study}/{name}/passages.json" for folder in folders]}


FILES: dict[type, Callable[..., Files]] = {
    SystemsTable: _table_files,
    GapsTable: _gaps_files,
    CountsTable: _counts_files,
    HumanTable: _human_files,
    PointsFigure: _points_files,
    PositionsFigure: _positions_files,
    CurvesFigure: _curves_files,
    AttentionFigure: _inside_files,
    LatentFigure: _inside_files,
    CasesFigure: _cases_files,
    PassageConfig: _passage_files,
}
"""Which files an item needs of its systems: (grid, study, name, item, entries that are run) -> files."""
