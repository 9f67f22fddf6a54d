"""The grid and the plan of a run; with `missing: skip` they leave out what nobody has, such as corpora.

Some systems need not be left out although files of their corpora are missing: what they need is here already. The rule:
no job would run that reads a corpus whose files are missing, neither for the scores and models of such a system nor for
the targets of the run. The outputs that spare this job are here, or in the store.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.grid.grid import Grid, load_grid
from docmt.grid.items import run_job
from docmt.plan.links import named
from docmt.plan.plan import Job, Plan
from docmt.plan.stored import stored_for
from docmt.plan.supplies import Supplies, missing_for_scores
from docmt.settings.system import Entry


def grid_of_run(root: Path, config: dict[str, Any], clone: Path | None = None) -> Grid:
    """Return the grid of the settings in the folder `root`, for a run in the present folder.

    `config` overrides keys of config.yaml, and `clone` is that of the workflow that runs, as for `load_grid`. Raises
    UserError for wrong settings.
    """
    return without_missing(load_grid(root, config, clone))


def without_missing(grid: Grid) -> Grid:
    """Return the grid with what it leaves out in the present folder, since nobody has it (`missing: skip`)."""
    if grid.missing == "stop":
        return grid
    supplies = Supplies(grid)
    not_run, ways = supplies.left_out()
    unscored = missing_for_scores(supplies)
    return dataclasses.replace(
        grid,
        not_run=not_run,
        not_scored={supply.name: supply.reason for supply in unscored},
        ways=ways | {supply.name: supply.way for supply in unscored},
    )


@contextmanager
def planned(root: Path | str, config: dict[str, Any], target: str = "all") -> Iterator[Plan]:
    """Yield the plan of a run of a target; `config` overrides keys of config.yaml.

    The folder `root` is the present folder of the block. Raises UserError for wrong settings and an unknown target.
    """
    with chdir(root):
        plan = Plan(grid_of_run(Path(), config))
        yield with_available(plan, named(plan, target)[0]) if plan.grid.not_run else plan


def with_available(plan: Plan, targets: Iterable[Job]) -> Plan:
    """Return the plan of a run of some targets, which leaves out nothing that is here already."""
    available = available_entries(plan.grid, targets) if plan.grid.not_run else ()
    return Plan(dataclasses.replace(plan.grid, available=available), plan.root) if available else plan


def available_entries(grid: Grid, targets: Iterable[Job]) -> tuple[str, ...]:
    """Return the entries that need no file that is missing, as `corpus/folder`; `targets`: those of a run."""
    whole = Plan(dataclasses.replace(grid, not_run={}, ways={}))
    candidates = [entry for entry in grid.entries if _is_candidate(whole, grid, entry)]
    _look_into_store(whole, [job for entry in candidates for job in _jobs_of(whole, entry)])
    spared = {f"{e.corpus}/{e.folder}": e for e in candidates if not lacking(whole, _jobs_of(whole, e), grid.not_run)}
    if spared:
        page = Plan(dataclasses.replace(grid, available=tuple(spared)))
        _look_into_store(page, targets)
        read = lacking(page, targets, grid.not_run)
        spared = {name: entry for name, entry in spared.items() if not read & {*grid.corpora_for(entry)}}
    return tuple(spared)


def _look_into_store(plan: Plan, jobs: Iterable[Job]) -> None:
    """Let a plan know which outputs the store has for jobs; of none where a missing file decides their identities."""
    with suppress(UserError):
        plan.fetched = {*stored_for(plan, plan.to_run(jobs)).entries}


def lacking(plan: Plan, jobs: Iterable[Job], missing: Iterable[str]) -> set[str]:
    """Return the corpora of `missing` that jobs would have to read."""
    try:
        read = [job for job in plan.to_run(jobs) if job.step == "corpus"]
        return {plan.grid.corpus_in(job.names["corpus"], job.place) for job in read} & {*missing}
    except UserError:
        # No plan can be made: a file is missing whose digest decides it.
        return {*missing}


def _is_candidate(plan: Plan, grid: Grid, entry: Entry) -> bool:
    """Return whether an entry is left out for a missing corpus alone, and may have been trained by somebody."""
    if grid.left_out(entry) is None or not entry.has_model:
        return False
    if any(name in grid.not_run for name in grid.checkpoints_for(entry)):
        return False
    try:
        return plan.is_finished(_jobs_of(plan, entry)[-1]) or grid.pulls
    except UserError:
        return False


def _jobs_of(plan: Plan, entry: Entry) -> list[Job]:
    """Return the jobs of an entry whose outputs pages show: its scores, and the trainings of its model."""
    steps = [(step, seed) for seed in entry.seeds for step in ("scores", "train")]
    return [Job.of(name, **names) for step, seed in steps for name, names in [run_job(plan.grid, step, entry, seed)]]
