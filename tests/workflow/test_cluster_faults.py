"""A training on a Slurm cluster that is disturbed in each way ends in the bits of a training that nobody disturbs.

`python tests/helpers/slurm_cluster.py up FOLDER` starts a cluster.
"""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.support import SMOKE, Project
from interrupted import LongTraining, start, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
WAIT_S = 300


def slurm(command: str) -> str:
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def setting(name: str) -> str:
    """A setting of the cluster."""
    lines = slurm("scontrol show config").splitlines()
    return next(line.split("=")[1].split()[0] for line in lines if line.startswith(name))


def set_job_age(seconds: int) -> None:
    """Let Slurm remember jobs for so long after their end."""
    file = Path("/etc/slurm/slurm.conf")
    file.write_text(re.sub(r"MinJobAge=\d+", f"MinJobAge={seconds}", file.read_text()))
    slurm("scontrol reconfigure")


class Run(LongTraining):
    """A run of the workflow on the cluster, which trains the sentence model."""

    driver: subprocess.Popen

    def start(self) -> None:
        options = ("--latency-wait", "10", "--docmt-slurm-init-seconds-before-status-checks", "2")
        self.driver = start(self.root, self.target, "--profile", "slurm", *options)

    def until_checkpoints(self) -> None:
        until(lambda: self.checkpoints() > 1 or self.driver.poll() is not None, self.screen, WAIT_S)
        assert self.driver.poll() is None, self.screen()

    def jobs(self) -> dict[str, str]:
        """The numbers of the project's jobs that are in the queue or run, with their states."""
        lines = slurm("squeue -h -o '%i|%T|%Z'").splitlines()
        jobs = [line.split("|") for line in lines]
        return {number: state for number, state, folder in jobs if folder == str(self.root)}

    def job(self) -> str:
        """The number of the one job that runs."""
        numbers = [number for number, state in self.jobs().items() if state == "RUNNING"]
        assert len(numbers) == 1, self.jobs()
        return numbers[0]


@pytest.fixture
def run(cluster, demo: Project) -> Iterator[Run]:
    """A run, whose driver and jobs are ended after the test."""
    run = Run(demo)
    yield run
    if run.driver.poll() is None:
        os.killpg(run.driver.pid, signal.SIGKILL)
    for number in run.jobs():
        slurm(f"scancel {number}")
    set_job_age(300)


def cancel(run: Run) -> None:
    slurm(f"scancel {run.job()}")


def requeue(run: Run) -> None:
    slurm(f"scontrol requeue {run.job()}")


def reach_time_limit(run: Run) -> None:
    """Give the job less time than it needs: Slurm ends it with the state TIMEOUT.

    Slurm looks at times twice a minute. Until then the training is suspended, so it ends by SIGKILL.
    """
    run.process().suspend()
    slurm(f"scontrol update JobId={run.job()} TimeLimit=0:01")


def drain_node(run: Run) -> None:
    """Take the node out of service, and put its job back in the queue: it goes on elsewhere."""
    job = run.job()
    node = slurm(f"squeue -h -j {job} -o %N").strip()
    slurm(f"scontrol update NodeName={node} State=DRAIN Reason=test")
    try:
        slurm(f"scontrol requeue {job}")
        until(lambda: run.jobs().get(job) == "RUNNING", run.screen, WAIT_S)
        assert slurm(f"squeue -h -j {job} -o %N").strip() != node
    finally:
        slurm(f"scontrol update NodeName={node} State=RESUME")


def kill_step(run: Run) -> None:
    """End the training as the system does when memory runs out."""
    run.process().kill()


def preempt(run: Run) -> None:
    """Give the node to a job of a partition with a higher priority, which ends soon."""
    job = run.job()
    slurm("sbatch -p high --exclusive --nodes=2 -t 1 --output=/dev/null --wrap='sleep 3'")
    until(lambda: run.jobs().get(job) != "RUNNING", run.screen, WAIT_S)


def lose_controller(run: Run) -> None:
    """Stop the controller for a minute, in which Slurm answers no question."""
    controller = int(Path(setting("SlurmctldPidFile")).read_text())
    os.kill(controller, signal.SIGSTOP)
    try:
        time.sleep(60)
    finally:
        os.kill(controller, signal.SIGCONT)


def forget(run: Run) -> None:
    """Let Slurm forget jobs soon after their end, and earlier than the run asks for them, as MinJobAge has it."""
    slurm(f"scontrol requeue {run.job()}")
    set_job_age(2)


def kill_driver(run: Run) -> None:
    """End the driver, and start another one, while the job of the first one runs."""
    os.killpg(run.driver.pid, signal.SIGKILL)
    run.driver.wait()
    run.project.snakemake("--unlock", run.target, check=True)
    run.start()


FAULTS = (cancel, requeue, reach_time_limit, drain_node, preempt, kill_step, lose_controller, forget, kill_driver)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_disturbed_training_ends_in_the_same_bits(run: Run, undisturbed: bytes, fault):
    run.start()
    run.until_checkpoints()
    fault(run)
    assert run.driver.wait(timeout=WAIT_S) == 0, run.screen()[-6000:]
    assert run.weights() == undisturbed
    assert fault in (kill_driver, lose_controller) or "resuming from the checkpoint" in run.log()
    assert not run.scratch.exists()


def test_a_job_that_waits_keeps_the_settings_of_its_submission(run: Run, undisturbed: bytes):
    """The partition is down when the job is submitted, and up again after config.yaml and the scale have changed."""
    slurm("scontrol update PartitionName=low State=DOWN")
    try:
        run.start()
        until(lambda: "PENDING" in run.jobs().values(), run.screen)
        run.project.edit(SMOKE, "train.max_updates", 5)
        run.project.edit("config.yaml", "seeds", [2])
    finally:
        slurm("scontrol update PartitionName=low State=UP")
    assert run.driver.wait(timeout=WAIT_S) == 0, run.screen()[-6000:]
    assert run.weights() == undisturbed


def test_an_interrupted_driver_leaves_no_job_and_the_next_goes_on(run: Run, undisturbed: bytes):
    run.start()
    run.until_checkpoints()
    run.driver.send_signal(signal.SIGINT)
    assert run.driver.wait(timeout=WAIT_S) == 1, run.screen()
    until(lambda: not run.jobs(), run.screen)
    run.start()
    assert run.driver.wait(timeout=WAIT_S) == 0, run.screen()
    assert run.weights() == undisturbed and "resuming from the checkpoint" in run.log()
