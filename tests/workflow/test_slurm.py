"""Jobs on a real Slurm: their names, all their ends, and a driver that is killed; with a workflow of a few seconds."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from snakemake_executor_plugin_docmt_slurm.naming import digest_of_folder

pytestmark = pytest.mark.slow

SNAKEFILE = """
from snakemake.logging import logger
from docmt.plan.growth import let_resources_grow
from docmt.plan.job_log import JobLog

rule all:
    input: "out/ted.w_link.1.txt"
    localrule: True

rule train:
    output: "out/{corpus}.{system}.{seed}.txt"
    resources: mem_mb=100, runtime=1
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> tries;"
        "until [ -e go ] || [ {resources.runtime} -gt 1 ]; do sleep 0.2; done; touch {output}"

rule part:
    output: "part{number}.txt"
    group: "small"
    resources: mem_mb=100, runtime=1
    shell: "until [ -e go ]; do sleep 0.2; done; touch {output}"

rule whole:
    input: "part1.txt", "part2.txt"
    output: "whole.txt"
    group: "small"
    resources: mem_mb=100, runtime=1
    shell: "touch {output}"

let_resources_grow(workflow.rules)
logger.addHandler(JobLog(workflow, lambda job: False))
"""
OPTIONS = ("--executor", "docmt-slurm", "--jobs", "4", "--latency-wait", "10", "--docmt-slurm-logdir", "logs")
POLLS = (
    *("--docmt-slurm-init-seconds-before-status-checks", "1"),
    *("--docmt-slurm-max-seconds-between-status-checks", "2"),
)
BOTH = pytest.mark.parametrize("command", ["squeue", "sacct"])


class Runs:
    """Drivers in one folder, and their jobs in Slurm."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.drivers: list[subprocess.Popen] = []
        (root / "Snakefile").write_text(SNAKEFILE)

    def start(self, *arguments: str, command: str = "squeue") -> subprocess.Popen:
        python = (sys.executable, "-m", "snakemake")
        options = (*OPTIONS, *POLLS, "--docmt-slurm-status-command", command, "--default-resources", "nodes=1")
        with self.screen.open("a") as screen:
            driver = subprocess.Popen(
                [*python, *arguments, *options], cwd=self.root, stdout=screen, stderr=screen, start_new_session=True
            )
        self.drivers.append(driver)
        return driver

    @property
    def screen(self) -> Path:
        return self.root / "screen.log"

    def jobs(self, states: str = "PENDING,RUNNING,COMPLETING") -> dict[str, str]:
        """The names of this folder's jobs by their numbers."""
        call = ["squeue", "--me", f"--states={states}", "--noheader", "--format=%i|%j|%k"]
        lines = [line.split("|", 2) for line in subprocess.check_output(call, text=True).splitlines()]
        project = f" project={digest_of_folder(self.root)} "
        return {number: name for number, name, comment in lines if project in comment}

    def until(self, there: Callable[[], bool], seconds: int = 120) -> None:
        """Wait until something holds; the driver's screen is shown where it does not within some time."""
        end = time.monotonic() + seconds
        while not there():
            assert time.monotonic() < end, self.screen.read_text()
            time.sleep(0.2)

    def tries(self) -> list[str]:
        path = self.root / "tries"
        return path.read_text().splitlines() if path.exists() else []

    def go(self) -> None:
        (self.root / "go").touch()

    def end(self, driver: subprocess.Popen, status: int = 0) -> None:
        assert driver.wait(timeout=240) == status, self.screen.read_text()


@pytest.fixture
def runs(cluster, tmp_path) -> Iterator[Runs]:
    runs = Runs(tmp_path)
    yield runs
    for driver in runs.drivers:
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
    if runs.jobs():
        subprocess.run(["scancel", *runs.jobs()], check=True)


def need_accounting(command: str) -> None:
    if command == "sacct" and subprocess.run(["sacct", "-X"], capture_output=True).returncode != 0:
        pytest.skip("needs a Slurm with accounting")


@BOTH
def test_a_cancelled_job_runs_again_with_what_it_had_and_its_name_says_what_it_is(runs, command):
    need_accounting(command)
    driver = runs.start("--retries", "1", command=command)
    runs.until(lambda: len(runs.tries()) == 1)
    assert [*runs.jobs().values()] == ["docmt.train.ted.w_link.seed1"]
    subprocess.run(["scancel", *runs.jobs()], check=True)
    runs.until(lambda: len(runs.tries()) == 2)
    runs.go()
    runs.end(driver)
    assert runs.tries() == ["100 1", "100 1"]


@BOTH
def test_a_cancelled_job_without_another_try_ends_the_run(runs, command):
    need_accounting(command)
    driver = runs.start(command=command)
    runs.until(lambda: len(runs.tries()) == 1)
    subprocess.run(["scancel", *runs.jobs()], check=True)
    runs.end(driver, status=1)
    assert "its state is CANCELLED" in runs.screen.read_text()


@BOTH
def test_a_requeued_job_is_waited_for(runs, command):
    need_accounting(command)
    driver = runs.start("--docmt-slurm-requeue", command=command)
    runs.until(lambda: len(runs.tries()) == 1)
    (number,) = runs.jobs()
    subprocess.run(["scontrol", "requeue", number], check=True)
    runs.until(lambda: len(runs.tries()) == 2)
    runs.go()
    runs.end(driver)
    assert list(runs.jobs(states="all")) == [number]


def test_a_job_that_ran_out_of_time_gets_more_of_it_and_no_more_memory(runs):
    driver = runs.start("--retries", "1")
    runs.end(driver)
    assert runs.tries() == ["100 1", "100 2"]
    assert "its state is TIMEOUT" in runs.screen.read_text()
    assert not list((runs.root / "results/state/failures").rglob("*.json"))


def test_a_killed_driver_that_is_started_again_submits_nothing_twice(runs):
    first = runs.start()
    runs.until(lambda: len(runs.tries()) == 1)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    subprocess.run([sys.executable, "-m", "snakemake", "--unlock"], cwd=runs.root, check=True, capture_output=True)
    second = runs.start("--rerun-incomplete")
    runs.until(lambda: "of an earlier run does job" in runs.screen.read_text())
    runs.go()
    runs.end(second)
    assert len(runs.jobs(states="all")) == len(runs.tries()) == 1


def test_an_interrupted_driver_leaves_no_job(runs):
    driver = runs.start()
    runs.until(lambda: len(runs.tries()) == 1)
    driver.send_signal(signal.SIGINT)
    runs.end(driver, status=1)
    runs.until(lambda: not runs.jobs())


def test_a_group_is_one_job_with_one_name_that_the_next_driver_waits_for(runs):
    first = runs.start("whole.txt", "--group-components", "small=2")
    runs.until(lambda: bool(runs.jobs(states="RUNNING")))
    assert [*runs.jobs().values()] == ["docmt.part+whole.3jobs"]
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    subprocess.run([sys.executable, "-m", "snakemake", "--unlock"], cwd=runs.root, check=True, capture_output=True)
    second = runs.start("whole.txt", "--group-components", "small=2", "--rerun-incomplete")
    runs.until(lambda: "of an earlier run does job" in runs.screen.read_text())
    runs.go()
    runs.end(second)
    assert len(runs.jobs(states="all")) == 1
