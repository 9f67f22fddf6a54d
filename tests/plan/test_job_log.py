"""The handler of Snakemake's log, by records as Snakemake writes them."""

import logging
from types import SimpleNamespace

from docmt.base.failures import FailureCause, failed_attempts
from docmt.plan.job_log import JobLog

JOB = SimpleNamespace(jobid=1, rule=SimpleNamespace(name="tokens"), wildcards_dict={"corpus": "a"}, is_local=True)
WORKFLOW = SimpleNamespace(dag=SimpleNamespace(jobs=[JOB]), non_local_exec=False, is_main_process=True)


def failed(text: str) -> list[logging.LogRecord]:
    """The records of a job whose command has failed."""
    facts = ({"event": "error", "msg": text}, {"event": "job_error", "jobid": 1})
    return [logging.makeLogRecord(fact) for fact in facts]


def log(text: str, memory_ran_out) -> None:
    handler = JobLog(WORKFLOW, memory_ran_out)
    for record in failed(text):
        handler.emit(record)


def test_only_a_want_of_memory_is_noted_and_is_forgotten_after_a_success(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log("Command 'x' returned non-zero exit status 2.", lambda job: False)
    assert failed_attempts("tokens corpus=a") == []
    log("Command 'x' returned non-zero exit status 137.", lambda job: False)
    log("Command 'x' returned non-zero exit status 2.", lambda job: True)
    assert [attempt.cause for attempt in failed_attempts("tokens corpus=a")] == [FailureCause.MEMORY] * 2
    JobLog(WORKFLOW, None).emit(logging.makeLogRecord({"event": "job_finished", "job_id": 1}))
    assert failed_attempts("tokens corpus=a") == []


def test_an_error_in_the_handler_is_printed_and_does_not_reach_snakemake(capsys):
    """Snakemake would wait for ever for the job that it was about to handle."""

    def broken(job: object) -> bool:
        raise KeyError("scale")

    log("Command 'x' returned non-zero exit status 2.", broken)
    assert "KeyError: 'scale'" in capsys.readouterr().err
