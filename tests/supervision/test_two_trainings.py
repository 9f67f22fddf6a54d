"""Two trainings in one folder, as people start them: here, on another machine, after a kill, after a silence."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.gated_jobs import Job, checkpoints, holder
from helpers.support import need
from helpers.toy_task import Folder, Notes

from docmt.supervision.exit import Reason, read_exit
from docmt.supervision.survey import state_of

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


@pytest.mark.nightly
def test_a_second_training_goes_on_where_the_first_has_stopped(reference, folder, first):
    second = Job(folder).waiting()
    first.terminate()
    assert first.ended()[0] == 75
    status, said = second.ended()
    assert status == 0 and "resuming from the checkpoint of update 8" in said
    assert folder.weights() == reference.weights()


@pytest.mark.slow
def test_one_that_was_silent_for_long_is_followed_and_ends_when_it_wakes(reference, folder, first, other_host):
    first.send_signal(signal.SIGSTOP)
    second = Job(folder, 11, stale_s=1.0, before=other_host)
    second.until(lambda: holder(folder) == second.pid and len(checkpoints(folder)) == 2)
    first.send_signal(signal.SIGCONT)
    status, said = first.ended()
    assert status == 75, said
    assert said.splitlines()[-3] == f"docmt: {folder.paths.output}: another process has taken over this folder"
    assert "Traceback" not in said
    status, said = second.ended()
    assert status == 0, said
    assert re.search(r"gave no sign of life for \d+ seconds: this process goes on here", said)
    assert "resuming from the checkpoint of update 6" in said
    assert folder.weights() == reference.weights()
    assert [line["update"] for line in folder.metrics()] == [line["update"] for line in reference.metrics()]
    assert read_exit(folder.paths.output).reason is Reason.FINISHED
    assert not folder.paths.state.exists()


def times(folder: Folder) -> dict[Path, int]:
    """When each output was written."""
    paths = [path for path in folder.paths.output.rglob("*") if not path.name.startswith("log.")]
    return {path: path.stat().st_mtime_ns for path in paths}


@pytest.mark.slow
def test_one_that_wakes_after_all_is_over_changes_nothing(reference, folder, first, other_host):
    first.send_signal(signal.SIGSTOP)
    status, said = Job(folder, stale_s=1.0, before=other_host).ended()
    assert status == 0, said
    before = times(folder)
    first.send_signal(signal.SIGCONT)
    status, said = first.ended()
    assert status == 75, said
    assert "Traceback" not in said and "found no process works on it" in said
    assert times(folder) == before
    assert not folder.paths.state.exists()
    assert folder.weights() == reference.weights()


@pytest.mark.slow
def test_after_a_kill_the_next_job_goes_on_at_once(reference, folder, first):
    first.kill()
    os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
    assert state_of(folder.paths.output) == ("killed", "")
    notes = Notes()
    assert folder.train(notes)
    assert notes.steps[0].update == 7 and not notes.said("waiting")
    assert folder.weights() == reference.weights()
