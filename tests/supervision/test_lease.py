"""The lease of a folder: who gets it, who waits for it, and what one may write who lost it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.support import environment
from helpers.toy_task import Folder, Notes

from docmt.base.artifacts import write_json
from docmt.supervision import lease
from docmt.supervision.exit import Failure, Reason, read_exit
from docmt.supervision.lease import Lease

ELSEWHERE = {"host": "node7", "process": 7, "began": "1", "token": "its"}


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def take(folder: Path, note: Callable[[str], None] = print, is_over: Callable = lambda: False) -> Lease:
    lease_of_folder = Lease(folder)
    lease_of_folder.take(note, is_over)
    return lease_of_folder


# --- what is written, by whom


def elsewhere(folder: Path, age_s: float) -> Path:
    """The lease of a training on another machine, whose last sign of life was so long ago."""
    file = folder / lease.FILE
    write_json(file, ELSEWHERE)
    touched = time.time() - age_s
    os.utime(file, (touched, touched))
    return file


class Stopped(Notes):
    """Asks a training to stop as soon as it waits for another one."""

    def note(self, text: str) -> None:
        super().note(text)
        if "another process does this job" in text:
            os.kill(os.getpid(), signal.SIGTERM)


def test_who_waits_changes_nothing_and_may_be_stopped(folder, monkeypatch):
    """Also where the first one had ended badly once."""
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    assert not folder.train(Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM)))
    with take(folder.paths.output):
        before = content(folder.paths.state)
        notes = Stopped()
        assert not folder.train(notes)
        assert notes.lines[-1] == "asked to stop before training began: nothing was changed; run again"
        assert content(folder.paths.state) == before


def test_a_mistake_of_a_second_job_is_not_recorded_as_the_firsts_end(folder, monkeypatch):
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    with take(folder.paths.output):
        write_json(folder.paths.state / "run.json", {})
        (folder.paths.view / "train.arrow").write_bytes(b"damaged")
        with pytest.raises(Exception, match="arrow"):
            folder.train(Stopped())
        assert read_exit(folder.paths.state) is None


@pytest.mark.parametrize("age_s", [lease.STALE_S + 60, -3600.0])
def test_a_lease_is_stale_by_its_age_or_by_waiting_for_a_sign(folder, monkeypatch, age_s):
    """As where a clock was set back: a sign of life from the future is none that others see."""
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    if age_s < 0:
        monkeypatch.setattr(lease, "STALE_S", 0.1)
    elsewhere(folder.paths.output, age_s)
    said = []
    with take(folder.paths.output, said.append) as lease_of_folder:
        assert lease_of_folder.is_held()
        assert said[-1].startswith("process 7 on node7 gave no sign of life for ")
        assert len(said) == 1 + (age_s < 0)


def test_a_lease_that_ends_in_order_while_another_waits_is_that_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    file = elsewhere(tmp_path, 0.0)
    with take(tmp_path, is_over=lambda: file.unlink(missing_ok=True)) as lease_of_folder:
        assert lease_of_folder.is_held()


def test_a_sign_of_life_counts_though_it_comes_late(tmp_path, monkeypatch):
    """When the time of waiting is over as well."""
    monkeypatch.setattr(lease, "STALE_S", 0.05)
    monkeypatch.setattr(lease, "LOOK_S", 0.1)
    file, later = elsewhere(tmp_path, 0.0), time.time() + 1000
    signs = iter([lambda: os.utime(file, (later, later)), lambda: True])
    assert take(tmp_path, is_over=lambda: next(signs)()).token is None


def test_an_unknown_or_damaged_lease_is_waited_for(tmp_path):
    for text in ("{", '{"host": "here"}'):
        (tmp_path / lease.FILE).write_text(text)
        assert take(tmp_path, is_over=lambda: True).token is None


def test_a_container_of_this_machine_has_processes_of_its_own(tmp_path):
    with take(tmp_path):
        plain = json.loads((tmp_path / lease.FILE).read_text())
        for name in ("host", "boot", "namespace", "began"):
            write_json(tmp_path / lease.FILE, plain)
            assert lease.read_holder(tmp_path).process.is_alive()
            write_json(tmp_path / lease.FILE, {**plain, name: "" if name == "began" else "another"})
            assert lease.read_holder(tmp_path).process.is_alive() is None


def lose(folder: Folder) -> None:
    """Another training takes over, with all that stands there."""
    elsewhere(folder.paths.output, 0.0)


WHEN = {
    "before a checkpoint": (6, None),
    "before a line": (4, None),
    "at a sign of life": (2, 0.001),
    "before the outputs": (12, None),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("when", WHEN)
def test_who_lost_the_lease_ends_and_writes_nothing(folder, monkeypatch, when):
    update, beat_s = WHEN[when]
    if beat_s is not None:
        monkeypatch.setattr(lease, "BEAT_S", beat_s)
    seen = []

    def act(step) -> None:
        if step.update == update:
            lose(folder)
            seen.append(content(folder.paths.state))

    with pytest.raises(Failure, match="another process has taken over this folder") as problem:
        folder.train(Notes(each=act))
    assert (problem.value.reason, problem.value.status) == (Reason.LEASE_LOST, 75)
    assert problem.value.found == "process 7 on node7 works on it"
    assert content(folder.paths.state) == seen[0]
    assert not (folder.paths.output / "model").exists()


def test_who_lost_the_lease_says_so_of_whatever_fails(folder):
    def act(step) -> None:
        lose(folder)
        raise FileNotFoundError(".checkpoint.part")

    with pytest.raises(Failure, match="another process has taken over this folder"):
        folder.train(Notes(each=act))
    assert read_exit(folder.paths.state) is None


# --- many at once

CLAIMANT = """
import sys, time
from pathlib import Path
from docmt.supervision.lease import Lease
log, held = Path(sys.argv[2]), Lease(Path(sys.argv[1]))
while not log.exists():
    time.sleep(0.001)
held.take(lambda text: print(text, flush=True))
print("taken", flush=True)
sys.stdin.read()
"""
WITHOUT_LOCKS = "import fcntl\ndef flock(*_): raise OSError\nfcntl.flock = flock\n"


@pytest.mark.parametrize("code", [CLAIMANT, WITHOUT_LOCKS + CLAIMANT], ids=["locks", "no locks"])
def test_of_many_at_once_exactly_one_has_the_folder(tmp_path, code):
    """With locks there was a killed one before, without there was none."""
    state, log = tmp_path / "state", tmp_path / "go"
    if code == CLAIMANT:
        with take(state):
            plain = json.loads((state / lease.FILE).read_text())
        write_json(state / lease.FILE, {**plain, "began": "0"})
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment()}
    command = [sys.executable, "-c", code, str(state), str(log)]
    processes = [subprocess.Popen(command, **pipes) for _ in range(10)]
    log.touch()
    answers = [process.stdout.readline().strip() for process in processes]
    assert answers.count("taken") == 1 and sum("another process does this job" in answer for answer in answers) == 9
    winner = processes[answers.index("taken")]
    assert json.loads((state / lease.FILE).read_text())["process"] == winner.pid
    for process in processes:
        process.kill()
        process.communicate()
