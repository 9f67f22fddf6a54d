"""Systems that a run need not leave out although files of their corpora are missing: what they need is here already.

The rule: no job would run that reads a corpus whose files are missing, neither for the scores and models of such a
system nor for the targets of the run. The outputs that spare this job are right here, or in the store.
"""

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import CORPUS, TRAINING
from docmt.grid.grid import Grid
from docmt.plan.driver import targets_of
from docmt.plan.jobs import Job
from docmt.plan.planning import Plan, Planner
from docmt.plan.stored import stored_for
from docmt.settings.system import Entry


def available_entries(grid: Grid, root: Path, targets: Iterable[str]) -> tuple[str, ...]:
    """Return the entries that need no file that is missing, as `corpus/folder`.

    `targets`: the targets of a run. Raises UserError for an address of a store that is none.
    """
    candidates = [entry for entry in grid.entries if _is_candidate(grid, root, entry)]
    if not candidates:
        return ()
    whole = dataclasses.replace(grid, not_run={}, ways={})
    planner = Planner(whole, root, stored_for(grid))
    spared = [entry for entry in candidates if not lacking(planner, _jobs_of(whole, entry), {*grid.not_run})]
    names = {f"{entry.corpus}/{entry.folder}": entry for entry in spared}
    for target in targets:
        read = _lacking_for(dataclasses.replace(grid, available=tuple(names)), planner, root, target)
        names = {name: entry for name, entry in names.items() if not read & {*grid.corpora_for(entry)}}
    return tuple(names)


def lacking(planner: Planner, jobs: Iterable[Job], missing: set[str]) -> set[str]:
    """Return the corpora of `missing` that jobs would have to read.

    All of them are returned where the plan cannot be made, since a file is missing whose digest decides it.
    """
    try:
        return corpora_read(planner.jobs.grid, planner.plan(jobs)) & missing
    except UserError:
        return missing


def corpora_read(grid: Grid, plan: Plan) -> set[str]:
    """Return the names of the corpora that the jobs of a plan read from their files."""
    jobs = [job for job in plan.reasons if job.rule == "corpus"]
    return {grid.corpus_in(job.names["corpus"], CORPUS.at(**job.names)) for job in jobs}


def _is_candidate(grid: Grid, root: Path, entry: Entry) -> bool:
    """Return whether an entry is left out for a missing corpus alone, and may have been trained by somebody."""
    if grid.left_out(entry) is None or not entry.has_model:
        return False
    if any(name in grid.not_run for name in grid.checkpoints_for(entry)):
        return False
    names = {"scale": grid.scale, "corpus": entry.corpus, "system": entry.trained, "seed": entry.seeds[0]}
    return grid.pulls or (TRAINING.under(root / "results", **names) / "manifest.json").exists()


def _jobs_of(grid: Grid, entry: Entry) -> list[Job]:
    """Return the jobs of an entry whose outputs pages show: its scores, and the trainings of its model."""
    place = {"scale": grid.scale, "corpus": entry.corpus}
    return [
        job
        for seed in entry.seeds
        for job in (
            Job.of("scores", **place, system=entry.scored, seed=seed),
            Job.of("train", **place, system=entry.trained, seed=seed),
        )
    ]


def _lacking_for(grid: Grid, planner: Planner, root: Path, target: str) -> set[str]:
    """Return the corpora that are missing and that a target would read if these entries were not left out."""
    page = Planner(grid, root, planner.stored)
    try:
        jobs = targets_of(page, [target])
    except UserError:  # an unknown target, which the run refuses
        return set()
    return lacking(page, jobs, {*grid.not_run})
