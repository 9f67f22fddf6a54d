"""The ends of jobs: each state that Slurm states, with squeue and with sacct, and what is written down of failures."""

import re
from pathlib import Path

import pytest
from helpers.slurm_driver import Driver, group_of, job_of

from docmt.base.failures import FailureCause, failed_attempts, note_failure
from snakemake_executor_plugin_docmt_slurm.states import ENDED, PATIENCE, normal

BOTH = pytest.mark.parametrize("command", ["squeue", "sacct"])
TEXT = "corpus corpus=ted"


def running(cluster, command: str = "squeue", **settings) -> Driver:
    """A driver with one submitted job, number 101."""
    driver = Driver(status_command=command, **settings)
    driver.run_jobs([job_of("corpus", corpus="ted")])
    return driver


def with_states(cluster, command: str, states: list[str]) -> Driver:
    """A driver with a job in each of these states, numbers 101 and up; the corpus of a job is its state."""
    driver = Driver(status_command=command)
    driver.run_jobs([job_of("corpus", number, corpus=state) for number, state in enumerate(states)])
    for number, state in enumerate(states, 101):
        cluster.change(str(number), state=state)
    return driver


@BOTH
def test_jobs_that_wait_or_run_are_waited_for(cluster, command):
    states = ["PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED"]
    driver = with_states(cluster, command, states)
    assert len(driver.poll()) == len(driver.poll()) == len(states)


@BOTH
def test_a_job_that_is_done_is_done_and_leaves_no_failure(cluster, command):
    driver = running(cluster, command)
    cluster.change("101", state="COMPLETED")
    assert driver.poll() == []
    assert driver.done == ["101"]
    assert failed_attempts(TEXT) == []


@BOTH
def test_each_other_end_is_a_failure_with_its_cause(cluster, command):
    """A cancelled job is `CANCELLED by 0` in accounting; one that Slurm may start again is asked about once more."""
    states = [state for state, cause in ENDED.items() if cause]
    driver = with_states(cluster, command, states)
    driver.poll()
    assert driver.poll() == []
    assert sorted(re.search(r"state is (\w+)", message)[1] for _, message in driver.failed) == sorted(states)
    for state in states:
        attempts = failed_attempts(f"corpus corpus={state}")
        assert [(attempt.cause, attempt.what) for attempt in attempts] == [(ENDED[state], state)]


@BOTH
def test_jobs_that_slurm_starts_again_are_waited_for(cluster, command):
    driver = with_states(cluster, command, ["PREEMPTED", "NODE_FAIL"])
    for each in (None, "PENDING", "PREEMPTED", "RUNNING", "COMPLETED"):
        for number in ("101", "102") if each else ():
            cluster.change(number, state=each)
        driver.poll()
    assert (driver.done, driver.failed) == (["101", "102"], [])


def test_accounting_that_still_has_the_state_before_a_requeue_is_not_believed(cluster, monkeypatch):
    from snakemake_executor_plugin_docmt_slurm import states

    monkeypatch.setitem(states.QUERIES, "sacct", lambda ids: dict.fromkeys(ids, "PREEMPTED"))
    driver = running(cluster, "sacct")
    cluster.change("101", state="PENDING")
    assert driver.poll() == driver.poll() == driver.poll() == ["101"]


def test_a_job_that_squeue_has_forgotten_is_known_to_accounting(cluster):
    driver = running(cluster)
    cluster.change("101", state="OUT_OF_MEMORY", in_squeue=False)
    assert driver.poll() == []
    assert failed_attempts(TEXT)[0].cause is FailureCause.MEMORY


@BOTH
def test_a_job_that_slurm_no_longer_knows_has_failed_after_some_queries(cluster, command):
    driver = running(cluster, command)
    cluster.change("101", in_squeue=False, in_sacct=False)
    assert [driver.poll() for _ in range(PATIENCE)] == [["101"]] * (PATIENCE - 1) + [[]]
    assert "Slurm no longer knows it" in driver.failed[0][1]


@BOTH
def test_nothing_has_ended_while_slurm_does_not_answer(cluster, command):
    driver = running(cluster, command)
    cluster.refuse("squeue", "sacct")
    assert [driver.poll() for _ in range(PATIENCE + 1)] == [["101"]] * (PATIENCE + 1)


def test_the_time_between_queries_grows_to_the_largest_of_the_settings_and_begins_again(cluster):
    driver = running(cluster, init_seconds_before_status_checks=5, max_seconds_between_status_checks=30)
    waits = []
    for _ in range(4):
        driver.poll()
        waits.append(driver.next_seconds_between_status_checks)
    assert waits == [20, 30, 30, 30]
    cluster.change("101", state="COMPLETED")
    driver.poll()
    assert driver.next_seconds_between_status_checks == 5


def test_all_jobs_are_asked_for_at_once(cluster):
    driver = Driver()
    driver.run_jobs([job_of("corpus", number, corpus=f"c{number}") for number in range(3)])
    before = len(cluster.calls("squeue"))
    driver.poll()
    assert len(cluster.calls("squeue")) == before + 1


def test_of_a_group_the_jobs_without_outputs_have_failed(cluster):
    complete, missing = job_of("scores", 1, corpus="ted"), job_of("scores", 2, corpus="news")
    driver = Driver()
    driver.run_jobs([group_of(complete, missing)])
    Path(complete.output[0]).touch()
    cluster.change("101", state="TIMEOUT")
    driver.poll()
    assert failed_attempts("scores corpus=ted") == []
    assert failed_attempts("scores corpus=news")[0].cause is FailureCause.TIME


def test_what_the_job_itself_saw_of_a_kill_explains_the_state_failed(cluster):
    driver = running(cluster)
    note_failure(TEXT, FailureCause.MEMORY, "101", "killed (status 137)")
    cluster.change("101", state="FAILED")
    driver.poll()
    assert [attempt.cause for attempt in failed_attempts(TEXT)] == [FailureCause.MEMORY]


def test_states_are_compared_by_their_first_word():
    assert [normal(state) for state in ("CANCELLED by 0", "CANCELLED+", "timeout", "")] == [
        "CANCELLED",
        "CANCELLED",
        "TIMEOUT",
        "",
    ]
