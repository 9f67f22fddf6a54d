"""What a store has for the jobs of a plan that are not finished here: for a run, and for `docmt store pull`."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.plan import Job, Plan
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.store import REFUSED, UNSIGNED, Store, open_store

# The number of entries that are read at the same time: an object store takes a tenth of a second for each.
AT_ONCE = 16
# The steps whose outputs people open in a browser, which runs the scripts of a page: only signed ones are fetched.
PAGES = ("page", "front", "sheet")
# The steps whose outputs other jobs read and no person does.
DATA = (
    *("checkpoint", "fixture", "corpus", "tokens", "views"),
    *("chain_words", "chain_segments", "aligner", "word_vectors"),
)


@dataclass
class Stored:
    """The entries of a store for jobs of a plan, and lines about what cannot be used."""

    entries: dict[Job, StoreEntry] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def stored_for(plan: Plan, jobs: Iterable[Job]) -> Stored:
    """Return the entries that a run can fetch; none without a store. Raises UserError for an address that is none."""
    grid = plan.grid
    if not grid.pulls:
        return Stored()
    store = open_store(str(grid.store), grid.store_keys)
    try:
        if not store.check():
            return Stored()  # nobody has given anything yet
        return entries_in(store, plan, list(jobs))
    except StoreUnusable as problem:
        return Stored(lines=[f"the store is not used: {problem}", "the run goes on without the store"])


def entries_in(store: Store, plan: Plan, jobs: list[Job], has_notes: bool = True) -> Stored:
    """Return the entries of jobs in a store; those that cannot be used are told, each reason once.

    `has_notes`: whether an entry is left out that an earlier job has refused.
    """
    is_signed, problems = store.trusted is not None, dict[str, UserError]()

    def read(job: Job) -> StoreEntry | None:
        recipe = plan.recipe(job)
        is_noted = has_notes and (plan.root / recipe.folder / REFUSED).exists()
        if is_noted or (job.step in PAGES and not is_signed):
            return None
        try:
            return store.entry(recipe.identity)
        except EntryRefused as problem:
            problems.setdefault(problem.what, problem)
            return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        read_entries = dict(zip(jobs, pool.map(read, jobs), strict=True))
    entries = {job: entry for job, entry in read_entries.items() if entry is not None}
    lines = [f"not used from the store: {problem}" for problem in problems.values()]
    return Stored(entries, [*lines, *([UNSIGNED] if entries and not is_signed else [])])


def to_pull(plan: Plan, store: Store, targets: list[Job]) -> Stored:
    """Return the entries of a store for all that targets are made from and that is not finished here."""
    lacking = [job for job in plan.closure(targets) if not plan.is_finished(job)]
    stored = entries_in(store, plan, lacking, has_notes=False)
    plan.fetched = {*stored.entries}
    # Data, such as tokens and views, are left out unless a job reads them that is left to run.
    wanted = plan.to_run([*targets, *(job for job in stored.entries if job.step not in DATA)])
    return Stored({job: stored.entries[job] for job in wanted if job in stored.entries}, stored.lines)


def named_store(grid: Grid) -> Store:
    """Return the store of config.yaml, whatever `store_mode` says. Raises UserError where none is named."""
    if grid.store is None:
        remedy = "name it in config.yaml, or with --config store=FOLDER"
        raise UserError("no store is named", where="config.yaml", expected="store", remedy=remedy)
    return open_store(grid.store, grid.store_keys)


def with_trainings(plan: Plan) -> Plan:
    """Return a plan which knows the trainings of all studies that are in the store, and not here, for estimates."""
    waiting = []
    for entry in plan.grid.entries if plan.grid.pulls else ():
        for seed in entry.seeds if entry.has_model else ():
            job = Job.of("train", corpus=entry.corpus, system=entry.trained, seed=seed)
            with suppress(UserError):  # a missing checkpoint decides its identity
                waiting += [] if plan.is_finished(job) else [job]
    plan.fetched = {*stored_for(plan, waiting).entries}
    return plan


def hint_of(grid: Grid) -> dict[str, str | None]:
    """Return what a job must know of the store."""
    return {"store": grid.store, "keys": grid.store_keys}
