"""What several tests of trainings within a workflow compare with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock
from helpers.support import Project
from interrupted import MODEL, long_training, weights


@pytest.fixture(scope="session")
def undisturbed(finished_demo: Project, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The weights of `long_training` where nobody stops it, once for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    root: Path = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "undisturbed"
    with FileLock(f"{root}.lock"):
        project = Project(root)
        if not root.exists():
            shutil.copytree(finished_demo.root, root, symlinks=True)
            long_training(project).snakemake("--cores", "1", MODEL, check=True, programs=programs)
    return weights(project)


@pytest.fixture
def cluster() -> None:
    """A Slurm whose jobs see this machine's files."""
    if shutil.which("sinfo") is None or subprocess.run(["sinfo"], capture_output=True).returncode != 0:
        pytest.skip("needs a Slurm cluster; none answers `sinfo`")
