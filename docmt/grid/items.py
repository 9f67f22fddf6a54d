"""The inputs of an item of a study (a table, figure or passage): its systems, and the files that its page reads.

An item needs only the trainings of its own systems. Systems that are left out (`missing: skip`) are not among the
inputs; the page of the item gives the reason.
"""

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.base.paths import RESULTS, Folder
from docmt.catalogue.published import COUNTS
from docmt.grid.grid import Grid
from docmt.kinds.item import Item, SystemOnCorpus
from docmt.kinds.study import StudyConfig
from docmt.settings.metrics import parse_metric
from docmt.settings.system import Entry

Files = dict[str, list[str]]
"""Lists of paths relative to the root of the project, by the name of the input, such as "scores"."""

FILES_OF_TRAININGS = {"records", "curves"}
"""The names of the inputs that a training writes; an item with no other inputs needs no translations."""

OF_MODELS = {"records", "curves", "inside", "passages"}
"""The names of the inputs that only systems with a model have."""

FILES_OF_SYSTEMS: dict[str, tuple[Folder, str, bool]] = {
    "scores": (paths.SCORES, "scores.json", True),
    "records": (paths.TRAINING, "record.json", True),
    "curves": (paths.TRAINING, "metrics.jsonl", True),
    "occurrences": (paths.SCORES, "occurrences.arrow", False),
    "translations": (paths.TRANSLATIONS, "test.tok.txt", False),
    "inside": (paths.TRANSLATIONS, "inside.arrow", False),
    "passages": (paths.PASSAGE, "passages.json", False),
}
"""The inputs (`Item.reads`) that are files of single systems, by name: the stage, the file, and if all seeds count.

Where the last value is false, only the file of the first seed is read.
"""


def study_of(grid: Grid, study: str, where: str | None = None) -> StudyConfig:
    """Return a study. Raises UserError where there is no such study, at `where` or else at the folder of its pages."""
    if study not in grid.studies:
        where = where or paths.REPORT.at(scale=grid.scale, study=study)
        raise UserError("unknown study", where=where, found=study, expected=", ".join(grid.studies))
    return grid.studies[study]


def item_of(grid: Grid, study: str, name: str) -> Item:
    """Return an item of a study. Raises UserError where the study has no table, figure or passage of this name."""
    items = study_of(grid, study).items
    check_known("table, figure or passage", name, items, page_of(grid, study, name))
    return items[name]


def item_entries(grid: Grid, study: str, name: str) -> list[Entry]:
    """Return the entries of an item, in its order; an entry is a system on a corpus."""
    systems = item_of(grid, study, name).systems_of(grid.studies[study].corpora)
    return [grid.named(study, *system) for system in dict.fromkeys(systems)]


def requested_metrics(grid: Grid, entry: Entry) -> list[str]:
    """Return the metrics on request (`Metric.on_request`) that items of any study show of an entry, sorted."""
    requested = set()
    for study, config in grid.studies.items():
        for name, item in config.items.items():
            names = {metric for metric in item.measures if parse_metric(metric).metric.on_request}
            showing = item_entries(grid, study, name) if names else []
            if any((other.corpus, other.scored) == (entry.corpus, entry.scored) for other in showing):
                requested |= names
    return sorted(requested)


def item_corpora(grid: Grid, study: str, name: str) -> list[str]:
    """Return the corpora that an item needs: those of its counts and systems, and those whose models these use."""
    counted = [corpus for corpus, *_ in item_of(grid, study, name).counts_of(grid.studies[study].corpora)]
    needed = [corpus for entry in item_entries(grid, study, name) for corpus in grid.corpora_for(entry)]
    return list(dict.fromkeys([*counted, *needed]))


def item_files(grid: Grid, study: str, name: str) -> Files:
    """Return the input files of the item's job, by the name of the input."""
    entries = _runnable(grid, item_entries(grid, study, name))
    files: Files = {}
    for what in item_of(grid, study, name).reads():
        if what in FILES_OF_SYSTEMS:
            files[what] = _of_systems(grid, what, entries, study, name)
        else:
            files[what] = FILES_OF_ITEMS[what](grid, study, name)
    return _each_once({what: inputs for what, inputs in files.items() if inputs})


def study_files(grid: Grid, study: str) -> Files:
    """Return the input files of a study's page, by the name of the input.

    They are the inputs of all items, the pages of the items, the records of all trainings, the scores and the
    translations of systems with their tokens, and the sheets for annotators, which the page does not read.
    The scores of systems that occur only in items without translations are left out, so that nothing is translated for
    the page alone.
    """
    config = study_of(grid, study)
    entries = _runnable(grid, grid.of_study(study))
    read = {name: item_files(grid, study, name) for name in config.items}
    trained_only = _trained_only(grid, study, read)
    scored = [entry for entry in entries if _system_on_corpus(entry) not in trained_only]
    # The text of a corpus whose files are missing may not be had, even where scores of it were pulled.
    with_text = [entry for entry in scored if entry.corpus not in grid.not_run]
    files: Files = {
        "pages": [page_of(grid, study, name) for name in config.items],
        "scores": _of_systems(grid, "scores", scored),
        "translations": _of_systems(grid, "translations", with_text),
        "tokens": _tokens_of(grid, with_text),
        "records": _of_systems(grid, "records", entries),
        "cards": [card_of(grid, name) for name in config.corpora if name not in grid.not_run],
        "sheets": _sheets(grid, study),
    }
    for files_of_item in read.values():
        for what, more in files_of_item.items():
            files[what] = files.get(what, []) + more
    return _each_once(files)


def _each_once(files: Files) -> Files:
    """Return the files with duplicates removed and the order unchanged."""
    return {what: list(dict.fromkeys(inputs)) for what, inputs in files.items()}


def _runnable(grid: Grid, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries whose corpora and checkpoints are available."""
    return [entry for entry in entries if grid.left_out(entry) is None]


def _trained_only(grid: Grid, study: str, read: dict[str, Files]) -> set[SystemOnCorpus]:
    """Return the systems that occur only in items whose inputs are all written by trainings.

    `read` has the input files of each item.
    """
    systems: dict[bool, set[SystemOnCorpus]] = {True: set(), False: set()}
    for name, files in read.items():
        by_trainings = files.keys() <= FILES_OF_TRAININGS
        systems[by_trainings] |= {_system_on_corpus(entry) for entry in item_entries(grid, study, name)}
    return systems[True] - systems[False]


def _system_on_corpus(entry: Entry) -> SystemOnCorpus:
    """Return the corpus of an entry and the name of its system."""
    return entry.corpus, entry.system.name


def page_of(grid: Grid, study: str, name: str) -> str:
    """Return the path of the page of an item; the name `index` gives the page of the whole study."""
    return f"{paths.REPORT.at(scale=grid.scale, study=study)}/{name}.html"


def sheet_of(grid: Grid, study: str, name: str) -> str:
    """Return the path of the sheet for annotators of a table."""
    return f"{paths.SHEET.at(scale=grid.scale, study=study, item=name)}.csv"


def judged_systems(grid: Grid, study: str, name: str) -> tuple[Item, list[Entry]]:
    """Return a table of judgements that has a sheet, and the entries of its baseline and its system.

    Raises UserError where the item has no sheet.
    """
    item = item_of(grid, study, name)
    if not item.has_sheet:
        expected = "a table of kind human with corpus, system and baseline"
        raise UserError("no sheet of this item", where=sheet_of(grid, study, name), found=name, expected=expected)
    return item, [grid.named(study, item.corpus, system) for system in (item.baseline, item.system)]


def sheet_files(grid: Grid, study: str, name: str) -> list[str]:
    """Return the inputs of the sheet of a table: the test set, and its translations by both systems."""
    item, entries = judged_systems(grid, study, name)
    folders = [run_folder(grid, paths.TRANSLATIONS, entry, entry.seeds[0]) for entry in entries]
    documents = f"{paths.CORPUS.at(corpus=grid.data_folder(item.corpus))}/documents.parquet"
    return [documents, *(f"{folder}/test.txt" for folder in folders)]


def _sheets(grid: Grid, study: str) -> list[str]:
    """Return the sheets of a study, without those of systems that are left out."""
    tables = [name for name, item in study_of(grid, study).items.items() if item.has_sheet]
    entries = {name: judged_systems(grid, study, name)[1] for name in tables}
    return [sheet_of(grid, study, name) for name in tables if all(grid.left_out(e) is None for e in entries[name])]


def card_of(grid: Grid, corpus: str) -> str:
    """Return the path of the card that stage 1 writes for a corpus, with its counts."""
    return f"{paths.CORPUS.at(corpus=grid.data_folder(corpus))}/card.json"


def run_folder(grid: Grid, stage: Folder, entry: Entry, seed: int, **names: str) -> str:
    """Return the folder of a run in one of the stages 5 to 7; `names`: further parts of the folder's path.

    Several systems may use the model of one training; the folder of stage 5 is then that of the trained system.
    """
    system = {paths.TRAINING: entry.trained, paths.SCORES: entry.scored}.get(stage, entry.folder)
    return stage.at(scale=grid.scale, corpus=entry.corpus, system=system, seed=seed, **names)


def compared_systems(grid: Grid, study: str, item: Item) -> Iterator[tuple[Entry, Entry, tuple[list[int], list[int]]]]:
    """Yield the entry of each system of an item that has a baseline, the entry of the baseline, and `compared_seeds`.

    Pairs without such seeds are left out, and so are pairs with an entry that is not run.
    """
    for corpus, system, baseline in item.pairs(grid.studies[study].corpora):
        pair = [grid.named(study, corpus, name) for name in (system, baseline)]
        seeds = compared_seeds(*pair)
        if seeds[0] and all(grid.left_out(entry) is None for entry in pair):
            yield *pair, seeds


def compared_seeds(system: Entry, baseline: Entry) -> tuple[list[int], list[int]]:
    """Return the seeds of the compared runs: those of the system, and in the same order those of its baseline.

    Two runs with the same seed are compared. The only run of a system without a model has no seed of its own: it is
    compared with every run of the other system, so that the test is of the difference from the mean of these runs.
    """
    if not system.has_model and len(system.seeds) == 1:
        return list(system.seeds * len(baseline.seeds)), list(baseline.seeds)
    if not baseline.has_model and len(baseline.seeds) == 1:
        return list(system.seeds), list(baseline.seeds * len(system.seeds))
    shared = [seed for seed in system.seeds if seed in baseline.seeds]
    return shared, shared


def later_card(grid: Grid, study: str, corpus: str, count: str, split: str) -> str | None:
    """Return the path, below `results/`, of the card of a later stage than stage 1 that has a count of a split.

    It is the card of the study's first system with a view that gives the count. The result is None where stage 1 gives
    the count, or no stage does.
    """
    if count not in COUNTS:
        return None
    later_count = COUNTS[count]
    pattern = later_count.view_of(split)
    counted = [entry for entry in grid.of_study(study) if entry.corpus == corpus]
    for entry in counted if pattern == paths.WORDS else [entry for entry in counted if entry.has_model]:
        view = pattern if pattern == paths.WORDS else entry.system.view.name
        if fnmatchcase(view, pattern):
            return later_count.card(grid.data_folder(corpus), entry.system.text, view)
    return None


def _of_systems(grid: Grid, what: str, entries: Iterable[Entry], study: str = "", name: str = "") -> list[str]:
    """Return the files of the input `what` (FILES_OF_SYSTEMS) of the entries; only passages need `study` and `name`."""
    stage, file, all_seeds = FILES_OF_SYSTEMS[what]
    entries = [entry for entry in entries if entry.has_model or what not in OF_MODELS]
    runs = [(entry, seed) for entry in entries for seed in (entry.seeds if all_seeds else entry.seeds[:1])]
    return [f"{run_folder(grid, stage, *run, study=study, passage=name)}/{file}" for run in runs]


def _comparisons(grid: Grid, study: str, name: str) -> list[str]:
    """Return the file with the p-values of a table; the list is empty where the table compares no systems."""
    is_compared = any(compared_systems(grid, study, item_of(grid, study, name)))
    folder = paths.COMPARISON.at(scale=grid.scale, study=study, table=name)
    return [f"{folder}/comparisons.json"] if is_compared else []


def _cards(grid: Grid, study: str, name: str) -> list[str]:
    """Return the cards with the counts of a table: the cards of stage 1, then the cards of later stages."""
    counts = item_of(grid, study, name).counts_of(grid.studies[study].corpora)
    wanted = [count for count in counts if count[0] not in grid.not_run]
    later = [card for count in wanted if (card := later_card(grid, study, *count)) is not None]
    return [*(card_of(grid, corpus) for corpus, *_ in wanted), *(f"{RESULTS}/{card}" for card in later)]


def _tokens(grid: Grid, study: str, name: str) -> list[str]:
    """Return the files of the tokens of the item's corpora, for the presets of text of its systems."""
    return _tokens_of(grid, _runnable(grid, item_entries(grid, study, name)))


def _tokens_of(grid: Grid, entries: Iterable[Entry]) -> list[str]:
    """Return the files of the tokens of entries' corpora, for their presets of text."""
    pairs = [(grid.data_folder(entry.corpus), entry.system.text) for entry in entries]
    return [f"{paths.TOKENS.at(corpus=corpus, text=text)}/tokens.arrow" for corpus, text in pairs]


def _human(grid: Grid, study: str, name: str) -> list[str]:
    """Return the file of human judgements that config.yaml names for the study, if it names one."""
    return [grid.human[study]] if study in grid.human else []


FILES_OF_ITEMS: dict[str, Callable[[Grid, str, str], list[str]]] = {
    "comparisons": _comparisons,
    "cards": _cards,
    "tokens": _tokens,
    "human": _human,
}
"""The functions that return the files of all other inputs, from the grid, the study and the name of the item."""
