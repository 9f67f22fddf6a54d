"""What a table, figure or passage of a study is made from: its systems, and the files under `results/` that it needs.

Nothing else: a single table asks for the trainings of its rows alone. What is left out (`missing: skip`) is not asked
for; the item says so.
"""

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase

from docmt.base import paths
from docmt.base.errors import UserError, check_known
from docmt.base.paths import RESULTS, Folder
from docmt.catalogue.published import COUNTS
from docmt.kinds.item import Item, SystemOnCorpus
from docmt.kinds.study import StudyConfig
from docmt.plan.grid import Grid
from docmt.settings.system import Entry

Files = dict[str, list[str]]
"""Paths from the project's root, by what they are."""

FILES_OF_TRAININGS = {"records", "curves"}
"""What trainings leave."""

FILES_OF_SYSTEMS: dict[str, tuple[Folder, str, bool]] = {
    "scores": (paths.SCORES, "scores.json", True),
    "records": (paths.TRAINING, "record.json", True),
    "curves": (paths.TRAINING, "metrics.jsonl", True),
    "occurrences": (paths.SCORES, "occurrences.arrow", False),
    "translations": (paths.TRANSLATIONS, "test.tok.txt", False),
    "inside": (paths.TRANSLATIONS, "inside.arrow", False),
    "passages": (paths.PASSAGE, "passages.json", False),
}
"""Of what kinds read (`Item.reads`), by the name that pages know it by: what each system of an item has, and whether it
is read of every seed, or of the first alone."""


def study_of(grid: Grid, study: str, where: str | None = None) -> StudyConfig:
    """Raises UserError where there is no such study; `where` it was asked for, if not for its pages."""
    if study not in grid.studies:
        raise UserError(
            "unknown study", where=where or paths.REPORT.at(study=study), found=study, expected=", ".join(grid.studies)
        )
    return grid.studies[study]


def item_of(grid: Grid, study: str, name: str) -> Item:
    """Raises UserError where the study has no table, figure or passage of this name."""
    items = study_of(grid, study).items
    check_known("table, figure or passage", name, items, page_of(study, name))
    return items[name]


def item_entries(grid: Grid, study: str, name: str) -> list[Entry]:
    """The systems that an item shows, each on its corpus, in the order of the item."""
    standing = item_of(grid, study, name).systems_of(grid.studies[study].corpora)
    return [grid.named(study, *one) for one in dict.fromkeys(standing)]


def item_corpora(grid: Grid, study: str, name: str) -> list[str]:
    """The corpora that an item is of, with those whose vocabularies or models its systems take."""
    own = [corpus for corpus, *_ in item_of(grid, study, name).counts_of(grid.studies[study].corpora)]
    needed = [corpus for entry in item_entries(grid, study, name) for corpus in grid.corpora_for(entry)]
    return list(dict.fromkeys([*own, *needed]))


def item_files(grid: Grid, study: str, name: str) -> Files:
    """What the item's job reads."""
    entries = _that_run(grid, item_entries(grid, study, name))
    files: Files = {}
    for what in item_of(grid, study, name).reads():
        if what in FILES_OF_SYSTEMS:
            files[what] = _of_systems(grid, what, entries, study, name)
        else:
            files[what] = FILES_OF_ITEMS[what](grid, study, name)
    return _each_once({what: found for what, found in files.items() if found})


def study_files(grid: Grid, study: str) -> Files:
    """What the page of a whole study reads: all that its items do, every record, every item's page; and every score,
    but of systems that the items show by their trainings alone: nothing of these need be translated."""
    config = study_of(grid, study)
    entries = _that_run(grid, grid.of_study(study))
    read = {name: item_files(grid, study, name) for name in config.items}
    trained_only = _trained_only(grid, study, read)
    files: Files = {
        "pages": [page_of(study, name) for name in config.items],
        "scores": _of_systems(grid, "scores", [one for one in entries if _standing(one) not in trained_only]),
        "records": _of_systems(grid, "records", entries),
        "cards": [card_of(grid, name) for name in config.corpora if name not in grid.not_run],
    }
    for files_of_item in read.values():
        for what, found in files_of_item.items():
            files[what] = files.get(what, []) + found
    return _each_once(files)


def _each_once(files: Files) -> Files:
    return {what: list(dict.fromkeys(found)) for what, found in files.items()}


def _that_run(grid: Grid, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if grid.left_out(entry) is None]


def _trained_only(grid: Grid, study: str, read: dict[str, Files]) -> set[SystemOnCorpus]:
    """What is shown, and by no item that reads more than trainings leave. `read`: the files of each item."""
    shown: dict[bool, set[SystemOnCorpus]] = {True: set(), False: set()}
    for name, files in read.items():
        by_trainings = files.keys() <= FILES_OF_TRAININGS
        shown[by_trainings] |= {_standing(entry) for entry in item_entries(grid, study, name)}
    return shown[True] - shown[False]


def _standing(entry: Entry) -> SystemOnCorpus:
    return entry.corpus, entry.system.name


def page_of(study: str, name: str) -> str:
    return f"{paths.REPORT.at(study=study)}/{name}.html"


def card_of(grid: Grid, corpus: str) -> str:
    """What stage 1 counts."""
    return f"{paths.CORPUS.at(corpus=grid.data_folder(corpus))}/card.json"


def run_folder(grid: Grid, stage: Folder, entry: Entry, seed: int, **names: str) -> str:
    """Of stages 5 to 7, with further `names` that the folder has; training stands with the system whose model an entry
    uses."""
    system = entry.trained if stage is paths.TRAINING else entry.folder
    return stage.at(scale=grid.scale, corpus=entry.corpus, system=system, seed=seed, **names)


def compared_systems(grid: Grid, study: str, item: Item) -> Iterator[tuple[Entry, Entry, list[int]]]:
    """Every system of a table with its baseline, and the seeds that both have; those without any in common are left
    out, and so is what is not run."""
    for corpus, system, baseline in item.pairs(grid.studies[study].corpora):
        pair = [grid.named(study, corpus, name) for name in (system, baseline)]
        seeds = [seed for seed in pair[0].seeds if seed in pair[1].seeds]
        if seeds and all(grid.left_out(entry) is None for entry in pair):
            yield *pair, seeds


def later_card(grid: Grid, study: str, corpus: str, count: str, split: str) -> str | None:
    """The card of a later stage that has a count, under `results/`, by the first system that has such a view; none
    where stage 1 has the count, or no stage has it."""
    if count not in COUNTS:
        return None
    made = COUNTS[count]
    pattern = made.view_of(split)
    for entry in grid.of_study(study):
        view = pattern if pattern == paths.WORDS else entry.system.view.name
        if entry.corpus == corpus and fnmatchcase(view, pattern):
            return made.card(grid.data_folder(corpus), entry.system.text, view)
    return None


def _of_systems(grid: Grid, what: str, entries: Iterable[Entry], study: str = "", name: str = "") -> list[str]:
    """See `FILES_OF_SYSTEMS`; `name`: of the study's passage, where it is one."""
    stage, file, of_all = FILES_OF_SYSTEMS[what]
    runs = [(entry, seed) for entry in entries for seed in (entry.seeds if of_all else entry.seeds[:1])]
    return [f"{run_folder(grid, stage, *run, study=study, passage=name)}/{file}" for run in runs]


def _comparisons(grid: Grid, study: str, name: str) -> list[str]:
    there = any(compared_systems(grid, study, item_of(grid, study, name)))
    return [f"{paths.COMPARISON.at(study=study, table=name)}/comparisons.json"] if there else []


def _cards(grid: Grid, study: str, name: str) -> list[str]:
    counts = item_of(grid, study, name).counts_of(grid.studies[study].corpora)
    wanted = [one for one in counts if one[0] not in grid.not_run]
    later = [card for one in wanted if (card := later_card(grid, study, *one)) is not None]
    return [*(card_of(grid, corpus) for corpus, *_ in wanted), *(f"{RESULTS}/{card}" for card in later)]


def _tokens(grid: Grid, study: str, name: str) -> list[str]:
    entries = _that_run(grid, item_entries(grid, study, name))
    pairs = [(grid.data_folder(entry.corpus), entry.system.text) for entry in entries]
    return [f"{paths.TOKENS.at(corpus=corpus, text=text)}/tokens.arrow" for corpus, text in pairs]


def _human(grid: Grid, study: str, name: str) -> list[str]:
    return [grid.human[study]] if study in grid.human else []


FILES_OF_ITEMS: dict[str, Callable[[Grid, str, str], list[str]]] = {
    "comparisons": _comparisons,
    "cards": _cards,
    "tokens": _tokens,
    "human": _human,
}
"""Of what else kinds read: the files of a study's item, by its name."""
