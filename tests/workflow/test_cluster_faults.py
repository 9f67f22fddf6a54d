"""A training on a Slurm cluster that is disturbed in each way ends in the bits of a training that nobody disturbs.

Each fault is tried with both commands that can tell the states of jobs: `squeue`, and `sacct` where the cluster has
accounting. `python tests/helpers/slurm_cluster.py up FOLDER --accounting` starts a cluster with both.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil
import pytest
from helpers.slurm_cluster import answers
from helpers.support import Project
from interrupted import MODEL, RUN, STATE, long_training, weights

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
WAIT_S = 300
STATUS_COMMANDS = ("squeue", "sacct")


def slurm(command: str) -> str:
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.fixture(params=STATUS_COMMANDS)
def status_command(request) -> str:
    if not answers():
        pytest.skip("needs a Slurm cluster; none answers `sinfo`")
    if request.param == "sacct" and "slurmdbd" not in slurm("scontrol show config"):
        pytest.skip("needs a Slurm cluster with accounting")
    return request.param


@dataclass
class Run:
    """A run of the workflow on the cluster, which trains the sentence model."""

    project: Project
    status_command: str
    driver: subprocess.Popen | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "snakemake", "--profile", "slurm", MODEL]
        command += ["--docmt-slurm-status-command", self.status_command, "--latency-wait", "10"]
        with (self.project.root / "screen.txt").open("a") as stream:
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            self.driver = subprocess.Popen(
                command, cwd=self.project.root, env=environment, stdout=stream, stderr=stream, start_new_session=True
            )

    def screen(self) -> str:
        return (self.project.root / "screen.txt").read_text()

    def until(self, what: Callable[[], object], problem: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while not what():
            assert time.monotonic() < deadline, f"{problem}\n{self.screen()[-4000:]}"
            time.sleep(0.02)

    def until_checkpoints(self) -> None:
        folder = self.project.root / STATE
        self.until(lambda: len(list(folder.glob("checkpoint-*.pt"))) >= 2, "no checkpoint appeared")

    def ends(self) -> int:
        return self.driver.wait(timeout=WAIT_S)

    def jobs(self) -> dict[str, str]:
        """The numbers of the project's jobs that are in the queue or run, with their states."""
        lines = slurm("squeue -h -o '%i|%T|%Z'").splitlines()
        jobs = [line.split("|") for line in lines]
        return {number: state for number, state, folder in jobs if folder == str(self.project.root)}

    def job(self) -> str:
        """The number of the one job that runs."""
        numbers = [number for number, state in self.jobs().items() if state == "RUNNING"]
        assert len(numbers) == 1, self.jobs()
        return numbers[0]

    def training(self) -> psutil.Process:
        return psutil.Process(json.loads((self.project.root / STATE / "process.json").read_text())["process"])


def cancel(run: Run) -> None:
    slurm(f"scancel {run.job()}")


def requeue(run: Run) -> None:
    slurm(f"scontrol requeue {run.job()}")


def reach_time_limit(run: Run) -> None:
    """Give the job less time than it needs: Slurm ends it with the state TIMEOUT.

    Slurm looks at times twice a minute. Until then the training is suspended, so it ends by SIGKILL.
    """
    run.training().suspend()
    slurm(f"scontrol update JobId={run.job()} TimeLimit=0:01")


def drain_node(run: Run) -> None:
    """Take the node out of service, and put its job back in the queue: it goes on elsewhere."""
    job = run.job()
    node = slurm(f"squeue -h -j {job} -o %N").strip()
    slurm(f"scontrol update NodeName={node} State=DRAIN Reason=test")
    try:
        slurm(f"scontrol requeue {job}")
        run.until(lambda: run.jobs().get(job) == "RUNNING", "the job does not run again")
        assert slurm(f"squeue -h -j {job} -o %N").strip() != node
    finally:
        slurm(f"scontrol update NodeName={node} State=RESUME")


def kill_step(run: Run) -> None:
    """End the training as the system does when memory runs out."""
    run.training().kill()


def kill_driver(run: Run) -> None:
    """End the driver, and start another one, while the job of the first one runs."""
    os.killpg(run.driver.pid, signal.SIGKILL)
    run.driver.wait()
    slurm_lock = run.project.root / ".snakemake/locks"
    for file in slurm_lock.glob("*"):
        file.unlink()
    run.start()


@pytest.mark.parametrize("fault", [cancel, requeue, reach_time_limit, drain_node, kill_step, kill_driver])
def test_a_disturbed_training_ends_in_the_same_bits(demo: Project, undisturbed: bytes, status_command: str, fault):
    run = Run(long_training(demo), status_command)
    run.start()
    try:
        run.until_checkpoints()
        fault(run)
        assert run.ends() == 0, run.screen()[-6000:]
    finally:
        if run.driver.poll() is None:
            os.killpg(run.driver.pid, signal.SIGKILL)
        for number in run.jobs():
            slurm(f"scancel {number}")
    assert weights(run.project) == undisturbed
    log = (run.project.root / f"logs/5_training/{RUN}.log").read_text()
    assert fault is kill_driver or "resuming from the checkpoint" in log
    assert not (run.project.root / STATE).exists()


def test_a_job_that_waits_keeps_the_settings_of_its_submission(demo: Project, undisturbed: bytes, status_command: str):
    """The partition is down when the job is submitted, and up again after config.yaml and the scale have changed."""
    run = Run(long_training(demo), status_command)
    slurm("scontrol update PartitionName=low State=DOWN")
    try:
        run.start()
        run.until(lambda: "PENDING" in run.jobs().values(), "no job waits")
        demo.edit("workflow/scales/smoke.yaml", "train.max_updates", 5)
        demo.edit("config.yaml", "seeds", [2])
        slurm("scontrol update PartitionName=low State=UP")
        assert run.ends() == 0, run.screen()[-6000:]
    finally:
        slurm("scontrol update PartitionName=low State=UP")
        if run.driver is not None and run.driver.poll() is None:
            os.killpg(run.driver.pid, signal.SIGKILL)
        for number in run.jobs():
            slurm(f"scancel {number}")
    assert weights(run.project) == undisturbed
    folder = run.project.root / MODEL
    settings = json.loads((folder.parent / "settings.json").read_text())
    assert settings["train"]["max_updates"] == json.loads((folder.parent / "record.json").read_text())["updates"] != 5
