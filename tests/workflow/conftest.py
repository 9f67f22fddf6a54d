"""What several tests of trainings within a workflow compare with."""

import shutil
from pathlib import Path

import pytest
from helpers.finished import finish_targets
from helpers.slurm_cluster import answers
from helpers.support import Project, shared_folder, small_demo
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


@pytest.fixture(scope="session")
def finished_in_looks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small demo that looks finished, with its links."""
    with shared_folder(tmp_path_factory, "what_runs") as folder:
        if not folder.exists():
            project = small_demo(folder.with_name("what_runs.new"))
            finish_targets(project.root, "demo")
            project.snakemake("--cores", "1", "demo", check=True)
            folder.with_name("what_runs.new").rename(folder)
    return folder


@pytest.fixture
def looks_finished(finished_in_looks: Path, tmp_path: Path) -> Project:
    """A copy of it that a test may change."""
    shutil.copytree(finished_in_looks, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")
