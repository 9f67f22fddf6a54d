"""The pull of artifacts from a store, before the jobs that would make them.

An artifact is pulled to where outputs are set aside (`aside.py`), under its identity, and moves from there to its
place, so that a run that is killed at any moment leaves no half artifact that a later run would use.
"""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.plan.aside import FILES, PLACE, aside_folder, place_of
from docmt.plan.jobs import Job, check_outputs
from docmt.plan.planning import Plan, Planner
from docmt.plan.stored import hours_of
from docmt.store.backend import EntryRefused, StoreUnusable
from docmt.store.entries import StoreEntry, refused
from docmt.store.store import UNSIGNED, Store

EVERY_S = 60.0
"""Seconds between two lines about the progress of a pull."""
Tell = Callable[[str], None]
"""A function that shows a line to the user."""
Forced = Callable[[Job], bool]
"""A function that says whether the user wants a job to run in any case."""


@dataclass(frozen=True)
class Savings:
    """What a store gives and saves.

    `artifacts`, `bytes`: what comes from it. `jobs`: the number of jobs that need not run; `trainings`: of these, those
    that train; `hours`: the time that these jobs took where they ran, in device-hours for trainings.
    """

    artifacts: int
    bytes: int
    jobs: int
    trainings: int
    hours: float

    def __str__(self) -> str:
        """Return the text of a line, without the address of the store."""
        artifacts = f"{counted(self.artifacts, 'artifact')} ({size(self.bytes)})"
        jobs = f"{counted(self.trainings, 'training')} among {counted(self.jobs, 'job')}"
        return f"{artifacts}; saved: {jobs}, about {self.hours:,.2f} device-hours"


class Pulling:
    """The pulls of a run, and what they save."""

    def __init__(self, planner: Planner, tell: Tell = lambda line: None) -> None:
        """Pull for a planner. `tell` shows lines about progress and about what cannot be used."""
        self.planner, self.stored, self.tell = planner, planner.stored, tell
        self.pulled: dict[Job, StoreEntry] = {}

    def pull(self, plan: Plan) -> None:
        """Pull the artifacts of `plan.pull`; what cannot be used is told, and is no part of the next plan."""
        entries = dict(entries_of(self.planner, plan))
        total, last = sum(entry.bytes for entry in entries.values()), time.monotonic()
        for number, (job, entry) in enumerate(entries.items(), 1):
            try:
                pull_aside(self._store(), self.planner.digests.root, job, entry)
            except EntryRefused as problem:
                self.stored.refuse(entry.identity, problem)
                continue
            except StoreUnusable as problem:
                self.stored.give_up(problem)
                return
            self.stored.forget(entry.identity)
            self.pulled[job] = entry
            if time.monotonic() - last > EVERY_S:
                last = time.monotonic()
                so_far = f"{size(bytes_of(self.pulled))} of {size(total)}"
                self.tell(f"pulled {number} of {len(entries)} artifacts, {so_far}")

    def report(self, without: Plan, plan: Plan, costs: dict[Job, StoreEntry]) -> Iterator[str]:
        """Yield the lines about what was pulled, what it saves, and what could not be used.

        `without`: the plan that a run without the store would have had. `costs`: the entries of its jobs.
        """
        yield from self.stored.lines_of_refused()
        if self.pulled:
            saved = savings(self.pulled, [job for job in without.reasons if job not in plan.reasons], costs)
            yield f"pulled from {self._store().address}: {saved}"
            if not self.stored.is_signed:
                yield UNSIGNED
        if self.stored.problem is not None:
            trainings = [job for job in plan.reasons if job.is_training]
            hours = sum(hours_of(costs[job]) for job in trainings if job in costs)
            price = f", of which the store has {hours:,.2f} device-hours" if hours else ""
            yield f"the store is not used: {self.stored.problem}"
            yield f"the run goes on without the store; it trains {counted(len(trainings), 'system')}{price}"

    def _store(self) -> Store:
        assert self.stored.store is not None
        return self.stored.store


def pull_aside(store: Store, root: Path, job: Job, entry: StoreEntry) -> None:
    """Copy an artifact to where outputs are set aside. Raises EntryRefused and StoreUnusable, as `Store.pull` does.

    An entry with a file that the job cannot write is refused.
    """
    try:
        check_outputs(job, [*entry.files, *entry.texts])
    except UserError as problem:
        raise refused(problem, store.place(entry.identity)) from problem
    folder = aside_folder(root, entry.identity)
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    write_json(folder / PLACE, place_of(job))
    try:
        store.pull(entry, folder / FILES)
    except (EntryRefused, StoreUnusable):
        shutil.rmtree(folder, ignore_errors=True)
        raise


def entries_of(planner: Planner, plan: Plan) -> Iterator[tuple[Job, StoreEntry]]:
    """Yield the jobs of `plan.pull` with their entries."""
    for job in plan.pull:
        entry = planner.stored.entry(planner.identities.identity(job))
        if entry is not None:
            yield job, entry


def costs_of(planner: Planner, jobs: Iterable[Job]) -> dict[Job, StoreEntry]:
    """Return the entries of those jobs of which the store has one, for the hours that the jobs took."""
    entries = ((job, planner.stored.entry(planner.identities.identity(job))) for job in jobs)
    return {job: entry for job, entry in entries if entry is not None}


def plan_without_store(planner: Planner, jobs: Iterable[Job], forced: Forced) -> Plan:
    """Return the plan that the jobs would have if there were no store."""
    with planner.stored.hidden():
        return planner.plan(jobs, forced)


def savings(entries: dict[Job, StoreEntry], spared: list[Job], costs: dict[Job, StoreEntry]) -> Savings:
    """Return what is saved by the artifacts of `entries`, which spare the jobs `spared`."""
    hours = sum(hours_of(costs[job]) for job in spared if job in costs)
    trainings = sum(job.is_training for job in spared)
    return Savings(len(entries), bytes_of(entries), len(spared), trainings, hours)


def bytes_of(entries: dict[Job, StoreEntry]) -> int:
    """Return the size of the files of entries together."""
    return sum(entry.bytes for entry in entries.values())


def counted(number: int, thing: str) -> str:
    """Return a number of things, with the plural where it is needed."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def size(number: float) -> str:
    """Return a number of bytes in GB or MB."""
    return f"{number / 1e9:,.1f} GB" if number >= 5e7 else f"{number / 1e6:,.1f} MB"
