"""Slurm's answers: recorded ones of Slurm 22.05, and those of stand-ins for its commands."""

import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.fake_slurm import answers

from docmt.cluster import slurm
from docmt.cluster.comments import Purpose
from docmt.cluster.jobs import ClusterJob
from docmt.cluster.slurm import read_queue, seconds

RECORDED = Path(__file__).parent / "recorded"
SQUEUE, SACCT = ((RECORDED / f"{name}.txt").read_text() for name in ("squeue", "sacct"))


def test_the_queue_of_a_real_slurm(tmp_path, monkeypatch):
    answers(tmp_path, monkeypatch, squeue=SQUEUE)
    queue = read_queue()
    assert queue.is_there and not queue.problems
    jobs = {job.number: job for job in queue.jobs}
    assert {number: job.phase for number, job in jobs.items()} == {
        "7": "failed",
        "11": "failed",
        "15": "failed",
        "14": "done",
        "8": "running",
        "9": "queued",
        "10": "queued",
        "12": "queued",
        "13": "queued",
    }
    training = jobs["8"]
    assert training.purpose.rule == "train" and training.folder == "/home/ada/project"
    assert (training.nodes, training.restarts, training.limit_s, training.left_s) == ("n1", 1, 1200, 1005)
    assert training.started == "2026-11-25T19:29:22" and training.about == "on n1"
    assert jobs["9"].started == "" and jobs["9"].about == "it starts after another job (Dependency)"
    assert [number for number, job in jobs.items() if job.is_stuck] == ["10"]
    assert jobs["11"].purpose.jobs == 12 and jobs["11"].about == "it reached its time limit"
    assert jobs["11"].left_s is None
    assert jobs["14"].purpose == Purpose("tokens", values="toy_zh-en@smoke_bpe")


def test_accounts_add_what_the_queue_has_forgotten(tmp_path, monkeypatch):
    answers(tmp_path, monkeypatch, squeue="", sacct=SACCT)
    jobs = {job.number: job for job in read_queue().jobs}
    assert {number: job.state for number, job in jobs.items()} == {
        "7": "FAILED",
        "11": "TIMEOUT",
        "14": "COMPLETED",
        "15": "CANCELLED",
    }
    answers(tmp_path, monkeypatch, squeue=SQUEUE.splitlines()[0].replace("CANCELLED", "PENDING"), sacct=SACCT)
    assert {job.number: job.state for job in read_queue().jobs}["15"] == "PENDING"


def test_without_slurm_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_queue() == slurm.Queue(False)


def test_no_accounts_are_no_problem(tmp_path, monkeypatch):
    answers(tmp_path, monkeypatch, squeue="")
    told = "echo 'Slurm accounting storage is disabled' >&2; exit 1"
    answers(tmp_path, monkeypatch, scripts={"sacct": told})
    assert read_queue() == slurm.Queue(True)


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (
            "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
            "squeue failed: slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        ),
        ("exit 3", "squeue failed: status 3"),
        ("echo nonsense", "squeue answered in a form that docmt does not know: nonsense"),
        ("echo '7|RUNNING|None'", "squeue answered in a form that docmt does not know: 7|RUNNING|None"),
        (r"printf '\033[31m|||||||||||||docmt a b=c'", r"squeue answered in a form that docmt does not know: \x1b[31m"),
        ("exec sleep 20", "squeue did not answer within 1 seconds"),
        (r"printf '\377\376\n'", "squeue answered in a form that docmt does not know: "),
    ],
)
def test_a_damaged_answer_is_one_sentence(tmp_path, monkeypatch, script, problem):
    monkeypatch.setattr(slurm, "WAIT_S", 1)
    answers(tmp_path, monkeypatch, sacct=SACCT, scripts={"squeue": script})
    queue = read_queue()
    assert len(queue.problems) == 1 and queue.problems[0].startswith(problem)
    assert "\n" not in queue.problems[0]
    assert [job.number for job in queue.jobs] == ["7", "11", "14", "15"]


def test_a_command_that_cannot_be_started_is_a_problem(tmp_path, monkeypatch):
    answers(tmp_path, monkeypatch, squeue="", scripts={"sacct": ":"})
    (tmp_path / "programs/squeue").write_bytes(b"\x7fELF damaged")
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    assert read_queue().problems == ("squeue could not be started: Exec format error",)


def test_jobs_of_others_and_blank_lines_are_left_out(tmp_path, monkeypatch):
    line = SQUEUE.splitlines()[0]
    answers(tmp_path, monkeypatch, squeue="\n".join(["", line.replace("docmt views", "my own"), "  "]))
    assert read_queue() == slurm.Queue(True)


def test_a_comment_may_have_the_sign_between_fields(tmp_path, monkeypatch):
    line = SQUEUE.splitlines()[0]
    answers(tmp_path, monkeypatch, squeue=line.replace("text=bpe", "text=a|b"))
    assert dict(read_queue().jobs[0].purpose.names)["text"] == "a|b"


def test_the_users_own_settings_of_squeue_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("SQUEUE_PARTITION", "none")
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    answers(tmp_path, monkeypatch, scripts={"squeue": 'test -z "$SQUEUE_PARTITION$SLURM_TIME_FORMAT"'})
    assert read_queue() == slurm.Queue(True)


@pytest.mark.parametrize("number", ["12", "12_3", "12_[1-5%2]", "12+1"])
def test_arrays_have_numbers_too(number):
    assert slurm.NUMBER.fullmatch(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("0:06", 6), ("10:00", 600), ("1:00:00", 3600), ("364-23:59:59", 31535999)),
        *(("UNLIMITED", None), ("INVALID", None), ("NOT_SET", None), ("", None)),
    ],
)
def test_durations(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("state", "phase"),
    [("CONFIGURING", "running"), ("SUSPENDED", "running"), ("NEW_STATE", "running"), ("NODE_FAIL", "failed")],
)
def test_a_job_without_nodes_or_of_a_new_state_still_has_words(state, phase):
    job = ClusterJob("1", state, "None", "/", Purpose("train"))
    assert job.phase == phase and job.about


def test_a_job_that_was_requeued_and_held_is_stuck():
    assert ClusterJob("1", "REQUEUE_HOLD", "None", "/", Purpose("train")).is_stuck


def test_the_real_slurm_answers_in_the_form_that_is_read():
    if shutil.which("sinfo") is None or subprocess.run(["sinfo"], capture_output=True).returncode != 0:
        pytest.skip("needs a Slurm cluster; none answers `sinfo`")
    assert not read_queue().problems
