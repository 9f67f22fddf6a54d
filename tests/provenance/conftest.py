"""Fixtures of the tests of crates and of targets that are made again."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from docmt.provenance import remaking


@pytest.fixture
def instant(monkeypatch, finished_demo) -> list[list]:
    """The commands of Snakemake, which copies the results of the finished demo in the place of making them."""
    commands = []

    def run(command: list, cwd: Path, **options) -> SimpleNamespace:
        commands.append(command)
        shutil.copytree(finished_demo.root / "results", cwd / "results", dirs_exist_ok=True)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(remaking.subprocess, "run", run)
    return commands
