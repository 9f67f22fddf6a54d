"""The plan of a run of Snakemake: its targets, what it says before the first job, and what it prepares for the jobs."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from docmt.base import paths
from docmt.base.artifacts import atomic_file, read_object, write_json
from docmt.base.digests import canonical_json
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, check_seal, manifest_or_none, sealed
from docmt.grid.grid import Grid
from docmt.plan.aside import move_back, set_aside
from docmt.plan.jobs import Job
from docmt.plan.planning import Plan, Planner
from docmt.plan.pulling import Forced, Pulling, Tell, costs_of, entries_of, plan_without_store, savings
from docmt.plan.states import State

LISTED = 20
"""The largest number of lines about outputs that are made again."""
NAMED = 2
"""The largest number of changes that such a line names: a page has all systems of its study among its inputs."""


def freeze_grid(grid: Grid, path: Path) -> None:
    """Write the grid for jobs on a cluster, with its digest."""
    with atomic_file(path) as stream:
        stream.write(canonical_json(sealed(json.loads(grid.to_json()))))


def read_frozen_grid(path: Path) -> Grid:
    """Read the grid that `freeze_grid` wrote. Raises UserError where the file is missing, or was changed since."""
    value = read_object(path, "digest")
    check_seal(value, path, "end this run of snakemake and start it again; it writes the file at its start")
    return Grid.from_json({name: value[name] for name in value if name != "digest"}, str(path))


def targets_of(planner: Planner, targets: Iterable[str]) -> list[Job]:
    """Return the jobs of targets of Snakemake: `all`, names of studies, and files; downloads have no job here."""
    grid = planner.jobs.grid
    jobs: list[Job | None] = []
    for target in targets:
        studies = grid.active if target == "all" else (target,) if target in grid.studies else ()
        pages = [study_page(grid.scale, study) for study in studies]
        jobs += [planner.jobs.of_file(path) for path in pages or [Path(target).as_posix()]]
    return [job for job in jobs if job is not None]


def study_page(scale: str, study: str) -> str:
    """Return the page of a study, which is its target; the demo's is a copy in `results/` itself."""
    if study == "demo":
        return paths.demo_report(scale)
    return f"{paths.REPORT.at(scale=scale, study=study)}/index.html"


def plan_run(
    planner: Planner, targets: Iterable[str], forced: Forced, is_dry: bool, tell: Tell = lambda line: None
) -> Plan:
    """Return the plan of a run, after what the store has was pulled, and outputs that were set aside have moved back.

    A dry run moves nothing. `tell` shows the lines about the store. Raises UserError where the grid has no such target,
    and as `Planner.plan` does.
    """
    jobs = targets_of(planner, targets)
    if is_dry:
        plan = planner.plan(jobs, forced)
        for line in lines_of_store(planner, jobs, forced, plan):
            tell(line)
        return plan
    plan = bring(planner, jobs, forced, Pulling(planner, tell))
    for job in plan.unsettled:
        write_settings(planner, job)
    return plan


def bring(planner: Planner, jobs: list[Job], forced: Forced, pulling: Pulling) -> Plan:
    """Pull from the store and move back what jobs need; return the plan of what is left to do."""
    plan = planner.plan(jobs, forced)
    without = plan_without_store(planner, jobs, forced) if plan.pull else plan
    costs = costs_of(planner, without.reasons)
    while plan.pull or plan.back:
        if plan.pull:
            pulling.pull(plan)
        else:
            for job in plan.back:
                replace_outputs(planner, job)
                move_back(planner.digests.root, job, planner.identities.identity(job))
        planner.states.forget()
        plan = planner.plan(jobs, forced)
    for line in pulling.report(without, plan, costs):
        pulling.tell(line)
    return plan


def lines_of_store(planner: Planner, jobs: list[Job], forced: Forced, plan: Plan) -> Iterator[str]:
    """Yield the lines of a dry run about the store: what would be pulled, and what cannot be used."""
    yield from Pulling(planner).report(plan, plan, {})
    if plan.pull and planner.stored.store is not None:
        without = plan_without_store(planner, jobs, forced)
        spared = [job for job in without.reasons if job not in plan.reasons]
        saved = savings(dict(entries_of(planner, plan)), spared, costs_of(planner, spared))
        yield f"would be pulled from {planner.stored.store.address}: {saved}"
        yield "snakemake -n lists their jobs too, since the artifacts are not here yet; a run does not start them"


def replace_outputs(planner: Planner, job: Job) -> None:
    """Set aside the outputs in the place of a job, where they are complete and not what is asked for."""
    state = planner.states.of(job)
    if state.manifest is not None and state.name in ("other", "aside"):
        set_aside(planner.digests.root, job, state.manifest)


def _reason(state: State) -> str:
    """Return why outputs are made again; of many changes, the first ones and the number of the others."""
    if len(state.changes) <= NAMED + 1:
        return state.why
    named = "; ".join(map(str, state.changes[:NAMED]))
    return f"{named}; and {len(state.changes) - NAMED} more changes (`docmt why TARGET` explains them)"


def lines_of(plan: Plan, limit: float) -> list[str]:
    """Return what a run says before its first job: outputs that are made again, with the reasons, and their price.

    `limit`: the device-hours of finished trainings that a run may replace (`retrain_hours` of config.yaml).
    """
    again = [f"{job}: {_reason(state)}; made again" for job, state in plan.reasons.items() if state.name != "absent"]
    lines = [*again[:LISTED], *([f"... and {len(again) - LISTED} more"] if len(again) > LISTED else [])]
    lines += [f"{job}: what is asked for was set aside; it moves back" for job in plan.back]
    lines += [f"{job.settings_path} is missing; it is written again" for job in plan.unsettled]
    lines += plan.words
    if plan.stale:
        lines.append(f"{price(plan)}; `docmt why TARGET` explains it")
        if plan.hours > limit:
            lines.append(f"this is above retrain_hours {limit:g} of config.yaml: no job would start")
    return lines


def price(plan: Plan) -> str:
    """Return the number of finished trainings that are to be trained again, and their device-hours."""
    return f"{len(plan.stale)} finished trainings would be trained again, {plan.hours:,.2f} device-hours"


def check_price(plan: Plan, limit: float) -> None:
    """Raise UserError where finished trainings of more than `limit` device-hours would be trained again."""
    if plan.hours <= limit:
        return
    trainings = "".join(f"\n    {stale.job}: {stale.why} ({stale.hours:,.2f} h)" for stale in plan.stale)
    raise UserError(
        price(plan),
        found=trainings,
        expected=f"at most retrain_hours, {limit:g}",
        remedy=f"to train them again: --config retrain_hours={plan.hours + 1:.0f}; the present ones are set aside",
    )


def prepare(planner: Planner, plan: Plan, running: Collection[Job]) -> None:
    """Set aside what the jobs of a run replace, write their settings and recipes, and remember the digests of files.

    `running`: the jobs of the plan that Snakemake will run. Raises UserError where a file cannot be written.
    """
    for job in plan.reasons:
        if job in running:
            replace_outputs(planner, job)
            write_settings(planner, job)
            write_json(planner.digests.root / job.recipe_path, planner.jobs.recipe(job).to_json())
    planner.digests.save()


def write_settings(planner: Planner, job: Job) -> None:
    """Write the settings of a job."""
    with atomic_file(planner.digests.root / job.settings_path) as stream:
        stream.write(planner.identities.asked(job).text())


def is_of(folder: Path, identity: str | None) -> bool:
    """Return whether a folder has the complete outputs of a part of the job with this identity."""
    manifest = manifest_or_none(folder / MANIFEST)
    return manifest is not None and manifest.identity == identity
