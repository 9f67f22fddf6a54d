"""A store that has all of the finished demo, and the project of a team that has made nothing."""

import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.support import Project, shared_folder

from docmt.grid.grid import load_grid


@pytest.fixture(scope="session")
def full_store(finished_demo: Project, tmp_path_factory) -> Path:
    """A store with all of the finished demo."""
    from docmt.plan.exchange import push_target

    with shared_folder(tmp_path_factory, "store") as folder:
        if not folder.exists():
            copy = Path(shutil.copytree(finished_demo.root, folder.with_name("pushing"), symlinks=True))
            folder.mkdir()
            with chdir(copy):
                push_target(load_grid(copy, {"store": str(folder)}), "demo", print)
    return folder


@pytest.fixture
def second(finished_demo: Project, tmp_path: Path) -> Project:
    """The project of a second team, which has made nothing."""
    root = tmp_path / "second"
    shutil.copytree(finished_demo.root, root, ignore=shutil.ignore_patterns("results", "logs", ".snakemake"))
    return Project(root)
