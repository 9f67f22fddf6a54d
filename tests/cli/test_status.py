"""`docmt status`: what it shows of a state, without a project."""

import io
import time
from collections import Counter

import pytest
from rich.console import Console

from docmt.api.status import RunStatus
from docmt.cli import status
from docmt.cluster.comments import Purpose
from docmt.cluster.jobs import ClusterJob
from docmt.cluster.slurm import Queue
from docmt.plan.jobs import Job
from docmt.plan.progress import JobFailure, RunProgress
from docmt.plan.spending import Spending

NOTHING = Spending(0, 0, 0, ())


def queued(number: int, reason: str = "Priority", started: str = "") -> ClusterJob:
    purpose = Purpose("train", (("seed", str(number)),))
    return ClusterJob(str(number), "PENDING", reason, "/", purpose, submitted="2026-01-02T03:04:05", started=started)


def state(jobs=(), driver="here", failures=(), spending=NOTHING, problems=()) -> RunStatus:
    progress = RunProgress({"train": Counter({"done": 2, "to come": 1})}, tuple(failures))
    return RunStatus("all", "paper", progress, (), spending, Queue(True, problems=problems), tuple(jobs), driver)


def printed(now: RunStatus, capsys) -> str:
    status.show(now)
    return capsys.readouterr().out


def test_the_driver_is_named(capsys):
    for driver, words in (("here", "on this machine"), ("none", "No run"), ("elsewhere or killed", "--unlock")):
        assert words in printed(state(driver=driver), capsys).splitlines()[1]


def test_a_thousand_waiting_jobs_are_counted_by_reason_and_some_are_listed(capsys):
    text = printed(state([*map(queued, range(1000)), queued(1000, "JobHeldUser")]), capsys)
    assert "  1000 jobs queued: jobs of higher priority come first (Priority)\n  1 job queued: it is held" in text
    assert "The first 20 queued jobs are listed; --json has all of them." in text
    assert sum("train " in line for line in text.splitlines()) == 1 + status.LISTED
    assert "scancel" not in text


def test_jobs_that_nobody_waits_for_are_named_with_what_ends_them(capsys):
    text = printed(state(map(queued, range(25)), driver="none"), capsys)
    assert f"scancel {' '.join(map(str, range(20)))} ...\n" in text


def test_the_start_that_slurm_expects_is_told(capsys):
    today = time.strftime("%Y-%m-%d")
    text = printed(state([queued(1, started=f"{today}T23:58:00"), queued(2, started="2031-01-02T03:04:05")]), capsys)
    assert "(Priority); expected to start at 23:58\n" in text
    assert "expected to start at 2031-01-02 03:04\n" in text


def test_problems_of_slurm_are_told(capsys):
    assert "\n  squeue failed: status 1\n" in printed(state(problems=("squeue failed: status 1",)), capsys)


def test_failures_beyond_the_first_are_counted(capsys):
    job = Job.of("train", scale="smoke", corpus="toy", system="sentence", seed=1)
    text = printed(state(failures=[JobFailure(job, "no memory", "a.log")] * 25), capsys)
    assert text.count("results/5_training/smoke/toy/sentence/seed1: no memory (a.log)") == status.LISTED
    assert "\n  ... and 5 more\n" in text


@pytest.mark.parametrize(
    ("spending", "line"),
    [
        (NOTHING, "Device-hours of trainings: 0.00 used of 0.00."),
        (Spending(1, 4, 0, ("a rate",)), "1.00 used of about 4.00 (25%).\nEstimated at a rate."),
        (Spending(0.001, 1000, 0, ("x", "y")), "less than 0.01 used of about 1,000.00 (0%).\nEstimated at x; y."),
        (Spending(2, 2, 3, ()), "(100%). Not estimated, since nobody states the size of the corpus: 3 trainings."),
    ],
)
def test_device_hours(spending, line, capsys):
    assert line in printed(state(spending=spending), capsys)


def test_the_page_of_a_terminal_has_the_same_parts():
    console = Console(file=io.StringIO(), width=200, color_system=None)
    now = state([queued(1)])
    console.print(status.page(now))
    text = console.file.getvalue()
    for words in (
        "all at the scale paper: 3 jobs: 2 done, 1 to come",
        "to come",
        "Slurm: 0 running, 1 queued.",
        "train 1",
    ):
        assert words in text


def test_a_terminal_shows_a_page_and_then_the_next(monkeypatch, capsys):
    pages = []

    class Reader:
        def read(self):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(time, "sleep", pages.append)
    with pytest.raises(KeyboardInterrupt):
        status.follow(Reader(), state(), 5, as_json=False)
    assert pages == [5] and "3 jobs: 2 done" in capsys.readouterr().out
