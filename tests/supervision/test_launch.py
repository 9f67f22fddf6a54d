"""Ranks of one command: whose exit status counts, and what becomes of those that do not end."""

import subprocess
import sys

import pytest

from docmt.supervision import launch
from docmt.supervision.exit import blamed_status


@pytest.mark.parametrize(
    "statuses, status",
    [
        ([0, 0], 0),
        ([1, 2], 2),
        ([1, -9], 137),
        ([70, 1], 70),
    ],
)
def test_the_status_is_that_of_the_rank_to_blame(statuses, status):
    assert blamed_status(statuses) == status


def process(code: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", code])


def test_a_rank_that_does_not_end_after_another_failed_is_killed(monkeypatch):
    monkeypatch.setattr(launch, "ALONE_S", 0.2)
    processes = [process("import time; time.sleep(600)"), process("raise SystemExit(2)")]
    assert launch.wait(processes) == 2
    assert processes[0].wait(timeout=60) == -9


def test_all_may_take_their_time_as_long_as_none_failed(monkeypatch):
    monkeypatch.setattr(launch, "ALONE_S", 0.0)
    processes = [process("import time; time.sleep(0.5)"), process("")]
    assert launch.wait(processes) == 0
    assert [process.returncode for process in processes] == [0, 0]
