"""Slurm's queue and its accounts, by `squeue` and `sacct`, which only read.

`squeue` knows the jobs that wait or run, and those that ended some minutes ago (MinJobAge). `sacct` knows older ones
where the cluster keeps accounts; it has the comment of a job where `AccountingStoreFlags` says so.
"""

import getpass
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from docmt.base.errors import printable
from docmt.cluster.comments import purpose_of
from docmt.cluster.jobs import ClusterJob

WAIT_S = 60
"""Seconds that a command of Slurm may take."""
DAYS = 7
"""How many days back `sacct` looks for jobs that have ended."""
BETWEEN = "|"
"""The sign between two fields; the comment, which may have it too, is the last field."""
SQUEUE_FIELDS = {
    "number": "JobArrayID",
    "state": "State",
    "reason": "Reason",
    "limit": "TimeLimit",
    "left": "TimeLeft",
    "used": "TimeUsed",
    "started": "StartTime",
    "submitted": "SubmitTime",
    "nodes": "NodeList",
    "restarts": "RestartCnt",
    "partition": "Partition",
    "folder": "WorkDir",
    "name": "Name",
    "comment": "Comment",
}
"""The names that `squeue` has for the fields of a job."""
SACCT_FIELDS = {
    "number": "JobID",
    "state": "State",
    "reason": "Reason",
    "limit": "Timelimit",
    "used": "Elapsed",
    "started": "Start",
    "submitted": "Submit",
    "nodes": "NodeList",
    "partition": "Partition",
    "folder": "WorkDir",
    "name": "JobName",
    "comment": "Comment",
}
"""The names that `sacct` has for them; it knows neither the time that is left nor how often a job was started again."""
NUMBER = re.compile(r"\d+(_(\d+|\[[\d,:%-]+\]))?(\+\d+)?")
"""The number of a job, of a job of an array, or of a part of a job of several kinds of nodes."""
DURATION = re.compile(r"(?:(?P<days>\d+)-)?(?:(?P<hours>\d+):)?(?P<minutes>\d+):(?P<seconds>\d+)")
UNKNOWN = ("", "N/A", "(null)", "None assigned", "Unknown", "NONE")
"""The words for what Slurm does not know."""


@dataclass(frozen=True)
class Queue:
    """The jobs of the workflow as Slurm tells them.

    `is_there`: whether this machine has Slurm. `jobs`: the jobs of this user, of any folder, which the workflow has
    submitted. `problems`: a sentence for each question that Slurm did not answer.
    """

    is_there: bool
    jobs: tuple[ClusterJob, ...] = ()
    problems: tuple[str, ...] = ()


class Unanswered(Exception):
    """Slurm did not answer, or in another form; the text says which command, and what it said."""


def read_queue() -> Queue:
    """Return what Slurm says of the jobs of the workflow; a cluster without accounts has forgotten older ones."""
    if shutil.which("squeue") is None:
        return Queue(False)
    jobs: dict[str, ClusterJob] = {}
    problems = []
    for ask in (_accounts, _queue):
        try:
            jobs |= {job.number: job for job in ask()}
        except Unanswered as problem:
            problems.append(str(problem))
    return Queue(True, tuple(jobs.values()), tuple(problems))


def _queue() -> list[ClusterJob]:
    """Return the jobs that `squeue` knows. Raises Unanswered."""
    form = ",".join(f"{field}:{BETWEEN}" for field in SQUEUE_FIELDS.values())
    text = _ask("squeue", "--me", "--states=all", "--noheader", "-O", form)
    return [*_jobs("squeue", text, SQUEUE_FIELDS)]


def _accounts() -> list[ClusterJob]:
    """Return the jobs that `sacct` knows and that have ended; none on a cluster without accounts."""
    if shutil.which("sacct") is None:
        return []
    user, since, form = getpass.getuser(), f"now-{DAYS}days", ",".join(SACCT_FIELDS.values())
    only = ("--allocations", "--parsable2", "--noheader", "--user", user, "--starttime", since, "--format", form)
    try:
        text = _ask("sacct", *only)
    except Unanswered as problem:
        if "accounting storage is disabled" in str(problem):
            return []
        raise
    # `squeue` alone tells which of the other jobs wait or run now.
    known = _jobs("sacct", text, SACCT_FIELDS)
    return [job for job in known if job.phase in ("done", "failed")]


def _ask(*command: str) -> str:
    """Return what a command of Slurm prints. Raises Unanswered where it fails or takes too long."""
    # Variables of the user's change which jobs are told, and the form of times.
    chosen = ("SQUEUE_", "SACCT_", "SLURM_TIME_FORMAT")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(chosen)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=WAIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unanswered(f"{command[0]} did not answer within {WAIT_S} seconds") from None
    except OSError as problem:
        raise Unanswered(f"{command[0]} could not be started: {problem.strerror}") from None
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()] or [f"status {done.returncode}"]
        raise Unanswered(f"{command[0]} failed: {printable(said[-1].strip())}")
    return done.stdout


def _jobs(command: str, text: str, names: Iterable[str]) -> Iterator[ClusterJob]:
    """Yield the jobs of the workflow among the lines of an answer, whose fields have these names.

    Raises Unanswered for a line of another form.
    """
    names = [*names]
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(BETWEEN, len(names) - 1)]
        if not line.strip():
            continue
        if len(parts) != len(names) or not NUMBER.fullmatch(parts[0]):
            raise Unanswered(f"{command} answered in a form that docmt does not know: {printable(line.strip()[:80])}")
        job = _job(dict(zip(names, parts, strict=True)))
        if job is not None:
            yield job


def _job(fields: Mapping[str, str]) -> ClusterJob | None:
    """Return the job with these fields; None for one that is not the workflow's."""
    purpose = purpose_of(fields["comment"].removesuffix(BETWEEN))
    restarts = fields.get("restarts", "")
    return purpose and ClusterJob(
        fields["number"],
        _state(fields["state"]),
        fields["reason"],
        fields["folder"],
        purpose,
        name=fields["name"],
        partition=fields["partition"],
        nodes=_known(fields["nodes"]),
        submitted=_known(fields["submitted"]),
        started=_known(fields["started"]),
        limit_s=seconds(fields["limit"]),
        left_s=seconds(fields.get("left", "")),
        used_s=seconds(fields["used"]) or 0,
        restarts=int(restarts) if restarts.isdecimal() else 0,
    )


def _state(text: str) -> str:
    """Return the state without what follows it: `sacct` writes `CANCELLED by` and the number of a user."""
    return text.split()[0] if text else "UNKNOWN"


def _known(text: str) -> str:
    return "" if text in UNKNOWN else text


def seconds(text: str) -> int | None:
    """Return the seconds of a duration such as `1-02:03:04`, `10:00`; None for UNLIMITED and other words."""
    match = DURATION.fullmatch(text)
    if not match:
        return None
    days, hours, minutes, rest = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest
