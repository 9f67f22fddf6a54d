"""Asked to end, by whom and at whatever time: one checkpoint, one line, one status; and a screen that is gone."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import psutil
import pytest
from helpers.gated_jobs import Job, holder
from helpers.support import environment
from helpers.toy_task import Folder, Notes

from docmt.supervision import stop as stopping
from docmt.supervision.exit import Reason, read_exit
from docmt.supervision.stop import SIGNALS, StopRequest
from docmt.training import job, outputs


def ask(number: signal.Signals = signal.SIGTERM) -> None:
    signal.raise_signal(number)


def check_stopped(folder: Folder, status: int, said: str, update: int) -> None:
    """In good order, told once, and nobody has the folder any more."""
    assert status == 75, said
    assert said.count(f"asked to stop: checkpoint of update {update} written") == 1
    assert "Traceback" not in said
    ending = read_exit(folder.paths.state)
    assert (ending.reason, ending.status, ending.update) == (Reason.STOPPED, 75, update)
    assert not (folder.paths.output / "process.json").exists()


def check_goes_on(folder: Folder, reference: Folder, after: int) -> None:
    notes = Notes()
    assert folder.train(notes)
    assert notes.steps[0].update == after + 1
    assert folder.weights() == reference.weights()


# --- Ctrl-C


def test_a_second_interrupt_counts_unless_it_comes_with_the_first(monkeypatch):
    with StopRequest() as stop:
        ask(signal.SIGINT)
        ask(signal.SIGINT)
        assert stop.requested == "SIGINT"
        monkeypatch.setattr(stopping, "AGAIN_S", 0.0)
        with pytest.raises(KeyboardInterrupt):
            ask(signal.SIGINT)
        ask(signal.SIGINT)  # nothing disturbs what cleans up
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_signals_may_come_again_and_again():
    with StopRequest() as stop:
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            ask(number)
        assert stop.requested == "SIGINT"


def test_signals_that_were_blocked_are_heard():
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    ask()
    with StopRequest() as stop:
        assert stop.requested == "SIGTERM"


@pytest.mark.slow
def test_ctrl_c_twice_ends_at_once_with_one_line(reference, folder):
    with Job(folder, 8) as job:
        job.at_work().send_signal(signal.SIGINT)
        time.sleep(stopping.AGAIN_S + 0.2)
        job.send_signal(signal.SIGINT)
        status, said = job.ended(goes_on=False)
    assert status == 130, said
    assert (
        said.splitlines()[-1]
        == "docmt: interrupted again, so the training ended at once; the checkpoint of update 6 stays"
    )
    assert "Traceback" not in said
    ending = read_exit(folder.paths.state)
    assert (ending.reason, ending.status, ending.update) == (Reason.STOPPED, 130, 7)
    check_goes_on(folder, reference, after=6)


# --- at any time


def test_asked_before_it_began_nothing_is_changed(folder, monkeypatch):
    plain = job.prepare
    monkeypatch.setattr(job, "prepare", lambda *arguments: (ask(), plain(*arguments))[1])
    notes = Notes()
    assert not folder.train(notes)
    assert notes.lines == ["asked to stop before training began: nothing was changed; run again"]
    assert not folder.paths.state.exists() and not folder.outputs()


def test_asked_while_it_writes_its_outputs_it_finishes(reference, folder, monkeypatch):
    plain = outputs.save_model
    monkeypatch.setattr(outputs, "save_model", lambda *arguments: (ask(), plain(*arguments)))
    assert folder.train()
    assert folder.weights() == reference.weights()
    assert not folder.paths.state.exists()


def test_ended_at_once_while_it_writes_its_outputs_nothing_is_half_written(reference, folder, monkeypatch):
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(outputs, "copy_files", interrupted)
    with pytest.raises(KeyboardInterrupt, match="the checkpoint of update 12 stays"):
        folder.train()
    assert folder.outputs() == ["tensorboard"]
    monkeypatch.undo()
    assert folder.train()
    assert folder.weights() == reference.weights()


EARLY = """
import os, signal, sys
from docmt.cli.main import main
from docmt.steps import train
plain = train.train_here
def train_here(*arguments):
    os.kill(os.getpid(), getattr(signal, "{signal}"))
    return plain(*arguments)
train.train_here = train_here
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_asked_before_torch_is_there_it_ends_as_ever(folder, name):
    command = [sys.executable, "-c", EARLY.format(signal=name), *folder.command()]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (75, "")
    assert folder.log(1) == "asked to stop before training began: nothing was changed; run again\n"
    assert not folder.paths.state.exists()


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2])
def test_asked_at_any_time_of_its_start(reference, folder, ranks):
    """Before Python runs docmt the system ends it; after that it ends in order, with or without a checkpoint."""
    generator = random.Random(ranks)
    for _ in range(8):
        job = Job(folder, 12, ranks)
        time.sleep(generator.uniform(0.0, 4.0))
        os.killpg(job.pid, signal.SIGTERM)
        status, said = job.ended()
        assert status in (75, -signal.SIGTERM), said
        assert "Traceback" not in said
        assert not list(folder.paths.state.glob(".*.part")) and not (folder.paths.output / "process.json").exists()
    assert folder.train()
    assert folder.weights() == reference.weights()


# --- several processes


def ranks_of(job: Job) -> list[int]:
    """The first rank, then the other."""
    children = psutil.Process(job.pid).children()
    return [child.pid for child in sorted(children, key=lambda child: child.environ()["RANK"])]


WHOM: dict[str, Callable[[Job], None]] = {
    "SIGINT to the group": lambda job: os.killpg(job.pid, signal.SIGINT),
    "SIGTERM to the launcher": lambda job: job.send_signal(signal.SIGTERM),
    "SIGTERM to the second": lambda job: os.kill(ranks_of(job)[1], signal.SIGTERM),
}


@pytest.mark.parametrize("whom", [pytest.param(name, marks=pytest.mark.slow) for name in WHOM])
def test_of_two_ranks_all_stop_together(reference, folder, whom):
    """With two micro-batches an update, two ranks sum up as one process does, to the bit."""
    with Job(folder, 8, ranks=2) as job:
        WHOM[whom](job.at_work())
        # Time for a second delivery, which must not be taken for a second request.
        time.sleep(0.2)
        check_stopped(folder, *job.ended(), update=8)
    check_goes_on(folder, reference, after=8)


@pytest.mark.slow
def test_ranks_whose_launcher_is_killed_end_and_the_next_job_goes_on(reference, folder):
    with Job(folder, 8, ranks=2) as job:
        ranks = [psutil.Process(number) for number in ranks_of(job.at_work())]
        job.kill()
        gone, alive = psutil.wait_procs(ranks, timeout=60)
        assert len(gone) == 2 and not alive
    check_goes_on(folder, reference, after=6)


@pytest.mark.slow
def test_a_training_whose_parent_is_killed_goes_on_and_keeps_the_folder(reference, folder):
    parent = Job(folder, 8, before=["sh", "-c", '"$@"; exit $?', "sh"])
    parent.at_work().kill()
    parent.wait()
    training = psutil.Process(holder(folder))
    second = Job(folder).waiting()
    assert holder(folder) == training.pid
    parent.gate.touch()
    psutil.wait_procs([training], timeout=120)
    assert second.ended()[0] == 0 and second.said().endswith(" is finished already\n")
    assert folder.weights() == reference.weights()


# --- a screen that is gone


def with_broken_screen(folder: Folder, *options: str) -> int:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "docmt.cli.main", *folder.command(), *options]
    try:
        return subprocess.run(command, env=environment(), stdout=writing, stderr=writing, timeout=120).returncode
    finally:
        os.close(writing)


@pytest.mark.slow
def test_a_training_goes_on_without_its_screen(reference, folder):
    assert with_broken_screen(folder) == 0
    assert folder.weights() == reference.weights()
