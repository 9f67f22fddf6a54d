"""A training on two nodes of a Slurm cluster: the same bits as on one node, though jobs are cancelled and requeued."""

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
def two_nodes(cluster) -> None:
    """A Slurm with two nodes that see this machine's files."""
    said = subprocess.run(["sinfo", "-h", "-o", "%D"], capture_output=True, text=True).stdout
    if max(map(int, said.split()), default=0) < 2:
        pytest.skip("needs a Slurm cluster of two nodes")


def test_several_nodes_without_a_cluster_are_refused_once_before_any_job(demo):
    done = long_training(demo).snakemake("--cores", "1", MODEL, *TWO_NODES)
    assert done.returncode == 2
    assert done.stderr.count("a training on several nodes needs a Slurm cluster") == 1
    assert "Traceback" not in done.stderr and "rule train" not in done.stderr


def planned(project: Project, *resources: str) -> str:
    """What a run on a cluster would ask for, and the command that its job would run."""
    options = ("--jobs", "1", "--set-resources", *resources, "--printshellcmds")
    done = project.snakemake("-n", MODEL, *options, check=True)
    return done.stdout + done.stderr


def test_the_number_of_nodes_is_all_that_a_job_on_several_nodes_needs_to_be_told(demo):
    several = planned(long_training(demo), "train:nodes=2", "train:gpu=6")
    assert "nodes=2, mpi=srun, tasks=2, tasks_per_gpu=0, cpus_per_task=3" in several
    assert "exec srun " in several and " -N 2 -n 2 --ntasks-per-node=1 docmt job train results/5_training/" in several
    single = planned(demo, "train:gpu=4")
    assert "nodes=1, cpus_per_task=4" in single and "mpi" not in single and "srun" not in single
    assert "cpus_per_task" not in planned(demo, "train:gpu=4", "train:cpus_per_gpu=3")


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
