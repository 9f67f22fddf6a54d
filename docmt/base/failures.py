"""The failed attempts of jobs, which decide whether the next attempt asks for more memory or time.

A file for each job with failed attempts, `results/state/failures/<rule>/<names>.json`:

    {"job": "tokens corpus=ted_zh-en text=bpe",
     "attempts": [{"cause": "memory", "allocation": "4711", "what": "OUT_OF_MEMORY", "ended": "2026-01-31T12:00:00Z"}]}

The executor of Slurm writes it, and the process that ran the job where it sees what an executor cannot: a kill by the
kernel, and a training's own record. The file stays when a driver ends, and is removed when the job succeeds.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from docmt.base.artifacts import write_json
from docmt.base.machine import now
from docmt.base.paths import RESULTS

STATE = f"{RESULTS}/state"

FAILURES = f"{STATE}/failures"
"""The folder of the files."""
VARIABLE = "DOCMT_FAILED_ATTEMPTS"
"""The environment variable that carries the counts of failed attempts to a job on another computer."""
LONGEST_NAME = 150
"""The largest number of characters of a file's name, without a digest and its ending; file systems allow 255."""


class FailureCause(StrEnum):
    """The reason why an attempt failed, as far as the next attempt's resources depend on it."""

    MEMORY = "memory"
    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True)
class FailedAttempt:
    """A failed attempt of a job.

    `allocation`: the number of the cluster's job that ran it; empty on one machine. `what`: the state of that job, or
    what the process saw. `ended`: the time in UTC.
    """

    cause: FailureCause
    allocation: str
    what: str
    ended: str


@dataclass(frozen=True)
class Counts:
    """The numbers of attempts that failed for want of memory and of time."""

    memory: int = 0
    time: int = 0


def job_text(rule: str, names: Mapping[str, str]) -> str:
    """Return the words `rule name=value ...` of a job; values have no spaces, quotes or shell signs."""
    return " ".join([rule, *(f"{name}={quote(str(value), safe='@+,:~/')}" for name, value in sorted(names.items()))])


def failures_file(job: str) -> Path:
    """Return the path of the file of a job, which is given by its text (`job_text`), relative to the project."""
    rule, _, names = job.partition(" ")
    plain = names.replace("/", "%2F").replace(" ", ",") or "all"
    if len(plain) > LONGEST_NAME:
        plain = f"{plain[:LONGEST_NAME]}-{hashlib.sha256(names.encode()).hexdigest()[:12]}"
    return Path(FAILURES, rule, f"{plain}.json")


def failed_attempts(job: str, root: Path = Path()) -> list[FailedAttempt]:
    """Return the failed attempts of a job, the oldest first; a damaged file counts as none."""
    try:
        value = json.loads((root / failures_file(job)).read_bytes())
        return [FailedAttempt(**{**attempt, "cause": FailureCause(attempt["cause"])}) for attempt in value["attempts"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def note_failure(job: str, cause: FailureCause, allocation: str, what: str, root: Path = Path()) -> None:
    """Write a failed attempt of a job.

    An attempt of the same allocation is one attempt: a cause of its own replaces `other`, and `time`, which only the
    cluster states, replaces `memory`.
    """
    rank = [FailureCause.OTHER, FailureCause.MEMORY, FailureCause.TIME].index
    attempt = FailedAttempt(cause, allocation, what, now())
    attempts = failed_attempts(job, root)
    same = [earlier for earlier in attempts if allocation and earlier.allocation == allocation]
    rest = [earlier for earlier in attempts if earlier not in same]
    strongest = max([*same, attempt], key=lambda each: rank(each.cause))
    write_json(root / failures_file(job), {"job": job, "attempts": [asdict(each) for each in [*rest, strongest]]})


def forget_failures(job: str, root: Path = Path()) -> None:
    """Remove the file of a job that has succeeded."""
    (root / failures_file(job)).unlink(missing_ok=True)


def counts_of(job: str, root: Path = Path()) -> Counts:
    """Return how many attempts of a job failed for want of memory and of time."""
    causes = [attempt.cause for attempt in failed_attempts(job, root)]
    return Counts(causes.count(FailureCause.MEMORY), causes.count(FailureCause.TIME))


def written_counts(counts: Mapping[str, Counts]) -> str:
    """Return the value of `VARIABLE` for a submission of jobs: the counts of those that have any."""
    some = {quote(job, safe="@+,:~/="): [of.memory, of.time] for job, of in counts.items() if of != Counts()}
    return json.dumps(some, separators=(",", ":"))


def counts_at_submission(job: str) -> Counts | None:
    """Return the counts that the driver sent with this job; None where no driver sent any."""
    text = os.environ.get(VARIABLE)
    return None if text is None else Counts(*json.loads(text).get(quote(job, safe="@+,:~/="), ()))
