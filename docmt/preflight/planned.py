"""The plan of a run of some targets: its jobs, and what is asked of them."""

import dataclasses
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.grid.items import DEMO
from docmt.plan.links import link_of, named
from docmt.plan.obtain import jobs_to_run
from docmt.plan.plan import Job, Plan, job_of_place
from docmt.plan.run import with_available, without_missing
from docmt.plan.stored import stored_for
from docmt.preflight.finding import RunFinding, told
from docmt.settings.system import Entry
from docmt.steps import get_step


@dataclasses.dataclass(frozen=True)
class PlannedRun:
    """A run of targets in the present folder."""

    plan: Plan  # Without what the run leaves out.
    targets: dict[str, list[Job]]  # The jobs of each target that there is.
    jobs: list[Job]  # Those that run.

    @property
    def grid(self) -> Grid:
        """The settings."""
        return self.plan.grid

    @property
    def corpora(self) -> list[str]:
        """The corpora whose files the jobs read."""
        return sorted(self.grid.corpus_in(job.names["corpus"], job.place) for job in self.jobs if job.step == "corpus")

    @property
    def trainings(self) -> list[Entry]:
        """The entries that the jobs train, once for each seed; a training that several studies share is one job."""
        jobs = [job for job in self.jobs if job.is_training]
        return [self.grid.find(job.names["corpus"], job.names["system"]) for job in jobs]


def planned_run(
    grid: Grid, targets: Sequence[str], broken: Collection[str] = ()
) -> tuple[PlannedRun, list[RunFinding]]:
    """Return the run of targets in the present folder, and the findings about it.

    `broken`: the studies of which a mistake was told, so that nothing is said of their targets.
    """
    with suppress(UserError):  # the checks of sources and of the store say why
        grid = without_missing(grid)
    plan, findings, wanted = Plan(grid), list[RunFinding](), dict[str, list[Job]]()
    for name in targets or [DEMO if DEMO in grid.studies else min(grid.studies, default="all")]:
        try:
            jobs = _jobs_of(plan, name)
            wanted |= {name: jobs} if [*plan.closure(jobs)] else {}
        except UserError as problem:
            findings += [] if name in broken else [RunFinding("error", problem)]
    last = list(dict.fromkeys(job for jobs in wanted.values() for job in jobs))
    plan = with_available(plan, last)
    for job in plan.closure(last):  # files and programs of the user's that are missing, or do not fit
        for ask in (partial(get_step(job.step).files, plan.grid, job.names), partial(plan.recipe, job)):
            try:
                ask()
            except UserError as problem:
                findings.append(RunFinding("error", problem))
    with suppress(UserError):
        plan.fetched = {*stored_for(plan, plan.to_run(last)).entries}
    run = PlannedRun(plan, wanted, jobs_to_run(plan, last))
    if wanted:
        what = f"{', '.join(wanted)}: {len(run.jobs)} jobs; their time: `docmt list-targets`"
        findings.append(told("fact", what))
    return run, findings


def _jobs_of(plan: Plan, name: str) -> list[Job]:
    """Return the jobs that a person names; a missing file may decide the identity of one that is named by its place."""
    job = link_of(name) or job_of_place(name)
    return named(plan, name)[0] if job is None else [job]
