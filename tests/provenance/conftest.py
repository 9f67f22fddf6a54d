"""Fixtures of the tests of crates and of targets that are made again."""

import shutil
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.support import Project, small_demo

from docmt.base.recipe import Resources
from docmt.grid.grid import load_grid
from docmt.plan.plan import Job, Plan
from docmt.provenance import reproducing
from docmt.steps import get_step


@pytest.fixture(scope="session")
def with_corpus(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The small demo, of which the corpus is made."""
    project = small_demo(tmp_path_factory.mktemp("corpus") / "demo")
    with chdir(project.root):
        recipe = Plan(load_grid(Path())).recipe(Job.of("corpus", corpus="toy_zh-en@smoke"))
        recipe.write()
        get_step("corpus").run(recipe, Resources())
    return project


def copying(monkeypatch: pytest.MonkeyPatch, project: Project) -> list[list]:
    """The commands of Snakemake, which copies the results of a project in the place of making them."""
    commands = []

    def run(command: list, cwd: Path, **options) -> SimpleNamespace:
        commands.append(command)
        shutil.rmtree(cwd / "results", ignore_errors=True)
        shutil.copytree(project.root / "results", cwd / "results", symlinks=True)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(reproducing.subprocess, "run", run)
    return commands


@pytest.fixture
def instant(monkeypatch, with_corpus) -> list[list]:
    """The commands of Snakemake, which copies the corpus."""
    return copying(monkeypatch, with_corpus)


@pytest.fixture
def instant_demo(monkeypatch, finished_demo) -> list[list]:
    """The commands of Snakemake, which copies the whole demo."""
    return copying(monkeypatch, finished_demo)
