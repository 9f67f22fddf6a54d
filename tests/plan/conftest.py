"""A project with planted results, a store that has all of them, and the project of a team that has made nothing."""

import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.planted import plan_of, plant
from helpers.small_grid import small_project
from helpers.stored import new_store
from helpers.support import Project

from docmt.cli.store.exchange import give_all
from docmt.plan.links import jobs_of_target

TABLE = {"bleu": {"title": "BLEU", "metrics": ["s-BLEU"], "rows": [{"system": "sentence"}, {"system": "document"}]}}


def project_at(root: Path) -> Project:
    project = small_project(root)
    project.edit("workflow/studies/one.yaml", "tables", TABLE)
    return project


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project that has all artifacts of a study (`first`), and a store that has them too (`store`)."""
    folder = tmp_path_factory.mktemp("finished")
    root = project_at(folder / "first").root
    store = new_store(folder / "store")
    with chdir(root):
        plan = plan_of(root)
        plant(root, plan, jobs_of_target(plan, "one"))
        given, there, local = give_all(plan, jobs_of_target(plan, "one"), store)
    assert given and not there and not local
    return folder


@pytest.fixture
def first(finished: Path, tmp_path: Path) -> Project:
    """A project with all artifacts of a study, which a test may change."""
    return Project(shutil.copytree(finished / "first", tmp_path / "first"))


@pytest.fixture
def full_store(finished: Path, tmp_path: Path) -> Path:
    """A store with all artifacts of the study, which a test may change."""
    return shutil.copytree(finished / "store", tmp_path / "store")


@pytest.fixture
def second(tmp_path: Path) -> Project:
    """The same project without results."""
    return project_at(tmp_path / "second")
