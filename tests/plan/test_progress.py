"""How far a plan is: what counts as running, queued and failed."""

from pathlib import Path

import pytest
from helpers.plans import planner_of

from docmt.cluster.comments import Purpose
from docmt.cluster.jobs import ClusterJob
from docmt.plan.driver import targets_of
from docmt.plan.logs import log_of
from docmt.plan.progress import progress_of, running_here


class Planned:
    """A plan of a small project of which nothing is made yet, and a training of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.planner = root, planner_of(root)
        self.plan = self.planner.plan(targets_of(self.planner, ["all"]))
        self.job = next(job for job in self.plan.reasons if job.is_training)

    def progress(self, here=(), there=None, stopped=(), has_driver=False):
        return progress_of(self.planner, self.plan, here, there or {}, stopped, has_driver)

    def train(self, **facts):
        return {state: n for state, n in self.progress(**facts).rules["train"].items() if state != "to come"}

    def log(self, text: str) -> None:
        path = self.root / log_of(self.job)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def planned(small, monkeypatch) -> Planned:
    monkeypatch.chdir(small.root)
    return Planned(small.root)


def attempt(state: str) -> ClusterJob:
    return ClusterJob("7", state, "None", "/", Purpose("train"))


def test_before_a_run_everything_is_to_come(planned):
    progress = planned.progress()
    assert {*progress.total} == {"to come"} and progress.total["to come"] == len(planned.plan.reasons)
    assert [*progress.rules] == [*dict.fromkeys(job.rule for job in planned.plan.order)]


@pytest.mark.parametrize(
    ("state", "expected"),
    [("PENDING", "queued"), ("RUNNING", "running"), ("TIMEOUT", "failed"), ("COMPLETED", None)],
)
def test_a_cluster_says_where_a_job_is(planned, state, expected):
    told = planned.train(there={planned.job: attempt(state)}, has_driver=True)
    assert told == ({expected: 1} if expected else {})


def test_what_runs_on_this_machine_is_running_whatever_a_cluster_said(planned):
    assert planned.train(here=[planned.job], there={planned.job: attempt("TIMEOUT")}) == {"running": 1}
    assert [*running_here(planned.plan, {planned.job.recipe_path, "other"})] == [planned.job]


def test_a_log_is_of_a_failed_job_if_it_has_an_error_or_nothing_runs(planned):
    planned.log("update 1\ndocmt: warning: slow\n")
    assert planned.train(has_driver=True) == {}, "it may run on a machine that cannot be seen"
    assert planned.train() == {"failed": 1}
    for error in ("docmt: no memory", "Traceback (most recent call last):\n  x\nKeyError: 1"):
        planned.log(f"update 1\n{error}\n")
        (failure,) = planned.progress(has_driver=True).failures
        assert failure.why == error.splitlines()[-1] and failure.log == log_of(planned.job)


def test_a_log_beside_a_manifest_is_that_of_an_earlier_success(planned):
    planned.log("docmt: no memory\n")
    manifest = planned.root / planned.job.manifest
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{}")
    assert planned.train() == {}


def test_a_training_that_stopped_with_a_checkpoint_has_not_failed(planned):
    planned.log("docmt: interrupted\n")
    assert planned.train(stopped=[planned.job]) == {}
