"""A change, and the jobs that Snakemake itself then plans, over a demo that looks finished."""

import shutil
from pathlib import Path

import pytest
from helpers.finished import finish_targets
from helpers.plans import plan_of
from helpers.support import Project, planned_jobs, shared_folder, small_demo

from docmt.plan.links import jobs_of_target

STUDY, CONFIG, SCALE = "workflow/studies/demo.yaml", "config.yaml", "workflow/scales/smoke.yaml"


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """The folder of a small demo that looks finished, with its links."""
    with shared_folder(tmp_path_factory, "what_runs") as folder:
        if not folder.exists():
            project = small_demo(folder.with_name("what_runs.new"))
            finish_targets(project.root, "demo")
            project.snakemake("--cores", "1", "demo", check=True)
            folder.with_name("what_runs.new").rename(folder)
    return folder


@pytest.fixture
def demo(finished: Path, tmp_path: Path) -> Project:
    root = tmp_path / "project"
    shutil.copytree(finished, root, symlinks=True)
    return Project(root)


def folder_of(project: Project, step: str, **names: str) -> Path:
    plan = plan_of(project.root)
    jobs = [job for job in plan.closure(jobs_of_target(plan, "demo")) if job.step == step]
    (job,) = [job for job in jobs if names.items() <= job.names.items()]
    return project.root / plan.recipe(job).folder


def summary(project: Project, *arguments: str) -> dict[str, int]:
    """How many jobs of each step a dry run plans, without targets and links."""
    counts: dict[str, int] = {}
    for rule, _ in planned_jobs(project, *arguments):
        if rule not in ("demo", "all") and not rule.startswith("show"):
            counts[rule] = counts.get(rule, 0) + 1
    return counts
