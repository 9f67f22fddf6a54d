"""Whoever of a workflow is asked to stop, a training ends in good order, and goes on to the same bits."""

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from interrupted import UPDATES, WAIT_S, LongTraining, jobs_of

Told = Callable[[subprocess.Popen, psutil.Process, signal.Signals], None]


def group(driver: subprocess.Popen, process: psutil.Process, number: signal.Signals) -> None:
    """As a terminal, `timeout` and schedulers send it."""
    os.killpg(driver.pid, number)


def snakemake_alone(driver: subprocess.Popen, process: psutil.Process, number: signal.Signals) -> None:
    driver.send_signal(number)


def job(driver: subprocess.Popen, process: psutil.Process, number: signal.Signals) -> None:
    """The process that the workflow has started: the training, or the launcher of its ranks."""
    next(jobs_of(driver)).send_signal(number)


def last_rank(driver: subprocess.Popen, process: psutil.Process, number: signal.Signals) -> None:
    """The last one, which writes nothing."""
    next(jobs_of(driver)).children()[-1].send_signal(number)


RANKS = ("--set-resources", "train:gpu=2")
SLOW = pytest.mark.slow
CASES = [
    pytest.param(group, signal.SIGTERM, (), id="group TERM"),
    pytest.param(group, signal.SIGINT, (), id="group INT", marks=SLOW),
    pytest.param(snakemake_alone, signal.SIGKILL, (), id="snakemake KILL", marks=SLOW),
    pytest.param(job, signal.SIGTERM, (), id="job TERM", marks=SLOW),
    pytest.param(job, signal.SIGINT, (), id="job INT", marks=SLOW),
    pytest.param(group, signal.SIGTERM, RANKS, id="group of two ranks TERM", marks=SLOW),
    pytest.param(group, signal.SIGINT, RANKS, id="group of two ranks INT", marks=SLOW),
    pytest.param(job, signal.SIGTERM, RANKS, id="launcher TERM", marks=SLOW),
    pytest.param(last_rank, signal.SIGTERM, RANKS, id="one rank of two TERM", marks=SLOW),
    pytest.param(last_rank, signal.SIGINT, RANKS, id="one rank of two INT", marks=SLOW),
]


def ended(driver: subprocess.Popen, process: psutil.Process) -> int:
    """Wait until the workflow and all that it started have ended; return its status."""
    started_by_it = [process, *process.children(recursive=True)]
    status = driver.wait(timeout=WAIT_S)
    _, left = psutil.wait_procs(started_by_it, timeout=WAIT_S)
    assert not left, "a process has outlived its workflow"
    return status


@pytest.mark.slow
@pytest.mark.parametrize(("told", "number", "options"), CASES)
def test_a_training_stops_in_good_order(
    demo, undisturbed: bytes, programs: Path, told: Told, number: signal.Signals, options: tuple[str, ...]
):
    training = LongTraining(demo)
    driver, process = training.started(*options)
    told(driver, process, number)
    status = ended(driver, process)
    assert status == (-number if number == signal.SIGKILL else 1)
    said = training.ending()
    assert (said["reason"], said["status"]) == ("stopped", 75) and said["message"].startswith("asked to stop")
    assert 0 < said["update"] < UPDATES and not training.is_finished()
    if number != signal.SIGKILL and told in (group, job):
        stopped = rf"stopped: {training.place}/log\.1\.txt: .*asked to stop"
        assert re.search(stopped, training.screen()), training.screen()
    assert "Traceback" not in training.log() and training.log().count("asked to stop") == 1
    assert not list(training.folder.rglob("process.json")), "the leases are given back"
    check_it_goes_on(training, options, programs, undisturbed if options == () else None)


def check_it_goes_on(
    training: LongTraining, options: tuple[str, ...], programs: Path, undisturbed: bytes | None
) -> None:
    """From its checkpoint, to the same bits as a training that nobody disturbed; where none is given it is made."""
    training.project.snakemake("--unlock", training.target)
    # Ranks are processes of the real program.
    training.train(*options, programs=None if options else programs)
    assert "resuming from the checkpoint" in training.log()
    resumed = training.weights()
    if undisturbed is None:
        training.train("--forcerun", "train", *options)
        undisturbed = training.weights()
    assert resumed == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_snakemake_alone_ends_after_its_jobs_when_it_is_asked_to_stop(demo, number: signal.Signals):
    """It starts nothing more: the training is made to its end, and need not be made again."""
    training = LongTraining(demo)
    driver, process = training.started()
    driver.send_signal(number)
    assert ended(driver, process) == 1
    assert training.ending()["reason"] == "finished"
    record = (training.folder / "record.json").read_bytes()
    if number == signal.SIGTERM:  # after SIGINT Snakemake calls the job again, which is finished
        done = training.train("-n")
        assert "Nothing to be done" in done.stdout + done.stderr
    training.project.snakemake("--unlock", training.target)
    training.train()
    assert (training.folder / "record.json").read_bytes() == record
