"""The inputs of an item of a study (a table, figure or passage): its systems, and the jobs whose outputs it reads.

An item needs only the trainings of its own systems. Systems that are left out (`missing: skip`) are not among the
inputs; the page of the item gives the reason.
"""

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.catalogue.published import COUNTS, WORDS
from docmt.grid.external import TRANSLATING
from docmt.grid.grid import Grid
from docmt.reporting.item import Item, SystemOnCorpus
from docmt.reporting.study import StudyConfig
from docmt.settings.system import Entry

DEMO = "demo"  # The study whose page is in `results/` too.
Job = tuple[str, dict[str, Any]]  # A job: the name of its step, and the names in its place.
# The jobs whose outputs are read, by the name of the input, such as "scores"; a file of the user's has no jobs.
Jobs = dict[str, list[Job]]

# The names of the inputs that a training writes; an item with no other inputs needs no translations.
OF_TRAININGS = {"records", "curves"}

OF_MODELS = {"records", "curves", "inside", "passages"}  # The names of the inputs that only systems with a model have.

STEPS_OF_SYSTEMS = {
    "scores": ("scores", True),
    "records": ("train", True),
    "curves": ("train", True),
    "occurrences": ("scores", False),
    "translations": ("translate", False),
    "inside": ("inspect", False),
    "passages": ("passage", False),
}
"""The inputs (`Item.reads`) that are outputs for single systems, by name: the step, and if all seeds count.

Where the last value is false, only the output for the first seed is read.
"""


# The steps whose cards have counts of tables, by their stages.
STEPS_OF_COUNTS = {paths.TOKENS.stage: "tokens", paths.VIEW.stage: "views", paths.CHAINS.stage: "chain_segments"}


def study_of(grid: Grid, study: str, where: str | None = None) -> StudyConfig:
    """Return a study. Raises UserError where there is no such study, at `where` or else at the folder of its pages."""
    if study not in grid.studies:
        where = where or paths.PAGE.at(scale=grid.scale, study=study, item=paths.INDEX)
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


def item_corpora(grid: Grid, study: str, name: str) -> list[str]:
    """Return the corpora that an item needs: those of its counts and systems, and those whose models these use."""
    counted = [corpus for corpus, *_ in item_of(grid, study, name).counts_of(grid.studies[study].corpora)]
    needed = [corpus for entry in item_entries(grid, study, name) for corpus in grid.corpora_for(entry)]
    return list(dict.fromkeys([*counted, *needed]))


def item_jobs(grid: Grid, study: str, name: str) -> Jobs:
    """Return the jobs whose outputs the page of an item reads, by the name of the input."""
    entries = _runnable(grid, item_entries(grid, study, name))
    jobs: Jobs = {}
    for what in item_of(grid, study, name).reads():
        if what in STEPS_OF_SYSTEMS:
            read = _of_systems(grid, what, entries, study, name)
        else:
            read = JOBS_OF_ITEMS[what](grid, study, name)
        if read or (what == "human" and study in grid.human):
            jobs[what] = read
    return jobs


def study_jobs(grid: Grid, study: str) -> Jobs:
    """Return the jobs whose outputs a study's page reads, by the name of the input."""
    config = study_of(grid, study)
    entries = _runnable(grid, grid.of_study(study))
    read = {name: item_jobs(grid, study, name) for name in config.items}
    # Systems that occur only in items without translations are not translated for the page alone.
    trained_only = _trained_only(grid, study, read)
    scored = [entry for entry in entries if _system_on_corpus(entry) not in trained_only]
    # The text of a corpus whose files are missing may not be had, even where scores of it were pulled.
    with_text = [entry for entry in scored if entry.corpus not in grid.not_run]
    jobs: Jobs = {
        "scores": _of_systems(grid, "scores", scored),
        "translations": _of_systems(grid, "translations", with_text),
        "tokens": _tokens_of(grid, with_text),
        "records": _of_systems(grid, "records", entries),
        "cards": [card_of(grid, name) for name in config.corpora if name not in grid.not_run],
    }
    for jobs_of_item in read.values():
        for what, more in jobs_of_item.items():
            jobs[what] = jobs.get(what, []) + more
    return jobs


def study_pages(grid: Grid, study: str) -> list[Job]:
    """Return the jobs of the pages and the sheets of a study; the first is the page that people open."""
    names = {"scale": grid.scale, "study": study}
    pages = [("page", {**names, "item": item}) for item in (paths.INDEX, *study_of(grid, study).items)]
    front = [("front", {"scale": grid.scale})] if study == DEMO else []
    return [*front, *pages, *(("sheet", {**names, "item": item}) for item in _sheets(grid, study))]


def _runnable(grid: Grid, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if grid.left_out(entry) is None]


def _trained_only(grid: Grid, study: str, read: dict[str, Jobs]) -> set[SystemOnCorpus]:
    """Return the systems that occur only in items whose inputs are all written by trainings."""
    systems: dict[bool, set[SystemOnCorpus]] = {True: set(), False: set()}
    for name, jobs in read.items():
        by_trainings = jobs.keys() <= OF_TRAININGS
        systems[by_trainings] |= {_system_on_corpus(entry) for entry in item_entries(grid, study, name)}
    return systems[True] - systems[False]


def _system_on_corpus(entry: Entry) -> SystemOnCorpus:
    return entry.corpus, entry.system.name


def page_of(grid: Grid, study: str, name: str) -> str:
    """Return the path at which people open the page of an item; the name `index` gives the page of the whole study."""
    return paths.page_link(grid.scale, study, name)


def sheet_of(grid: Grid, study: str, name: str) -> str:
    """Return the path at which people open the sheet for annotators of a table."""
    return paths.sheet_link(grid.scale, study, name)


def judged_systems(grid: Grid, study: str, name: str) -> tuple[Item, list[Entry]]:
    """Return a table of judgements that has a sheet, and the entries of its baseline and its system.

    Raises UserError where the item has no sheet.
    """
    item = item_of(grid, study, name)
    if not item.has_sheet:
        expected = "a table of kind human with corpus, system and baseline"
        raise UserError(
            "this item has no sheet for annotators", where=sheet_of(grid, study, name), found=name, expected=expected
        )
    return item, [grid.named(study, item.corpus, system) for system in (item.baseline, item.system)]


def sheet_jobs(grid: Grid, study: str, name: str) -> list[Job]:
    """Return what the sheet of a table reads: the test set, and its translations by both systems."""
    item, entries = judged_systems(grid, study, name)
    return [card_of(grid, item.corpus), *(run_job(grid, "translate", entry, entry.seeds[0]) for entry in entries)]


def _sheets(grid: Grid, study: str) -> list[str]:
    """Return the tables of a study that have sheets, without those of systems that are left out."""
    tables = [name for name, item in study_of(grid, study).items.items() if item.has_sheet]
    entries = {name: judged_systems(grid, study, name)[1] for name in tables}
    return [name for name in tables if all(grid.left_out(e) is None for e in entries[name])]


def card_of(grid: Grid, corpus: str) -> Job:
    """Return the job that reads a corpus, and counts it in its card."""
    return "corpus", {"corpus": grid.data_folder(corpus)}


def run_job(grid: Grid, step: str, entry: Entry, seed: int, **names: str) -> Job:
    """Return the job of a system and a seed in one of the stages 5 to 7; `names`: further names in its place."""
    # Several systems may use the model of one training.
    system = {"train": entry.trained, "scores": entry.scored}.get(step, entry.folder)
    # The translations of an external system have steps of their own.
    step = TRANSLATING[entry.system.origin] if step == "translate" else step
    return step, {"corpus": entry.corpus, "system": system, "seed": seed, **names}


def compared_systems(grid: Grid, study: str, item: Item) -> Iterator[tuple[Entry, Entry, tuple[list[int], list[int]]]]:
    """Yield each system of an item that has a baseline, the baseline, and `compared_seeds`, where both are run."""
    for corpus, system, baseline in item.pairs(grid.studies[study].corpora):
        pair = [grid.named(study, corpus, name) for name in (system, baseline)]
        seeds = compared_seeds(*pair)
        if seeds[0] and all(grid.left_out(entry) is None for entry in pair):
            yield *pair, seeds


def compared_seeds(system: Entry, baseline: Entry) -> tuple[list[int], list[int]]:
    """Return the seeds of the compared runs: those of the system, and in the same order those of its baseline."""
    # The only run of a system without a model has no seed of its own: it is compared with every run of the other
    # system, so that the test is of the difference from the mean of these runs.
    if not system.has_model and len(system.seeds) == 1:
        return list(system.seeds * len(baseline.seeds)), list(baseline.seeds)
    if not baseline.has_model and len(baseline.seeds) == 1:
        return list(system.seeds), list(baseline.seeds * len(system.seeds))
    shared = [seed for seed in system.seeds if seed in baseline.seeds]
    return shared, shared


def later_card(grid: Grid, study: str, corpus: str, count: str, split: str) -> tuple[str, Job] | None:
    """Return the place, below `results/`, and the job of a later stage with a count of a split; None without one."""
    if count not in COUNTS:
        return None
    source = COUNTS[count]
    pattern = source.view_of(split)
    # The first system of the study with a view that gives the count has it.
    for entry in grid.of_study(study):
        if entry.corpus != corpus or not (entry.has_model or pattern == WORDS):
            continue
        names = {"corpus": grid.data_folder(corpus), "text": entry.system.text}
        if pattern == WORDS:
            return paths.CHAIN_WORDS.part(**names), ("chain_words", names)
        view = entry.system.view.name
        if fnmatchcase(view, pattern):
            names |= {} if source.folder is paths.TOKENS else {"view": view}
            return source.folder.part(**names), (STEPS_OF_COUNTS[source.folder.stage], names)
    return None


def _of_systems(grid: Grid, what: str, entries: Iterable[Entry], study: str = "", name: str = "") -> list[Job]:
    """Return the jobs of the input `what` of the entries; only passages need `study` and `name`."""
    step, all_seeds = STEPS_OF_SYSTEMS[what]
    entries = [entry for entry in entries if entry.has_model or what not in OF_MODELS]
    runs = [(entry, seed) for entry in entries for seed in (entry.seeds if all_seeds else entry.seeds[:1])]
    names = {"study": study, "passage": name} if step == "passage" else {}
    return [run_job(grid, step, *run, **names) for run in runs]


def _comparisons(grid: Grid, study: str, name: str) -> list[Job]:
    """Return the job of the p-values of a table; the list is empty where the table compares no systems."""
    is_compared = any(compared_systems(grid, study, item_of(grid, study, name)))
    return [("compare", {"study": study, "table": name})] if is_compared else []


def _cards(grid: Grid, study: str, name: str) -> list[Job]:
    """Return the jobs that count what a table shows: those of stage 1, then those of later stages."""
    counts = item_of(grid, study, name).counts_of(grid.studies[study].corpora)
    wanted = [count for count in counts if count[0] not in grid.not_run]
    later = [card for count in wanted if (card := later_card(grid, study, *count)) is not None]
    return [*(card_of(grid, corpus) for corpus, *_ in wanted), *(job for _, job in later)]


def _tokens(grid: Grid, study: str, name: str) -> list[Job]:
    return _tokens_of(grid, _runnable(grid, item_entries(grid, study, name)))


def _tokens_of(grid: Grid, entries: Iterable[Entry]) -> list[Job]:
    return [("tokens", {"corpus": grid.data_folder(entry.corpus), "text": entry.system.text}) for entry in entries]


# The functions that return the jobs of all other inputs, from the grid, the study and the name of the item.
JOBS_OF_ITEMS: dict[str, Callable[[Grid, str, str], list[Job]]] = {
    "comparisons": _comparisons,
    "cards": _cards,
    "tokens": _tokens,
    "human": lambda grid, study, name: [],  # a file of the user's
}
