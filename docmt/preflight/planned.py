"""The plan of a run of some targets: its jobs, and the files from outside that they need."""

import dataclasses
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.available import with_available
from docmt.plan.estimates import Estimates
from docmt.plan.links import named
from docmt.plan.obtain import checkpoints_of, is_single, jobs_to_run, translations_of
from docmt.plan.plan import Job, Plan, job_of_place
from docmt.plan.run import without_missing
from docmt.plan.stored import stored_for
from docmt.preflight.finding import Area, RunFinding

AREA = Area("targets")
STUDIES = Path("workflow/studies")
DEFAULT = "demo"
"""The target of a run without a target, where there is a study of this name."""


@dataclass(frozen=True)
class PlannedRun:
    """A run of targets in the present folder.

    `plan`: with what a run leaves out. `targets`: those that are known. `jobs`: the jobs that would run. `whole`: the
    same with what is left out, for the question what a person could still bring. `refused`: whether a run would refuse
    missing files, and not leave out the systems that need them.
    """

    plan: Plan
    targets: tuple[str, ...]
    jobs: tuple[Job, ...]
    whole: tuple[Job, ...]
    refused: bool

    @property
    def grid(self) -> Grid:
        """The settings, with what a run leaves out."""
        return self.plan.grid

    @property
    def corpora(self) -> list[str]:
        """The corpora whose files the jobs read, with those that a run leaves out, each once."""
        jobs = [job for job in self.whole if job.step == "corpus"]
        return sorted({self.grid.corpus_in(job.names["corpus"], job.place) for job in jobs})

    @property
    def checkpoints(self) -> list[str]:
        """The folders of the checkpoints that the jobs read, with those that a run leaves out."""
        return checkpoints_of(self.grid, self.whole)

    @property
    def translations(self) -> list[str]:
        """The paths of the translations that jobs adopt, with those that a run leaves out."""
        return translations_of(self.grid, self.whole)


def planned_run(grid: Grid, targets: Sequence[str]) -> tuple[PlannedRun, list[RunFinding]]:
    """Return the run of targets in the present folder, and the findings about it."""
    with suppress(UserError):  # the checks of sources and of the store say why
        grid = without_missing(grid)
    plan, findings = Plan(grid), []
    whole = Plan(dataclasses.replace(grid, not_run={}, not_scored={}, ways={}, available=()))
    wanted: dict[str, list[Job]] = {}
    for name in targets or _default(grid):
        try:
            wanted[name] = _jobs_of(plan, name)
        except UserError as problem:
            findings.append(_with_mistakes(name) or AREA.of(problem))
    last = list(dict.fromkeys(job for jobs in wanted.values() for job in jobs))
    plan = with_available(plan, last)
    with suppress(UserError):
        plan.fetched = {*stored_for(plan, plan.to_run(last)).entries}
    try:
        jobs = plan.to_run(last)
    except UserError as problem:
        jobs = [*plan.closure(last)]
        findings.append(AREA.of(problem))
    every = jobs_to_run(whole, [job for name in wanted for job in _jobs_of(whole, name)])
    refused = grid.fixtures is None and (grid.missing == "stop" or any(is_single(grid, name) for name in wanted))
    run = PlannedRun(plan, tuple(wanted), tuple(jobs), tuple(every), refused)
    if wanted:
        findings.append(AREA.fact(f"{', '.join(wanted)}: {len(jobs)} jobs, {_trainings(run)}"))
    return run, findings


def _jobs_of(plan: Plan, name: str) -> list[Job]:
    """Return the jobs that a person names; a missing file may decide the identity of one that is named by its place."""
    job = job_of_place(name)
    return named(plan, name)[0] if job is None else [job]


def _trainings(run: PlannedRun) -> str:
    """Return the number of the trainings of a run, and the estimate of their device-hours."""
    entries = [run.grid.find(job.names["corpus"], job.names["system"]) for job in run.jobs if job.is_training]
    estimates = Estimates(run.plan)
    hours = [estimate for estimate in map(estimates.hours, entries) if estimate is not None]
    total = float(f"{sum(estimate.hours for estimate in hours):.1e}")
    basis = "; ".join(dict.fromkeys(estimate.basis for estimate in hours))
    unknown = f"; of unknown size: {len(entries) - len(hours)}" if len(hours) < len(entries) else ""
    return f"{len(entries)} trainings: {total:,g} device-hours{f' ({basis})' if basis else ''}{unknown}"


def _with_mistakes(target: str) -> RunFinding | None:
    """Return the finding about a study that is there and not in the grid, since it has mistakes; None otherwise."""
    path = STUDIES / f"{target}.yaml"
    if not path.is_file():
        return None
    what = "not checked: the jobs of the study, which has mistakes itself"
    return AREA.warning(what, where=str(path), remedy="correct the study, and check again")


def _default(grid: Grid) -> Iterable[str]:
    """Return the targets of a run without a target."""
    return [DEFAULT] if DEFAULT in grid.studies else sorted(grid.studies)[:1]
