"""Two trainings on one state folder, as people start them: here, on another machine, after a kill, after a silence."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from helpers.gated_jobs import Job, checkpoints, holder
from helpers.support import environment, need
from helpers.toy_task import Notes

from docmt.training.exit import Reason, read_exit
from docmt.training.survey import state_of

OTHER_HOST = ["unshare", "--uts", "sh", "-c", 'hostname other-host && exec "$@"', "sh"]


@pytest.fixture
def other_host() -> list[str]:
    """What a command begins with that is to run on a machine of another name."""
    need("unshare")
    done = subprocess.run([*OTHER_HOST, "true"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs leave to unshare the name of the machine: {done.stderr.strip()}")
    return OTHER_HOST


@pytest.fixture
def first(folder) -> Iterator[Job]:
    """A training that has come to update 8; the checkpoint of update 6 is there."""
    with Job(folder, 8) as job:
        yield job.at_work()
        job.kill()


REFUSED = (
    "docmt: {state}: another training works on this state folder\n"
    "  found process {pid} on {host}, last sign of life 0 seconds ago\n"
    "  wait until it ends, or end it with `kill {pid}` on {host}; then run again\n"
)


def check_refused(first: Job, status: int, said: str) -> None:
    names = {"state": first.folder.paths.state, "pid": first.pid, "host": socket.gethostname()}
    assert (status, re.sub(r"life \d+", "life 0", said)) == (75, REFUSED.format(**names)), said
    assert state_of(first.folder.paths.state) == ("running", "")


def test_a_second_training_is_refused_and_the_first_unharmed(reference, folder, first):
    check_refused(first, *Job(folder).ended())
    assert first.ended()[0] == 0
    assert folder.weights() == reference.weights()
    assert not folder.paths.state.exists()


@pytest.mark.slow
def test_one_on_another_machine_is_waited_for_and_refuses_by_a_sign_of_life(folder, first, other_host):
    status, said = Job(folder, before=other_host).ended()
    waiting, refused = said.split("\n", 1)
    assert waiting.startswith(f"process {first.pid} on ")
    assert "waiting for another one, or for 300 seconds without one" in waiting
    check_refused(first, status, refused)


def test_one_that_was_silent_for_long_is_followed_and_ends_when_it_wakes(reference, folder, first, other_host):
    first.send_signal(signal.SIGSTOP)
    second = Job(folder, 11, stale_s=1.0, before=other_host)
    second.until(lambda: holder(folder) == second.pid and len(checkpoints(folder)) == 2)
    first.send_signal(signal.SIGCONT)
    status, said = first.ended()
    assert status == 75, said
    assert said.splitlines()[-3] == f"docmt: {folder.paths.state}: this state folder is not this training's any more"
    assert "Traceback" not in said
    status, said = second.ended()
    assert status == 0, said
    assert re.search(r"gave no sign of life for \d+ seconds: training goes on here", said)
    assert "resuming from the checkpoint of update 6" in said
    assert folder.weights() == reference.weights()
    assert [line["update"] for line in folder.metrics()] == [line["update"] for line in reference.metrics()]
    assert read_exit(folder.paths.output).reason is Reason.FINISHED
    assert not folder.paths.state.exists()


@pytest.mark.slow
def test_one_that_wakes_after_all_is_over_changes_nothing(reference, folder, first, other_host):
    first.send_signal(signal.SIGSTOP)
    status, said = Job(folder, stale_s=1.0, before=other_host).ended()
    assert status == 0, said
    before = {path: path.stat().st_mtime_ns for path in folder.paths.output.rglob("*")}
    first.send_signal(signal.SIGCONT)
    status, said = first.ended()
    assert status == 75, said
    assert "Traceback" not in said and "found no lease" in said
    assert {path: path.stat().st_mtime_ns for path in folder.paths.output.rglob("*")} == before
    assert not folder.paths.state.exists()
    assert folder.weights() == reference.weights()


@pytest.mark.slow
def test_after_a_kill_the_next_job_goes_on_at_once(reference, folder, first):
    first.kill()
    os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
    assert state_of(folder.paths.state) == ("killed", "")
    notes = Notes()
    assert folder.train(notes)
    assert notes.steps[0].update == 7 and not notes.said("waiting")
    assert folder.weights() == reference.weights()


@pytest.mark.slow
def test_ranks_that_are_refused_end_alike(folder, first):
    command = [sys.executable, "-m", "docmt.cli.main", *folder.command(), "--ranks", "2"]
    second = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert second.returncode == 75, second.stderr
    assert second.stderr.count("another training works on this state folder") == 2
    assert "rank 1: the first rank cannot go on" in second.stderr and "Traceback" not in second.stderr
    assert read_exit(folder.paths.state) is None
