"""What a run can fetch from the store: the entries of jobs that are not finished here, read while it is planned."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.plan import Job, Plan
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.exchange import REFUSED, store_of
from docmt.store.store import UNSIGNED, Store

AT_ONCE = 16
"""The number of entries that are read at the same time: an object store takes a tenth of a second for each."""
PAGES = ("page", "front", "sheet")
"""The steps whose outputs people open in a browser, which runs the scripts of a page: only signed ones are fetched."""


@dataclass
class Stored:
    """The entries of a store for jobs of a plan, and lines about what cannot be used."""

    entries: dict[Job, StoreEntry] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def stored_for(plan: Plan, jobs: Iterable[Job]) -> Stored:
    """Return the entries of jobs that a run can fetch; none where config.yaml names no store to pull from.

    A store that cannot be used is told, and the run goes on without it. Raises UserError for an address that is none.
    """
    grid = plan.grid
    if not grid.pulls:
        return Stored()
    store = store_of(str(grid.store), grid.store_keys)
    try:
        if not store.check():
            return Stored()  # nobody has given anything yet
        return _entries(store, plan, list(jobs))
    except StoreUnusable as problem:
        return Stored(lines=[f"the store is not used: {problem}", "the run goes on without the store"])


def _entries(store: Store, plan: Plan, jobs: list[Job]) -> Stored:
    """Read the entries of jobs; those that cannot be used are told, each reason once."""
    is_signed, problems = store.trusted is not None, dict[str, UserError]()

    def read(job: Job) -> StoreEntry | None:
        recipe = plan.recipe(job)
        if (job.step in PAGES and not is_signed) or (plan.root / recipe.folder / REFUSED).exists():
            return None
        try:
            return store.entry(recipe.identity)
        except EntryRefused as problem:
            problems.setdefault(problem.what, problem)
            return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(jobs, pool.map(read, jobs), strict=True))
    entries = {job: entry for job, entry in found.items() if entry is not None}
    lines = [f"not used from the store: {problem}" for problem in problems.values()]
    return Stored(entries, [*lines, *([UNSIGNED] if entries and not is_signed else [])])


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
