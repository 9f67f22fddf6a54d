"""A training on two nodes of a Slurm cluster: the same bits as on one node, also after a cancelled and a requeued job."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.support import Project
from interrupted import MODEL, RUN, STATE, WAIT_S, long_training, weights

TWO_NODES = ("--set-resources", "train:nodes=2", "train:gpu=2")
UPDATES = 400
"""Enough that a job can be cancelled and requeued in the middle."""


@pytest.fixture
def two_nodes() -> None:
    """A Slurm with two nodes that see this machine's files."""
    asked = shutil.which("sinfo") and subprocess.run(["sinfo", "-h", "-o", "%D"], capture_output=True, text=True)
    if not asked or max(map(int, asked.stdout.split()), default=0) < 2:
        pytest.skip("needs a Slurm cluster of two nodes; none answers `sinfo`")


def test_several_nodes_without_a_cluster_are_refused_once_before_any_job(demo):
    done = long_training(demo).snakemake("--cores", "1", MODEL, *TWO_NODES)
    assert done.returncode == 2
    assert done.stderr.count("a training on several nodes needs a Slurm cluster") == 1
    assert "Traceback" not in done.stderr and "rule train" not in done.stderr


def prepared(demo: Project) -> Project:
    project = long_training(demo)
    project.edit("workflow/scales/smoke.yaml", "train/max_updates", UPDATES)
    project.edit("workflow/scales/smoke.yaml", "train/validate_every_updates", 100)
    project.edit("config.yaml", "device", "cpu")
    return project


def driver_of(project: Project) -> subprocess.Popen:
    command = [sys.executable, "-m", "snakemake", "--profile", "slurm", MODEL, *TWO_NODES]
    with (project.root / "screen.txt").open("w") as stream:
        return subprocess.Popen(command, cwd=project.root, env=os.environ, stdout=stream, stderr=stream)


def job_with_checkpoints(project: Project, driver: subprocess.Popen, after: int) -> str:
    """The number of the job of Slurm that trains, once it has written a checkpoint after this update."""
    deadline = time.monotonic() + WAIT_S
    while newest_update(project) <= after:
        assert driver.poll() is None and time.monotonic() < deadline, (project.root / "screen.txt").read_text()
        time.sleep(0.1)
    logs = [path for path in project.root.glob("logs/slurm/rule_train/*/*.log") if path.stem.isdecimal()]
    return max(logs, key=lambda path: int(path.stem)).stem


def newest_update(project: Project) -> int:
    return max((int(path.name.split("-")[1]) for path in (project.root / STATE).glob("checkpoint-*.pt")), default=0)


def log_of(project: Project) -> str:
    return (project.root / f"logs/5_training/{RUN}.log").read_text()


@pytest.mark.slow
def test_two_nodes_train_as_one_though_their_jobs_are_cancelled_and_requeued(two_nodes, demo, tmp_path):
    project = prepared(demo)
    alone = Project(shutil.copytree(project.root, tmp_path / "alone", symlinks=True))
    alone.snakemake("--cores", "1", MODEL, "--set-resources", "train:gpu=2", check=True)
    driver = driver_of(project)
    job = job_with_checkpoints(project, driver, after=20)
    described = subprocess.run(["scontrol", "show", "job", job], capture_output=True, text=True).stdout
    assert "NumNodes=2" in described and "NumTasks=2" in described and "gres:gpu:2" in described
    subprocess.run(["scontrol", "requeue", job], check=True)
    # A cancelled job ends with a checkpoint; the driver then submits another one.
    second = job_with_checkpoints(project, driver, after=newest_update(project) + 60)
    assert second == job and "resuming from the checkpoint" in log_of(project)
    subprocess.run(["scancel", job], check=True)
    assert driver.wait(timeout=600) == 0, (project.root / "screen.txt").read_text()
    assert "resuming from the checkpoint" in log_of(project)
    assert weights(project) == weights(alone)
    assert json.loads((project.root / MODEL).with_name("exit.json").read_text())["reason"] == "finished"
    assert not Path(project.root / STATE).exists()
