"""Messages of Snakemake about its jobs, as far as the next attempts need it: kills by the kernel, and successes."""

import logging
import os
import re
import threading
from collections.abc import Callable
from typing import Any

from docmt.base.failures import FailureCause, forget_failures, job_text, note_failure

KILLED = re.compile(r"died with <Signals\.SIGKILL: 9>|returned non-zero exit status 137\b")
"""The end of a command by SIGKILL, as Snakemake's message about a failed job states it."""


class JobLog(logging.Handler):
    """A handler of Snakemake's log, which notes the jobs of this process that fail for want of memory.

    On one machine, and within a job of a cluster, it is the kernel that kills a command with SIGKILL, for want of
    memory. In the driver the handler also removes the failed attempts of jobs that have succeeded.
    """

    def __init__(self, workflow: Any, memory_ran_out: Callable[[Any], bool]) -> None:
        """Take Snakemake's workflow, and what a job's own record says of its end: whether memory ran out."""
        super().__init__()
        self._workflow, self._memory_ran_out = workflow, memory_ran_out
        self._last = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a record. What goes wrong here is printed, and ends no run: Snakemake would wait for ever."""
        try:
            self._emit(record)
        except Exception:
            self.handleError(record)

    def _emit(self, record: logging.LogRecord) -> None:
        """Handle a record; the message about a job's command comes before the job's own, in the same thread."""
        event = str(getattr(record, "event", ""))
        if event == "error":
            self._last.message = record.getMessage()
        elif event == "job_error":
            message, self._last.message = getattr(self._last, "message", ""), ""
            self._failed(self._job(record.jobid), bool(KILLED.search(message)))
        elif event == "job_finished" and self._workflow.is_main_process:
            job = self._job(record.job_id)
            forget_failures(job_text(job.rule.name, job.wildcards_dict))

    def _job(self, number: int) -> Any:
        """Return the job that the log calls by this number."""
        return next(job for job in self._workflow.dag.jobs if job.jobid == number)

    def _failed(self, job: Any, was_killed: bool) -> None:
        """Note the lack of memory of a job; jobs of other processes are left to those processes."""
        if self._workflow.non_local_exec and not job.is_local:
            return
        if was_killed or self._memory_ran_out(job):
            what = "killed (status 137)" if was_killed else "out of memory"
            allocation = os.environ.get("SLURM_JOB_ID", "")
            note_failure(job_text(job.rule.name, job.wildcards_dict), FailureCause.MEMORY, allocation, what)
