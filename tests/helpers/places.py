"""Targets of Snakemake, whose paths have ids, by the places that people know."""

from contextlib import chdir

from helpers.support import Project

from docmt.grid.grid import load_grid
from docmt.plan.plan import Plan, job_of_place


def target(project: Project, place: str, **config: object) -> str:
    """The manifest of the job at `results/<place>`, also of one that a run would leave out."""
    job = job_of_place(f"results/{place}")
    assert job is not None, place
    with chdir(project.root):
        return f"{Plan(load_grid(project.root, config)).recipe(job).folder}/manifest.json"
