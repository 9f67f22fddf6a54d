"""`docmt list-trainings`: the table."""

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from docmt.base.artifacts import write_json
from docmt.cli import status
from docmt.cli.main import build
from docmt.training.survey import TrainingState

RUNNING = TrainingState(
    *("paper", "ted", "g_transformer", "seed2", "running"),
    update=1200,
    max_updates=5000,
    loss=3.21049,
    dev=3.5,
    best=3.25,
    target_tokens_per_s=12345.6,
    left_s=7384.0,
    device_hours=1.256,
)
FAILED = TrainingState("paper", "ted", "sentence", "seed1", "failed", "out of memory", update=7)


def test_a_line_has_what_is_known_of_a_training():
    assert status.cells(RUNNING) == (
        *("g_transformer", "ted", "paper", "2", "1200 / 5000", "3.210", "3.500 (3.250)", "12,346", "2h 03m", "1.26"),
        "running",
    )
    unknown = ("-",) * 5
    assert status.cells(FAILED) == ("sentence", "ted", "paper", "1", "7", *unknown, "failed: out of memory")


def test_plain_columns_stand_below_each_other(capsys):
    status.show([RUNNING, FAILED])
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == " ".join(status.COLUMNS).split()
    state = heading.index("state")
    assert [row[state:] for row in rows] == ["running", "failed: out of memory"]
    update = heading.index("update") + len("update")
    assert [row[:update].split()[4:] for row in rows] == [["1200", "/", "5000"], ["7"]]
    status.show([])
    assert capsys.readouterr().out == "no training yet\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(9.4, "0m 09s"), (249, "4m 09s"), (7500, "2h 05m"), (3 * 86400 + 4 * 3600 + 5, "3d 04h")]
)
def test_durations(seconds, text):
    assert status.duration(seconds) == text


def test_a_terminal_has_a_table_with_the_same_cells():
    screen = Console(file=io.StringIO(), force_terminal=True, width=200)
    screen.print(status.table([RUNNING, FAILED]))
    shown = screen.file.getvalue()
    assert all(cell in shown for training in (RUNNING, FAILED) for cell in status.cells(training))


@pytest.fixture
def results(tmp_path):
    output = tmp_path / "results/5_training/smoke/toy/sentence/seed1"
    write_json(output / "record.json", {"updates": 6, "target_tokens_per_s": 10.0, "device_hours": 0.5})
    return tmp_path / "results"


def test_without_a_terminal_the_table_is_plain_text(results, capsys):
    done = CliRunner().invoke(build(), ["status", "--results", str(results)])
    assert done.exit_code == 0
    numbers = {"update": 6, "target_tokens_per_s": 10.0, "device_hours": 0.5}
    expected = TrainingState("smoke", "toy", "sentence", "seed1", "finished", **numbers)
    status.show([expected])
    assert done.stdout == capsys.readouterr().out


@pytest.mark.parametrize("terminal", [False, True])
def test_follow_looks_again_until_it_is_interrupted(monkeypatch, results, terminal):
    waits, looks = [], []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        looks.append(sorted(results.rglob("*.json")))
        record = results / f"5_training/smoke/toy/sentence/seed{len(waits) + 1}/record.json"
        write_json(record, {"updates": 60 + len(waits), "target_tokens_per_s": 10.0})
        if len(waits) == 3:
            raise KeyboardInterrupt

    screen = io.StringIO()
    screen.isatty = lambda: terminal
    monkeypatch.setattr(status.time, "sleep", wait)
    monkeypatch.setattr(status.sys, "stdout", screen)
    status.status(results, follow=True, every=7.0)
    assert waits == [7.0] * 3
    assert [len(look) for look in looks] == [1, 2, 3]
    assert "62" in screen.getvalue()
