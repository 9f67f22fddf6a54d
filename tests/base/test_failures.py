"""The failed attempts of jobs, on disk and on the way to a job."""

import json

import pytest

from docmt.base.failures import (
    VARIABLE,
    Counts,
    FailureCause,
    counts_at_submission,
    counts_of,
    failed_attempts,
    failures_file,
    forget_failures,
    job_text,
    note_failure,
    written_counts,
)

JOB = job_text("train", {"system": "concat_3", "corpus": "toy_zh-en", "seed": "1"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_job_is_called_by_its_rule_and_its_names_in_order():
    assert JOB == "train corpus=toy_zh-en seed=1 system=concat_3"
    assert job_text("all", {}) == "all"
    assert job_text("download", {"file": "a b|'$"}) == "download file=a%20b%7C%27%24"


def test_failures_are_counted_by_their_cause_until_the_job_succeeds():
    for allocation, cause in enumerate(
        [FailureCause.MEMORY, FailureCause.OTHER, FailureCause.TIME, FailureCause.MEMORY]
    ):
        note_failure(JOB, cause, str(allocation), "")
    assert counts_of(JOB) == Counts(memory=2, time=1)
    assert counts_of(job_text("train", {"corpus": "ted"})) == Counts()
    forget_failures(JOB)
    forget_failures(JOB)
    assert (counts_of(JOB), failed_attempts(JOB)) == (Counts(), [])


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ([FailureCause.MEMORY, FailureCause.OTHER], FailureCause.MEMORY),
        ([FailureCause.MEMORY, FailureCause.TIME], FailureCause.TIME),
        ([FailureCause.OTHER, FailureCause.OTHER], FailureCause.OTHER),
    ],
)
def test_what_two_say_of_one_allocation_is_one_failure(causes, expected, order):
    for cause in causes[::order]:
        note_failure(JOB, cause, "7", str(cause))
    assert [attempt.cause for attempt in failed_attempts(JOB)] == [expected]


def test_attempts_without_an_allocation_count_each():
    for _ in range(2):
        note_failure(JOB, FailureCause.MEMORY, "", "killed (status 137)")
    assert counts_of(JOB).memory == 2


@pytest.mark.parametrize("text", ["", "[]", '{"attempts": [{"cause": "thirst"}]}', '{"attempts": [{"cause": "time"}]}'])
def test_a_damaged_file_counts_as_none(text):
    note_failure(JOB, FailureCause.TIME, "1", "TIMEOUT")
    failures_file(JOB).write_text(text)
    assert counts_of(JOB) == Counts()


def test_files_of_long_names_differ_and_fit_a_file_system():
    jobs = [job_text("item", {"item": "x" * 400 + end}) for end in "ab"]
    names = {failures_file(job).name for job in jobs}
    assert len(names) == 2
    assert max(map(len, names)) < 255


def test_a_job_has_the_counts_that_the_driver_sent_and_not_those_on_disk(monkeypatch):
    other = job_text("scores", {"system": "a,b"})
    text = written_counts({JOB: Counts(1, 2), other: Counts()})
    assert not set(text) & set(" '$`\\")
    assert list(json.loads(text).values()) == [[1, 2]]
    assert counts_at_submission(JOB) is None
    monkeypatch.setenv(VARIABLE, text)
    assert (counts_at_submission(JOB), counts_at_submission(other)) == (Counts(1, 2), Counts())
