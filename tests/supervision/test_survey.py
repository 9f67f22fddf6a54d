"""How trainings stand, from the files that they write."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.toy_task import Notes, make_folder

from docmt.base.artifacts import SCRATCH, write_json
from docmt.supervision import lease, survey
from docmt.supervision.exit import Reason, write_exit
from docmt.supervision.survey import TrainingState, training_state
from docmt.training.job import train

PLACE, ID = Path("5_training/toy/sentence/seed1"), "0123456789"
TRAIN = {"max_updates": 1000, "select_by": "loss"}


def lines(*updates: int, pace: float = 2.0, **more: object) -> list[dict]:
    """Of a training that takes `pace` seconds an update and validates every 40."""
    rows = []
    for update in updates:
        wall = pace * update
        numbers = {"loss": 5 - update / 100, "target_tokens_per_s": 900.0, "wall_s": wall, "device_hours": wall / 3600}
        rows.append({"kind": "train", "update": update, **numbers})
        if update % 40 == 0:
            rows.append({"kind": "dev", "update": update, "loss": 6 - update / 100, "bleu": update / 10, **more})
    return rows


def write_metrics(folder: Path, rows: list[dict], rest: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + rest, encoding="utf-8")


def make_state(results: Path, rows: list[dict], rest: str = "", **settings: object) -> Path:
    folder = results / PLACE / ID
    write_recipe(folder, **settings)
    write_metrics(folder / SCRATCH, rows, rest)
    write_json(folder / SCRATCH / "run.json", {})
    return folder / SCRATCH


def write_recipe(folder: Path, seed: int = 1, system: str = "sentence", **settings: object) -> None:
    names = {"scale": "paper", "corpus": "toy", "system": system, "seed": seed}
    write_json(folder / "job.json", {"version": 1, "settings": {**names, "train": {**TRAIN, **settings}}, "hints": {}})


@pytest.fixture
def state(tmp_path) -> Path:
    return make_state(tmp_path, lines(20, 40, 60, 80, 100))


def hold(state: Path) -> None:
    """This process works on it."""
    lease.Lease(state.parent).take(print)


def only_training(results: Path) -> TrainingState:
    (training,) = survey.survey(results)
    return training


def test_a_running_training(tmp_path, state):
    hold(state)
    assert only_training(tmp_path) == TrainingState(
        *("paper", "toy", "sentence", "1", ID, "running"),
        update=100,
        max_updates=1000,
        loss=4.0,
        dev=pytest.approx(5.2),
        best=pytest.approx(5.2),
        target_tokens_per_s=900.0,
        left_s=pytest.approx(2.0 * 900),
        device_hours=pytest.approx(200 / 3600),
    )


@pytest.mark.parametrize("settings", [{"max_updates": None}, {}])
def test_what_cannot_be_known_yet_is_none(tmp_path, settings):
    folder = make_state(tmp_path, [], rest='{"kind": "train", "upd', **settings)
    hold(folder)
    training = only_training(tmp_path)
    assert (training.state, training.update) == ("running", 0)
    assert {training.loss, training.dev, training.best, training.left_s, training.device_hours} == {None}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (Reason.STOPPED, ("stopped", "stopped")),
        (Reason.DEADLINE, ("stopped", "deadline")),
        (Reason.HUNG, ("failed", "hung")),
    ],
)
def test_what_ended_says_why(tmp_path, state, reason, expected):
    hold(state)
    write_exit(state, reason, 100, "message")
    training = only_training(tmp_path)
    assert (training.state, training.reason) == expected
    assert training.left_s is None


def test_a_process_that_is_gone_was_killed(tmp_path, state):
    """At once, and though its number may be another process's by now."""
    code = "from pathlib import Path; from docmt.supervision.lease import Lease; "
    code += f"lease = Lease(Path({str(state.parent)!r})); lease.take(print); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as other:
        while not (state.parent / lease.FILE).exists():
            assert other.poll() is None
        assert only_training(tmp_path).state == "running"
        other.kill()
        # Nobody has asked for its status yet.
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        assert only_training(tmp_path).state == "killed"
    assert only_training(tmp_path).state == "killed"
    claimed = json.loads((state.parent / lease.FILE).read_text())
    write_json(state.parent / lease.FILE, {**claimed, "process": os.getpid()})
    assert only_training(tmp_path).state == "killed"


@pytest.mark.parametrize(("age", "expected"), [(lease.STALE_S - 60, "running"), (lease.STALE_S + 60, "killed")])
def test_on_another_machine_signs_of_life_tell(tmp_path, state, age, expected):
    write_json(state.parent / lease.FILE, {"host": f"not-{socket.gethostname()}", "process": 1, "began": "1"})
    last = time.time() - age
    os.utime(state.parent / lease.FILE, (last, last))
    assert only_training(tmp_path).state == expected


def test_trainings_that_run_come_first_and_those_that_have_not_begun_are_left_out(tmp_path, state):
    hold(state)
    for seed in (1, 2, 3):
        folder = tmp_path / f"5_training/toy/b/seed{seed}/{ID}"
        write_recipe(folder, seed, "b")
        write_metrics(folder, lines(40))
        write_json(folder / "record.json", {"updates": 40, "target_tokens_per_s": 1.0})
        if seed != 3:
            write_json(folder / "manifest.json", {})
    names = [(training.system, training.seed, training.state) for training in survey.survey(tmp_path)]
    assert names == [("sentence", "1", "running"), ("b", "1", "finished"), ("b", "2", "finished")]


def test_a_real_training_from_its_beginning_to_its_end(tmp_path):
    folder = make_folder(tmp_path / "run")
    output = folder.paths.output
    assert training_state(output) is None
    seen = []
    assert train(folder.paths, "cpu", 1, Notes(each=lambda step: seen.append(training_state(output))))
    assert {training.state for training in seen} == {"running"}
    assert [training.update for training in seen] == [0] * 4 + [4] * 4 + [8] * 4
    assert all((training.left_s is None) == (training.update == 0) for training in seen)
    end, record = training_state(output), json.loads((output / "record.json").read_text())
    assert (end.state, end.update, end.max_updates) == ("finished", 12, 12)
    assert end.device_hours == record["device_hours"] > seen[-1].device_hours
    assert (end.best, end.left_s) == (record["best_dev_loss"], None)
    before = sorted(path for path in tmp_path.rglob("*"))
    training_state(output)
    assert sorted(path for path in tmp_path.rglob("*")) == before
