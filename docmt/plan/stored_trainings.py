"""The trainings that a run would pull from the store, for estimates of what is left to train."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.plan.stored import stored_for

Training = tuple[str, str, int]
"""A training: its corpus, the folder of its system, and its seed."""


def stored_trainings(grid: Grid, root: Path) -> set[Training]:
    """Return the trainings of all studies that are in the store, and not here; none where a run does not pull.

    Raises UserError for an address of a store that is none.
    """
    if not grid.pulls:
        return set()
    with chdir(root):  # the folder of a store, and of checkpoints, may be relative to the project
        planner = Planner(grid, stored=stored_for(grid))
        jobs = dict(_trainings(planner))
        planner.states.look_up(jobs)
        return {training for job, training in jobs.items() if planner.states.of(job).name == "stored"}


def _trainings(planner: Planner) -> Iterator[tuple[Job, Training]]:
    """Yield the trainings of a grid whose identity can be computed: no missing checkpoint decides it."""
    grid = planner.jobs.grid
    for entry in grid.entries:
        for seed in entry.seeds if entry.has_model else ():
            names = {"scale": grid.scale, "corpus": entry.corpus, "system": entry.trained, "seed": seed}
            job = Job.of("train", **names)
            try:
                planner.identities.identity(job)
            except UserError:
                continue
            yield job, (entry.corpus, entry.trained, seed)
