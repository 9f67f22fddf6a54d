"""Whoever of a workflow is asked to stop, a training ends in good order, and goes on to the same bits."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from helpers.support import Project
from interrupted import MODEL, RUN, STATE, UPDATES, WAIT_S, long_training, started, weights

Told = Callable[[subprocess.Popen, psutil.Process, signal.Signals], None]


def group(driver: subprocess.Popen, training: psutil.Process, number: signal.Signals) -> None:
    """As a terminal, `timeout` and schedulers send it."""
    os.killpg(driver.pid, number)


def snakemake_alone(driver: subprocess.Popen, training: psutil.Process, number: signal.Signals) -> None:
    driver.send_signal(number)


def job(driver: subprocess.Popen, training: psutil.Process, number: signal.Signals) -> None:
    """The process that the workflow has started: the training, or the launcher of its ranks."""
    psutil.Process(driver.pid).children()[0].send_signal(number)


def last_rank(driver: subprocess.Popen, training: psutil.Process, number: signal.Signals) -> None:
    """The last one, which writes nothing."""
    psutil.Process(driver.pid).children()[0].children()[-1].send_signal(number)


RANKS = ("--set-resources", "train:gpu=2")
SLOW = pytest.mark.slow
CASES = [
    pytest.param(group, signal.SIGTERM, (), id="group TERM"),
    pytest.param(group, signal.SIGINT, (), id="group INT", marks=SLOW),
    pytest.param(snakemake_alone, signal.SIGINT, (), id="snakemake INT", marks=SLOW),
    pytest.param(snakemake_alone, signal.SIGKILL, (), id="snakemake KILL", marks=SLOW),
    pytest.param(job, signal.SIGTERM, (), id="job TERM", marks=SLOW),
    pytest.param(job, signal.SIGINT, (), id="job INT", marks=SLOW),
    pytest.param(group, signal.SIGTERM, RANKS, id="group of two ranks TERM", marks=SLOW),
    pytest.param(group, signal.SIGINT, RANKS, id="group of two ranks INT", marks=SLOW),
    pytest.param(job, signal.SIGTERM, RANKS, id="launcher TERM", marks=SLOW),
    pytest.param(last_rank, signal.SIGTERM, RANKS, id="one rank of two TERM", marks=SLOW),
    pytest.param(last_rank, signal.SIGINT, RANKS, id="one rank of two INT", marks=SLOW),
]


def ended(driver: subprocess.Popen, training: psutil.Process) -> int:
    """The workflow and all that it started; its status."""
    started_by_it = [training, *training.children(recursive=True)]
    status = driver.wait(timeout=WAIT_S)
    _, left = psutil.wait_procs(started_by_it, timeout=WAIT_S)
    assert not left, "a process has outlived its workflow"
    return status


@pytest.mark.parametrize(("told", "number", "options"), CASES)
def test_a_training_stops_in_good_order(
    demo, undisturbed: bytes, programs: Path, told: Told, number: signal.Signals, options: tuple[str, ...]
):
    project = long_training(demo)
    driver, training = started(project, *options)
    told(driver, training, number)
    status = ended(driver, training)
    assert status == (-number if number == signal.SIGKILL else 1)
    said = json.loads((project.root / STATE / "exit.json").read_text())
    assert (said["reason"], said["status"]) == ("stopped", 75) and said["message"].startswith("asked to stop")
    assert 0 < said["update"] < UPDATES and not (project.root / MODEL).exists()
    log = (project.root / f"logs/5_training/{RUN}.log").read_text()
    assert "Traceback" not in log and log.count("asked to stop") == 1
    check_it_goes_on(project, options, programs, undisturbed if options == () else None)


def check_it_goes_on(project: Project, options: tuple[str, ...], programs: Path, undisturbed: bytes | None) -> None:
    """From its checkpoint, to the same bits as a training that nobody disturbed; where none is given it is made."""
    project.snakemake("--unlock", MODEL)
    # Ranks are processes of the real program.
    project.snakemake("--cores", "1", MODEL, *options, check=True, programs=None if options else programs)
    assert "resuming from the checkpoint" in (project.root / f"logs/5_training/{RUN}.log").read_text()
    resumed = weights(project)
    if undisturbed is None:
        project.snakemake("--cores", "1", MODEL, "--forcerun", "train", *options, check=True)
        undisturbed = weights(project)
    assert resumed == undisturbed


@pytest.mark.slow
def test_snakemake_alone_ends_after_its_jobs_when_it_is_terminated(demo):
    """It starts nothing more: the training is made to its end, and need not be made again."""
    project = long_training(demo)
    driver, training = started(project)
    driver.send_signal(signal.SIGTERM)
    assert ended(driver, training) == 1
    assert json.loads((project.root / f"results/5_training/{RUN}/exit.json").read_text())["reason"] == "finished"
    done = project.snakemake("-n", MODEL, check=True)
    assert "Nothing to be done" in done.stdout + done.stderr
