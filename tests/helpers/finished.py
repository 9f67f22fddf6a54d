"""Artifacts that look finished: a recipe and a manifest without outputs, which is all that planning reads."""

from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path
from typing import Any

from docmt.base.artifacts import write_json
from docmt.base.manifest import MANIFEST, Manifest
from docmt.plan.links import LINKS, jobs_of_target
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run


def plan_of(root: Path, **config: Any) -> Plan:
    """The plan of a project, in its folder; paths in settings are relative to it."""
    with chdir(root):
        return Plan(grid_of_run(Path.cwd(), config), Path.cwd())


def finish(plan: Plan, jobs: Iterable[Job]) -> None:
    """Leave what finished jobs leave, without their outputs."""
    for job in jobs:
        recipe = plan.recipe(job)
        recipe.write(plan.root)
        folder = plan.root / recipe.folder
        write_json(folder / MANIFEST, Manifest(recipe.identity, job.step).to_json())
        if job.step in LINKS:
            (folder / Path(LINKS[job.step](**job.names)).name).touch()


def finish_targets(root: Path, *targets: str, **config: Any) -> None:
    """Leave what a finished run of targets leaves, but the links to pages."""
    plan = plan_of(root, **config)
    finish(plan, plan.closure(job for target in targets for job in jobs_of_target(plan, target)))
