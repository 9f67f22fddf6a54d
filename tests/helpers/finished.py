"""Artifacts that look finished: a recipe and a manifest without outputs, which is all that planning reads."""

from collections.abc import Iterable
from pathlib import Path

from helpers.plans import closure, plan_of

from docmt.base.artifacts import write_json
from docmt.base.manifest import MANIFEST, Manifest
from docmt.plan.links import LINKS
from docmt.plan.plan import Job, Plan


def finish(plan: Plan, jobs: Iterable[Job]) -> None:
    """Leave what finished jobs leave, without their outputs."""
    for job in jobs:
        recipe = plan.recipe(job)
        recipe.write(plan.root)
        folder = plan.root / recipe.folder
        write_json(folder / MANIFEST, Manifest(recipe.identity, job.step).to_json())
        if job.step in LINKS:
            (folder / Path(LINKS[job.step](**job.names)).name).touch()


def finish_targets(root: Path, *targets: str, **config: object) -> None:
    """Leave what a finished run of targets leaves, but the links to pages."""
    plan = plan_of(root, **config)
    finish(plan, closure(plan, *targets))
