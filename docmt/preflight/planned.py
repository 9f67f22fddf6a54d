"""The plan of a run of some targets: its jobs, and the files from outside that they need."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import CORPUS
from docmt.grid.grid import Grid
from docmt.plan.driver import check_price
from docmt.plan.explain import jobs_of_target
from docmt.plan.jobs import Job
from docmt.plan.obtain import checkpoints_of, is_single, jobs_to_run, translations_of
from docmt.plan.planning import Planner
from docmt.plan.run import grid_for_targets, without_missing
from docmt.plan.stored import stored_for
from docmt.preflight.finding import Area, RunFinding
from docmt.settings.system import Entry

AREA = Area("targets")
STUDIES = Path("workflow/studies")
DEFAULT = "demo"
"""The target of a run without a target, where there is a study of this name."""


@dataclass(frozen=True)
class PlannedRun:
    """A run of targets in the present folder.

    `grid`: the settings, with what a run leaves out. `targets`: those that are known. `jobs`: the jobs that would run.
    `whole`: the same with what is left out, for the question what a person could still bring. `refused`: whether a run
    would refuse missing files, and not leave out the systems that need them.
    """

    grid: Grid
    targets: tuple[str, ...]
    jobs: tuple[Job, ...]
    whole: tuple[Job, ...]
    refused: bool

    @property
    def corpora(self) -> list[str]:
        """The corpora whose files the jobs read, with those that a run leaves out, each once."""
        jobs = [job for job in self.whole if job.rule == "corpus"]
        names = [self.grid.corpus_in(job.names["corpus"], CORPUS.at(**job.names)) for job in jobs]
        return sorted({*names})

    @property
    def checkpoints(self) -> list[str]:
        """The folders of the checkpoints that the jobs read, with those that a run leaves out."""
        return checkpoints_of(self.grid, self.whole)

    @property
    def translations(self) -> list[str]:
        """The paths of the translations that jobs adopt, with those that a run leaves out."""
        return translations_of(self.grid, self.whole)

    @property
    def trained(self) -> list[Entry]:
        """The systems, each on a corpus, of the trainings that would run; one entry for each seed."""
        return [self.grid.find(job.names["corpus"], job.names["system"]) for job in self.jobs if job.is_training]


def planned_run(grid: Grid, targets: Sequence[str]) -> tuple[PlannedRun, list[RunFinding]]:
    """Return the run of targets in the present folder, and the findings about targets that there are not."""
    with suppress(UserError):  # the checks of sources and of the store say why
        grid = grid_for_targets(without_missing(grid), targets)
    planner, findings = _planner(grid), []
    known: dict[str, list[Job]] = {}
    for name in targets or _default(grid):
        try:
            known[name] = jobs_of_target(planner, name)
        except UserError as problem:
            findings.append(_with_mistakes(name) or AREA.of(problem))
    jobs, refusals = _planned(planner, known)
    whole = _planner(dataclasses.replace(grid, not_run={}, not_scored={}, ways={}, available=()))
    every = [job for name in known for job in jobs_to_run(whole, jobs_of_target(whole, name))]
    refused = grid.fixtures is None and (grid.missing == "stop" or any(is_single(grid, name) for name in known))
    run = PlannedRun(grid, tuple(known), tuple(jobs), tuple(dict.fromkeys(every)), refused)
    findings += refusals
    if known:
        findings.append(AREA.fact(f"{', '.join(known)}: {len(jobs)} jobs, {len(run.trained)} of them trainings"))
    return run, findings


def _planned(planner: Planner, known: Mapping[str, Sequence[Job]]) -> tuple[list[Job], list[RunFinding]]:
    """Return the jobs that would run for targets, and why a run would refuse the plan.

    Where no plan can be made, these are all jobs that the targets are made from.
    """
    wanted = [job for jobs in known.values() for job in jobs]
    try:
        plan = planner.plan(wanted)
    except UserError as problem:
        return [*planner.closure(wanted)], [AREA.of(problem)]
    try:
        check_price(plan, planner.jobs.grid.retrain_hours)
    except UserError as problem:
        return [*plan.reasons], [AREA.of(problem)]
    return [*plan.reasons], []


def _with_mistakes(target: str) -> RunFinding | None:
    """Return the finding about a study that is there and not in the grid, since it has mistakes; None otherwise."""
    path = STUDIES / f"{target}.yaml"
    if not path.is_file():
        return None
    what = "not checked: the jobs of the study, which has mistakes itself"
    return AREA.warning(what, where=str(path), remedy="correct the study, and check again")


def _planner(grid: Grid) -> Planner:
    """Return the planner of a grid; without the store where its address is none, of which another check tells."""
    try:
        return Planner(grid, Path(), stored_for(grid))
    except UserError:
        return Planner(grid, Path())


def _default(grid: Grid) -> Iterable[str]:
    """Return the targets of a run without a target."""
    return [DEFAULT] if DEFAULT in grid.studies else sorted(grid.studies)[:1]
