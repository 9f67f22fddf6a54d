"""A cluster for the executor's tests."""

from pathlib import Path

import pytest
from helpers.slurm_commands import FakeSlurm


@pytest.fixture
def cluster(tmp_path, monkeypatch) -> FakeSlurm:
    """Stand-ins for Slurm's commands, and a project's folder as the working folder."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("settings.json").write_text("{}")
    return FakeSlurm(tmp_path / "slurm", monkeypatch)
