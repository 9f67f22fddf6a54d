"""One training at a time on a state folder, whoever comes second and wherever it runs."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gated_jobs import ENVIRONMENT, Job, checkpoints, holder
from toy_task import Folder, Notes, make_folder

from docmt.core.artifacts import write_json
from docmt.training import lease
from docmt.training.exit import Failure, Reason, read_exit, write_exit
from docmt.training.lease import Lease
from docmt.training.survey import state_of

OTHER_HOST = ["unshare", "--uts", "sh", "-c", 'hostname other-host && exec "$@"', "sh"]
ELSEWHERE = {"host": "node7", "process": 7, "began": "1", "token": "its"}


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Folder:
    """A training that nobody disturbed."""
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run")
    assert folder.train()
    return folder


@pytest.fixture
def folder(tmp_path) -> Folder:
    return make_folder(tmp_path / "run")


@pytest.fixture
def other_host() -> list[str]:
    """What a command begins with that is to run on a machine of another name."""
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


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def take(folder: Path, note: Callable[[str], None] = print, give_up: Callable = lambda: None) -> Lease:
    taken = Lease(folder)
    taken.take(lambda: None, note, give_up)
    return taken


# --- two jobs as people start them


REFUSED = (
    "docmt: {state}: another training works on this state folder\n"
    "  found process {pid} on {host}, last sign of life 0 seconds ago\n"
    "  wait until it ends, or end it with `kill {pid}` on {host}; then run again\n"
)


def test_a_second_training_is_refused_here_and_elsewhere_and_the_first_unharmed(reference, folder, first, other_host):
    status, said = Job(folder).ended()
    names = {"state": folder.paths.state, "pid": first.pid, "host": socket.gethostname()}
    assert (status, re.sub(r"life \d+", "life 0", said)) == (75, REFUSED.format(**names))
    status, said = Job(folder, before=other_host).ended()
    waiting, refused = said.split("\n", 1)
    assert (status, re.sub(r"life \d+", "life 0", refused)) == (75, REFUSED.format(**names)), said
    assert waiting.startswith(f"process {first.pid} on ") and "waiting for the next, or 300 without one" in waiting
    assert state_of(folder.paths.state) == ("running", "")
    assert first.ended()[0] == 0
    assert folder.weights() == reference.weights()
    assert not folder.paths.state.exists()


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
    assert "Traceback" not in said and "found none that has it" in said
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
    second = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert second.returncode == 75, second.stderr
    assert second.stderr.count("another training works on this state folder") == 2
    assert "rank 1: the first rank cannot go on" in second.stderr and "Traceback" not in second.stderr
    assert read_exit(folder.paths.state) is None


# --- what is written, by whom


def elsewhere(folder: Path, age_s: float) -> Path:
    """The lease of a training on another machine, whose last sign of life was so long ago."""
    file = folder / lease.FILE
    write_json(file, ELSEWHERE)
    touched = time.time() - age_s
    os.utime(file, (touched, touched))
    return file


def test_a_refusal_leaves_the_folder_as_it_is(folder):
    """Also where the first one had ended badly once, and where the second one is of other settings."""
    state = folder.paths.state
    assert not folder.train(Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM)))
    with take(state):
        before = content(state)
        for other in (folder, folder.changed(lr=1e-3)):
            with pytest.raises(Failure, match="another training works on this state folder") as problem:
                other.train(set_aside=True)
            assert (problem.value.reason, problem.value.status) == (Reason.IN_USE, 75)
            assert content(state) == before


def test_a_mistake_of_a_second_job_is_not_recorded_as_the_firsts_end(folder):
    with take(folder.paths.state):
        write_json(folder.paths.state / "run.json", {})
        (folder.paths.view / "train.arrow").write_bytes(b"damaged")
        with pytest.raises(Exception, match="arrow"):
            folder.train()
        assert read_exit(folder.paths.state) is None


@pytest.mark.parametrize("age_s", [lease.STALE_S + 60, -3600.0])
def test_a_lease_is_stale_by_its_age_or_by_waiting_for_a_sign(folder, monkeypatch, age_s):
    """As where a clock was set back: a sign of life from the future is none that others see."""
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    if age_s < 0:
        monkeypatch.setattr(lease, "STALE_S", 0.1)
    folder.paths.state.mkdir()
    elsewhere(folder.paths.state, age_s)
    said = []
    with take(folder.paths.state, said.append) as taken:
        assert taken.is_held()
        assert said[-1].startswith("process 7 on node7 gave no sign of life for ")
        assert len(said) == 1 + (age_s < 0)


@pytest.mark.parametrize(
    ("options", "reason"), [({}, Reason.STOPPED), ({"deadline_minutes": 0.0}, Reason.DEADLINE)], ids=["SIGTERM", "time"]
)
def test_who_waits_may_be_stopped(folder, monkeypatch, options, reason):
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    folder.paths.state.mkdir()
    elsewhere(folder.paths.state, 0.0)
    before = content(folder.paths.state)
    notes = Notes()
    if reason is Reason.STOPPED:
        monkeypatch.setattr(notes, "note", lambda text: "waiting" in text and os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(Failure) as problem:
        folder.train(notes, **options)
    assert (problem.value.reason, problem.value.status) == (reason, 75)
    assert str(problem.value).startswith(f"{folder.paths.state}: {reason} while it waited for this state folder")
    assert content(folder.paths.state) == before


def test_a_lease_that_ends_in_order_while_another_waits_is_that_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "LOOK_S", 0.01)
    file = elsewhere(tmp_path, 0.0)
    with take(tmp_path, give_up=lambda: file.unlink(missing_ok=True)) as taken:
        assert taken.is_held()


def test_an_unknown_or_damaged_lease_is_waited_for(tmp_path):
    for text in ("{", '{"host": "here"}'):
        (tmp_path / lease.FILE).write_text(text)
        with pytest.raises(Failure, match="stopped while it waited"):
            take(tmp_path, give_up=lambda: Reason.STOPPED)


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
    elsewhere(folder.paths.state, 0.0)


WHEN = {
    "before a checkpoint": (6, None),
    "before a line": (4, None),
    "at a sign of life": (2, 0.0),
    "before the outputs": (12, None),
}


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

    with pytest.raises(Failure, match="this state folder is not this training's any more") as problem:
        folder.train(Notes(each=act))
    assert (problem.value.reason, problem.value.status) == (Reason.LEASE_LOST, 75)
    assert problem.value.found == "that of process 7 on node7"
    assert content(folder.paths.state) == seen[0]
    assert not (folder.paths.output / "model").exists()


def test_who_lost_the_lease_says_so_of_whatever_fails(folder):
    def act(step) -> None:
        lose(folder)
        raise FileNotFoundError(".checkpoint.part")

    with pytest.raises(Failure, match="this state folder is not this training's any more"):
        folder.train(Notes(each=act))
    assert read_exit(folder.paths.state) is None


def test_an_end_in_order_gives_the_lease_back(folder):
    assert not folder.train(Notes(each=lambda step: os.kill(os.getpid(), signal.SIGTERM)))
    assert not (folder.paths.state / lease.FILE).exists()
    with pytest.raises(ZeroDivisionError):
        folder.train(Notes(each=lambda step: 1 / 0))
    assert not (folder.paths.state / lease.FILE).exists()
    assert read_exit(folder.paths.state).reason is Reason.ERROR


def test_signs_of_life_are_written_at_most_so_often(tmp_path):
    now = [0.0]
    held = Lease(tmp_path, clock=lambda: now[0])
    held.take(lambda: None, print, lambda: None)
    file, touched = tmp_path / lease.FILE, []
    for _ in range(4):
        now[0] += 0.6 * lease.BEAT_S
        os.utime(file, (1, 1))
        held.beat()
        touched.append(file.stat().st_mtime > 1)
    assert touched == [False, True, False, True]


# --- many at once

CLAIMANT = """
import sys, time
from pathlib import Path
from docmt.training.exit import Failure
from docmt.training.lease import Lease
folder, log, held = Path(sys.argv[1]), Path(sys.argv[2]), Lease(Path(sys.argv[1]))
while not log.exists():
    time.sleep(0.001)
try:
    held.take(lambda: None, print, lambda: None)
    print("taken", flush=True)
    sys.stdin.read()
except Failure as problem:
    print(problem.reason, flush=True)
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
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    command = [sys.executable, "-c", code, str(state), str(log)]
    processes = [subprocess.Popen(command, **pipes) for _ in range(10)]
    log.touch()
    answers = [process.stdout.readline().strip() for process in processes]
    assert sorted(answers) == ["in use"] * 9 + ["taken"]
    winner = processes[answers.index("taken")]
    assert json.loads((state / lease.FILE).read_text())["process"] == winner.pid
    for process in processes:
        process.communicate()


def test_the_lock_is_on_the_folder_and_ends_with_its_block(tmp_path):
    with lease.alone_in(tmp_path) as locked:
        assert locked
        handle = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)


def test_the_status_of_a_state_that_was_interrupted_at_once_is_stopped(tmp_path):
    write_exit(tmp_path, Reason.STOPPED, 3, "interrupted again", 130)
    assert state_of(tmp_path) == ("stopped", "stopped")
