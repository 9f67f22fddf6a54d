"""A training on two nodes of a Slurm cluster: the same bits as on one node, though jobs are cancelled and requeued."""

import shutil
import subprocess

import pytest
from helpers.support import Project
from interrupted import LongTraining, start, until

RESOURCES = {"nodes": 2, "gpu": 2, "mpi": "srun", "tasks": 2, "tasks_per_gpu": 0}
TWO_NODES = ("--set-resources", *(f"train:{name}={value}" for name, value in RESOURCES.items()))
"""What slurm/config.yaml tells people to state for a training on two nodes."""
UPDATES = 400
"""Enough that a job can be cancelled and requeued in the middle."""


@pytest.fixture
def two_nodes(cluster) -> None:
    """A Slurm with two nodes that see this machine's files."""
    said = subprocess.run(["sinfo", "-h", "-o", "%D"], capture_output=True, text=True).stdout
    if max(map(int, said.split()), default=0) < 2:
        pytest.skip("needs a Slurm cluster of two nodes")


def test_several_nodes_without_a_cluster_are_refused_by_the_job(demo, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    done = LongTraining(demo).train("--set-resources", "train:nodes=2", "train:gpu=2", check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.count("which of the nodes is this?\n    found no job of Slurm") == 1, done.stderr


def prepared(demo: Project) -> LongTraining:
    demo.edit("config.yaml", "device", "cpu")
    return LongTraining(demo, UPDATES, validate_every_updates=100)


def job_with_checkpoints(training: LongTraining, after: int) -> str:
    """The number of the job of Slurm that trains, once it has written a checkpoint after this update."""
    until(lambda: newest_update(training) > after, training.screen)
    logs = [path for path in training.root.glob("logs/slurm/rule_train/*/*.log") if path.stem.isdecimal()]
    return max(logs, key=lambda path: int(path.stem)).stem


def newest_update(training: LongTraining) -> int:
    return max((int(path.name.split("-")[1]) for path in training.scratch.glob("checkpoint-*.pt")), default=0)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_nodes_train_as_one_though_their_jobs_are_cancelled_and_requeued(two_nodes, demo, tmp_path):
    training = prepared(demo)
    alone = prepared(Project(shutil.copytree(demo.root, tmp_path / "alone", symlinks=True)))
    alone.train("--set-resources", "train:gpu=2")
    driver = start(demo.root, training.target, "--profile", "slurm", *TWO_NODES)
    job = job_with_checkpoints(training, after=20)
    described = subprocess.run(["scontrol", "show", "job", job], capture_output=True, text=True).stdout
    assert "NumNodes=2" in described and "NumTasks=2" in described and "gres:gpu:2" in described
    subprocess.run(["scontrol", "requeue", job], check=True)
    # A cancelled job ends with a checkpoint; the driver then submits another one.
    second = job_with_checkpoints(training, after=newest_update(training) + 60)
    assert second == job and "resuming from the checkpoint" in training.log()
    subprocess.run(["scancel", job], check=True)
    assert driver.wait(timeout=600) == 0, training.screen()
    assert training.weights() == alone.weights()
    assert training.ending()["reason"] == "finished" and not training.scratch.exists()
