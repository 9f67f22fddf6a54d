"""What people see of a run: a line of progress, and what failed; `logger: docmt` in profiles/default asks for it.

On a terminal the line is drawn again every second, and in a log there is one every minute. The blocks that Snakemake
prints about each job are in its own log, below .snakemake/log. Dry runs, `--quiet`, `--verbose` and `--printshellcmds`
print what Snakemake prints without this plugin.

Every call of snakemake imports this module, also for other workflows, and before the Snakefile says from which clone
docmt comes. So docmt is imported where a job is told of.
"""

import os
import shutil
import sys
import threading
import time
from logging import Handler, LogRecord
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

if TYPE_CHECKING:
    from docmt.supervision.survey import TrainingState

TOLD = "DOCMT_TOLD"
"""`docmt.base.screen.TOLD`."""
EVERY_S, IN_LOG_S = 1.0, 60.0
"""Seconds between two lines of progress: on a terminal, and in a log."""
SHOWN = 3
"""The number of running jobs that the line names."""
NOISE = (
    "Assuming ",
    "host: ",
    "Building DAG",
    "Using shell",
    "Conda environments: ",
    "Select jobs",
    "Execute ",
    "Cannot restore ",
    "Exiting because a job",
    "--keep-incomplete mode",
)
"""Beginnings of messages about Snakemake itself, which say nothing of the run."""
INTERRUPTED = "Terminating processes on user request"
"""The beginning of what Snakemake says when somebody stops it; the jobs that then end have not failed."""


class RunningJob(NamedTuple):
    """A job that runs or waits: its rule, and the folder of its outputs; None for a job without outputs."""

    rule: str
    folder: Path | None

    def __str__(self) -> str:
        """Return the job for a line about its end."""
        return f"{self.rule} {self.folder or ''}".rstrip()


class LogHandler(LogHandlerBase):
    """The handler of the messages of a run; Snakemake calls it in a thread of its own."""

    def __post_init__(self) -> None:
        """Show at once that the run has begun: a large plan takes seconds."""
        if not hasattr(self, "filters"):  # the interface of Snakemake 9.5 does not begin a handler of logging
            Handler.__init__(self)
        self.is_terminal = sys.stderr.isatty()
        self.jobs: dict[int, RunningJob] = {}
        self.began = time.time()
        self.done, self.total, self.is_drawn, self.is_stopping = 0, 0, False, False
        self.screen, self.over = threading.Lock(), threading.Event()
        if self.writes_to_stream:
            os.environ[TOLD] = "1"  # so that jobs do not print it too
            threading.Thread(target=self.watch, daemon=True).start()

    @property
    def writes_to_stream(self) -> bool:
        """Whether this plugin takes the place of what Snakemake prints."""
        settings = self.common_settings
        plain = settings.dryrun or settings.quiet or settings.verbose or settings.printshellcmds or settings.debug_dag
        return not plain

    writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Note what jobs begin and end; print what failed, warnings, and messages of docmt."""
        if not self.writes_to_stream:
            return
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            self.jobs[record.jobid] = RunningJob(record.rule_name, folder_of(record.output))
        elif event == LogEvent.JOB_FINISHED:
            self.jobs.pop(record.job_id, None)
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.done, record.total
            if self.done == self.total:
                self.print(f"docmt: {self.progress()}")
        elif event == LogEvent.JOB_ERROR:
            self.tell_failure(self.jobs.pop(record.jobid, RunningJob(record.rule_name, None)), record)
        elif event == LogEvent.GROUP_ERROR:
            logs = f" ({', '.join(record.aux_logs)})" if record.aux_logs else ""
            self.print(f"docmt: an allocation of {len(record.job_error_info)} jobs ended before all were done{logs}")
        elif event == LogEvent.RUN_INFO:
            self.total = record.stats.get("total", 0)
        elif event in (None, LogEvent.ERROR) and is_for_people(record):
            self.is_stopping |= record.getMessage().startswith(INTERRUPTED)
            self.print(self.format(record))

    def tell_failure(self, job: RunningJob, record: LogRecord) -> None:
        """Print why a job failed; of the members of a group some are finished, and some did not begin."""
        from docmt.base.manifest import MANIFEST
        from docmt.plan.ending import last_line, last_message, newest_log, was_stopped

        log = newest_log(job.folder, self.began) if job.folder else None
        if self.is_stopping or (log and was_stopped(job.folder, log, job.rule == "train")):
            self.print(f"docmt: stopped: {job}" + (f" ({last_line(log)})" if log and log.stat().st_size else ""))
        elif not record.indent or (log and not (job.folder / MANIFEST).exists()):
            said = [*([record.rule_msg.strip()] if record.rule_msg else [])]
            said += [last_message(log), f"its log is {log}"] if log else []
            self.print("\n  ".join("\n".join([f"docmt: failed: {job}", *said]).splitlines()))

    def print(self, text: str) -> None:
        """Print lines in the place of the line of progress."""
        with self.screen:
            self.write(f"{text}\n")
            self.is_drawn = False

    def write(self, text: str) -> None:
        """Write a text; on a terminal over the line of progress."""
        try:
            sys.stderr.write(f"\r\x1b[K{text}" if self.is_drawn else text)
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone: the run goes on
            self.over.set()

    def watch(self) -> None:
        """Show the line of progress again and again, until the last job has ended."""
        while not self.over.wait(EVERY_S if self.is_terminal else IN_LOG_S):
            with self.screen:
                line = f"docmt: {self.progress()}"
                if self.is_terminal:
                    self.write(line[: shutil.get_terminal_size().columns - 1])
                    self.is_drawn = True
                else:
                    self.write(f"{line}\n")

    def progress(self) -> str:
        """Return the line of progress: jobs that are done, and those that run or wait in a queue."""
        if not self.total:
            return "planning"
        running = [*self.jobs.values()]
        more = [f"{len(running) - SHOWN} more"] if len(running) > SHOWN else []
        return "; ".join([f"{self.done} of {self.total} jobs", *map(at_work, running[:SHOWN]), *more])

    def close(self) -> None:
        """Leave a terminal without the line of progress."""
        self.over.set()
        with self.screen:
            if self.is_drawn:
                self.write("")
                self.is_drawn = False
        super().close()


def folder_of(outputs: list[str]) -> Path | None:
    """Return the folder of the outputs of a job; None for a job without outputs."""
    return Path(outputs[0].split(" (")[0]).parent if outputs else None


def is_for_people(record: LogRecord) -> bool:
    """Return whether a message says something about the run that the line about a failed job does not say."""
    text = record.getMessage().strip()
    return bool(text) and not text.startswith(NOISE) and "CalledProcessError" not in text


def at_work(job: RunningJob) -> str:
    """Return a job for the line of progress: its rule and its names, and how far a training is."""
    from docmt.base.errors import UserError
    from docmt.supervision.survey import training_state

    names = "/".join(job.folder.parts[2:-1]) if job.folder else ""
    try:
        training = training_state(job.folder) if job.rule == "train" else None
    except (UserError, OSError):  # the job writes these files meanwhile
        training = None
    return f"{job.rule} {names}{facts_of(training) if training else ''}".strip()


def facts_of(training: "TrainingState") -> str:
    """Return how far a training is."""
    from docmt.base.screen import duration

    # What a narrow terminal cuts off stands last.
    facts = [f"{duration(training.left_s)} left"] if training.left_s is not None else []
    facts += [f"loss {training.loss:.2f}"] if training.loss is not None else []
    facts += [f"update {training.update}" + (f" of {training.max_updates}" if training.max_updates else "")]
    return f" ({', '.join(facts)})"
