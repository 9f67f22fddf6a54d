"""`docmt list-trainings`: the table."""

import json
from pathlib import Path

import pytest
from helpers.command_line import output
from helpers.recipes import write_settings

from docmt.base.artifacts import write_json
from docmt.cli import trainings
from docmt.supervision.survey import TrainingState

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
        *("2 h 03 min", "1.26", "running"),
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


def test_no_training_is_said_as_json_too(tmp_path):
    assert json.loads(output("list-trainings", "--results", tmp_path, "--json")) == []
    assert output("list-trainings", "--results", tmp_path) == "no training yet\n"
