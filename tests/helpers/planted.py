"""Small files in the place of what jobs would make, for tests of plans and of readers of manifests."""

from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

from helpers.support import Project

from docmt.base.artifacts import atomic_file
from docmt.base.sealing import sealing
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job, Plan
from docmt.steps import get_step


def plan_of(root: Path, **config: object) -> Plan:
    """The plan of a project; call it in the project's folder."""
    return Plan(load_grid(root, config))


def plant(root: Path, plan: Plan, targets: Iterable[Job]) -> list[Job]:
    """Give each job of targets that is not finished one output, a manifest and a record; return these jobs."""
    with chdir(root):
        jobs = [job for job in plan.closure(targets) if not (plan.recipe(job).folder / "manifest.json").exists()]
        for job in jobs:
            recipe = plan.recipe(job)
            recipe.write()
            name = get_step(job.step).writes[0].replace("*", "a")
            with sealing(recipe), atomic_file(recipe.folder / name) as stream:
                stream.write(f"{job}\n")
    return jobs


def at(project: Project, part: str) -> str:
    """The folder of the only artifact of a place below `results/`, relative to the project."""
    (manifest,) = (project.root / "results" / part).glob("*/manifest.json")
    return manifest.parent.relative_to(project.root).as_posix()
