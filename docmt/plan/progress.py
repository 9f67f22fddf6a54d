"""The progress of the jobs of a target: which are done, run, wait, failed or are still to come."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from docmt.cluster.jobs import ClusterJob
from docmt.plan.ending import last_line
from docmt.plan.jobs import Job
from docmt.plan.logs import log_of
from docmt.plan.planning import Plan, Planner

JobState = Literal["done", "running", "queued", "failed", "to come"]
"""The state of a job of a target; `queued` on a cluster."""

ERROR = re.compile(r"^(docmt: (?!warning: )|Traceback \(most recent call last\))", re.MULTILINE)
"""The beginning of a line of a log that says why a job failed."""


@dataclass(frozen=True)
class JobFailure:
    """A job whose last attempt failed. `log` is empty where it has left none; `number` is that of a cluster."""

    job: Job
    why: str
    log: str = ""
    number: str = ""


@dataclass(frozen=True)
class RunProgress:
    """The number of jobs of each rule in each state, and the jobs that failed; the rules are in the order of work."""

    rules: dict[str, Counter[JobState]] = field(default_factory=dict)
    failures: tuple[JobFailure, ...] = ()

    @property
    def total(self) -> Counter[JobState]:
        """The number of jobs of all rules in each state."""
        return sum(self.rules.values(), Counter())


def progress_of(
    planner: Planner,
    plan: Plan,
    here: Collection[Job],
    there: Mapping[Job, ClusterJob],
    stopped: Collection[Job],
    has_driver: bool,
) -> RunProgress:
    """Return how far a plan is.

    `here`: the jobs that run on this machine, or whose training shows signs of progress. `there`: the last attempt of
    jobs on a cluster. `stopped`: the trainings that have stopped with a checkpoint, and that the next run continues.
    `has_driver`: whether a run may be going on.
    """
    rules: dict[str, Counter[JobState]] = {}
    failures = []
    for job in plan.order:
        if job in plan.reasons:
            failure = None
            state = _state_of(job, here, there)
            if state == "to come" and job not in stopped:
                failure = _failure(planner.digests.root, job, there.get(job), has_driver)
            if failure:
                state = "failed"
                failures.append(failure)
        elif planner.states.of(job).name in ("right", "aside", "stored"):
            state = "done"
        else:
            continue  # nobody needs it: what would be made from it is there
        rules.setdefault(job.rule, Counter())[state] += 1
    return RunProgress(rules, tuple(failures))


def running_here(plan: Plan, recipes: Collection[str]) -> Iterator[Job]:
    """Yield the jobs of a plan that run on this machine; `recipes` are the paths of the recipes of what runs."""
    yield from (job for job in plan.reasons if job.recipe_path in recipes)


def _state_of(job: Job, here: Collection[Job], there: Mapping[Job, ClusterJob]) -> JobState:
    """Return where a job is that is to be made, before its failures are looked at."""
    if job in here:
        return "running"
    phase = there[job].phase if job in there else None
    return phase if phase in ("running", "queued") else "to come"


def _failure(root: Path, job: Job, attempt: ClusterJob | None, has_driver: bool) -> JobFailure | None:
    """Return the failure of a job that neither runs nor waits; None where it has not been tried since its last success.

    While a run may be going on on machines that cannot be seen from here, only a log that ends with an error is one of
    a failed job.
    """
    if (root / job.manifest).exists():
        return None  # a run sets aside the outputs of its jobs before it starts them
    log = log_of(job)
    is_written = (root / log).is_file()
    number = attempt.number if attempt else ""
    if attempt is not None and attempt.phase == "failed":
        words = f"{attempt.about} (Slurm: {attempt.state})"
        said = f": {last_line(root / log)}" if is_written and attempt.state == "FAILED" else ""
        return JobFailure(job, words + said, log if is_written else "", number)
    if is_written and (not has_driver or _has_error(root / log)):
        return JobFailure(job, last_line(root / log), log, number)
    return None


def _has_error(log: Path) -> bool:
    """Return whether a log says why its job failed."""
    try:
        return ERROR.search(log.read_text("utf-8", errors="replace")) is not None
    except OSError:
        return False
