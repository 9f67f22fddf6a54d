"""What several tests of trainings within a workflow compare with."""

import shutil
from pathlib import Path

import pytest
from helpers.slurm_cluster import answers
from helpers.support import Project, shared_folder
from interrupted import LongTraining


@pytest.fixture(scope="session")
def undisturbed(finished_demo: Project, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The weights of a `LongTraining` where nobody stops it, once for all workers of a run."""
    with shared_folder(tmp_path_factory, "undisturbed") as root:
        is_new = not root.exists()
        if is_new:
            shutil.copytree(finished_demo.root, root, symlinks=True)
        training = LongTraining(Project(root))
        if is_new:
            training.train(programs=programs)
    return training.weights()


@pytest.fixture
def cluster() -> None:
    """A Slurm whose jobs see this machine's files."""
    if not answers():
        pytest.skip("needs a Slurm cluster; none answers `sinfo`")
