"""`docmt list-trainings`: the table."""

import io
import json
from functools import partial
from pathlib import Path

import pytest
from helpers.command_line import output
from helpers.recipes import write_settings
from rich.console import Console

from docmt.base.artifacts import write_json
from docmt.cli import trainings
from docmt.training.survey import TrainingState

RUNNING = TrainingState(
    *("paper", "ted", "g_transformer", "2", "0123456789", "running"),
    update=1200,
    max_updates=5000,
    loss=3.21049,
    dev=3.5,
    best=3.25,
    target_tokens_per_s=12345.6,
    left_s=7384.0,
    device_hours=1.256,
)
FAILED = TrainingState("paper", "ted", "sentence", "1", "abcdef0123", "failed", "out of memory", update=7)


def test_a_line_has_what_is_known_of_a_training():
    assert trainings.cells(RUNNING) == (
        *("g_transformer", "ted", "paper", "2", "0123456789", "1200 / 5000", "3.210", "3.500 (3.250)", "12,346"),
        *("2h 03m", "1.26", "running"),
    )
    unknown = ("-",) * 5
    known = ("sentence", "ted", "paper", "1", "abcdef0123", "7")
    assert trainings.cells(FAILED) == (*known, *unknown, "failed: out of memory")


def test_plain_columns_stand_below_each_other(capsys):
    trainings.show([RUNNING, FAILED])
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == " ".join(trainings.COLUMNS).split()
    state = heading.index("state")
    assert [row[state:] for row in rows] == ["running", "failed: out of memory"]
    update = heading.index("update") + len("update")
    assert [row[:update].split()[5:] for row in rows] == [["1200", "/", "5000"], ["7"]]
    trainings.show([])
    assert capsys.readouterr().out == "no training yet\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(9.4, "0m 09s"), (249, "4m 09s"), (7500, "2h 05m"), (3 * 86400 + 4 * 3600 + 5, "3d 04h")]
)
def test_durations(seconds, text):
    assert trainings.duration(seconds) == text


def test_a_terminal_has_a_table_with_the_same_cells():
    screen = Console(file=io.StringIO(), force_terminal=True, width=200)
    screen.print(trainings.table([RUNNING, FAILED]))
    text = screen.file.getvalue()
    assert all(cell in text for training in (RUNNING, FAILED) for cell in trainings.cells(training))


def finish(results: Path, seed: int, updates: int, **more: object) -> None:
    """Write what a finished training leaves, as far as the list reads it."""
    folder = results / f"5_training/toy/sentence/seed{seed}/0123456789"
    names = {"scale": "smoke", "corpus": "toy", "system": "sentence", "seed": seed, "train": {}}
    write_settings(folder / "job.json", names)
    write_json(folder / "record.json", {"updates": updates, "target_tokens_per_s": 10.0, **more})
    write_json(folder / "manifest.json", {})


@pytest.fixture
def results(tmp_path) -> Path:
    finish(tmp_path / "results", 1, 6, device_hours=0.5)
    return tmp_path / "results"


def test_without_a_terminal_the_table_is_plain_text(results, capsys):
    printed = output("list-trainings", "--results", results)
    numbers = {"update": 6, "target_tokens_per_s": 10.0, "device_hours": 0.5}
    expected = TrainingState("smoke", "toy", "sentence", "1", "0123456789", "finished", **numbers)
    trainings.show([expected])
    assert printed == capsys.readouterr().out


def follow(monkeypatch, results, acts, terminal: bool, as_json: bool = False) -> str:
    """Return what `--follow` prints; at each wait it calls the next of `acts`, and after the last Ctrl-C comes."""
    waits = iter(acts)

    def wait(seconds: float) -> None:
        assert seconds == 7.0
        act = next(waits, None)
        if act is None:
            raise KeyboardInterrupt
        act()

    screen = io.StringIO()
    screen.isatty = lambda: terminal
    monkeypatch.setattr(trainings.time, "sleep", wait)
    monkeypatch.setattr(trainings.time, "strftime", lambda form: "12:00:00")
    monkeypatch.setattr(trainings.sys, "stdout", screen)
    trainings.list_trainings(results, follow=True, every=7.0, as_json=as_json)
    assert next(waits, None) is None
    return screen.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_follow_looks_again_until_it_is_interrupted(monkeypatch, results, terminal):
    acts = [partial(finish, results, number + 1, 60 + number) for number in (1, 2, 3)]
    assert "62" in follow(monkeypatch, results, acts, terminal)


def test_without_a_terminal_follow_prints_what_changed_alone(monkeypatch, results):
    """First all trainings, then those that are new or changed, and nothing where nothing did."""
    acts = [lambda: None, partial(finish, results, 2, 9), lambda: None, partial(finish, results, 1, 8)]
    rates = "tokens/s 10"
    assert follow(monkeypatch, results, acts, terminal=False).splitlines() == [
        f"12:00:00 sentence/toy/smoke/1/0123456789: update 6, {rates}, device-hours 0.50, state finished",
        f"12:00:00 sentence/toy/smoke/2/0123456789: update 9, {rates}, state finished",
        f"12:00:00 sentence/toy/smoke/1/0123456789: update 8, {rates}, state finished",
    ]


def test_changes_as_json_are_an_object_per_line(monkeypatch, results):
    text = follow(monkeypatch, results, [lambda: None, partial(finish, results, 2, 9)], terminal=True, as_json=True)
    changes = map(json.loads, text.splitlines())
    assert [(change["seed"], change["update"], change["state"]) for change in changes] == [
        ("1", 6, "finished"),
        ("2", 9, "finished"),
    ]


def test_no_training_is_said_as_json_too(tmp_path):
    assert json.loads(output("list-trainings", "--results", tmp_path, "--json")) == []
    assert output("list-trainings", "--results", tmp_path) == "no training yet\n"
