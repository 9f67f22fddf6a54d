"""The progress of the jobs of a target: which are finished, run, wait, failed or are still to come."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal, get_args

from docmt.base.errors import printable
from docmt.base.paths import ID_DIGITS
from docmt.plan.ending import last_line, newest_log
from docmt.plan.plan import Job, Plan
from docmt.supervision.lease import holder_of
from docmt.supervision.survey import TrainingState, training_state

# The state of a job of a target; `waiting` in Slurm's queue.
JobState = Literal["finished", "running", "waiting", "failed", "to come"]
STATES: tuple[JobState, ...] = get_args(JobState)
# The comment of a job, as the plugin of Snakemake writes it: its rule, the names in its place, and its id.
COMMENT = re.compile(rf"rule_(.+?)(?:_wildcards_(.*?)([0-9a-f]{{{ID_DIGITS}}})?)?")
FIELDS = "%i|%T|%R|%Z|%k"  # The number, the state, the reason or the nodes, the working folder, and the comment.
LOGS = "logs/slurm"  # The folder of the logs of Slurm's jobs: `slurm-logdir` of slurm/config.yaml.
WAIT_S = 60  # Seconds that `squeue` may take.


@dataclass(frozen=True)
class QueuedJob:
    """A job in Slurm's queue."""

    number: str
    what: str  # Its rule and the names in its place.
    id: str  # The id of the folder of its outputs; empty for jobs without one.
    is_running: bool
    about: str  # Slurm's word for the reason why it waits, or the nodes on which it runs.


@dataclass(frozen=True)
class RunningJob:
    """A job that runs: the folder of its outputs, and its process, or Slurm's nodes."""

    folder: str
    where: str


@dataclass(frozen=True)
class JobFailure:
    """A job whose last attempt failed: the folder of its outputs, the line of its log that says why, and the log."""

    folder: str
    why: str
    log: str


@dataclass
class RunProgress:
    """The jobs of a target: the number of each stage in each state, those that run or failed, and trainings."""

    queue: list[QueuedJob]  # The jobs of this project in Slurm's queue, also those of other targets.
    problem: str  # Why Slurm does not answer, or an empty text.
    stages: dict[str, Counter[JobState]] = field(default_factory=dict)
    running: list[RunningJob] = field(default_factory=list)
    failures: list[JobFailure] = field(default_factory=list)
    trainings: list[TrainingState] = field(default_factory=list)  # Trainings that have begun and have not finished.

    @property
    def total(self) -> Counter[JobState]:
        """The number of jobs of all stages in each state."""
        return sum(self.stages.values(), Counter())


def progress_of(plan: Plan, targets: list[Job]) -> RunProgress:
    """Return how far the jobs of targets are, in the project in the present folder. Nothing is written."""
    progress, needed = RunProgress(*read_queue(Path())), {*plan.to_run(targets)}
    queued = {job.id: job for job in progress.queue}
    for job in plan.closure(targets):
        state = _state(plan, job, job in needed, queued, progress)
        if state is not None:
            progress.stages.setdefault(PurePath(job.place).parts[1], Counter())[state] += 1
    progress.stages = dict(sorted(progress.stages.items()))
    return progress


def _state(
    plan: Plan, job: Job, is_needed: bool, queued: dict[str, QueuedJob], progress: RunProgress
) -> JobState | None:
    """Return the state of a job, and add it to the progress; None where what would be made from it is there."""
    folder = plan.recipe(job).folder
    submitted, holder = queued.get(folder.name), holder_of(folder)
    training = training_state(folder) if job.is_training and is_needed else None
    progress.trainings += [training] if training else []
    if holder or (submitted and submitted.is_running):
        progress.running.append(RunningJob(str(folder), str(holder.process if holder else submitted.about)))
        return "running"
    if not is_needed:
        return "finished" if plan.is_finished(job) else None
    if submitted:
        return "waiting"
    log = newest_log(folder, 0)
    if log is None or (training and training.state == "stopped"):
        return "to come"
    progress.failures.append(JobFailure(str(folder), last_line(log), str(log)))
    return "failed"


def read_queue(root: Path) -> tuple[list[QueuedJob], str]:
    """Return the jobs of this user whose working folder is `root`, and why Slurm does not answer, or an empty text.

    There are no jobs where this machine has no `squeue`.
    """
    if shutil.which("squeue") is None:
        return [], ""
    try:
        command = ["squeue", "--me", "--noheader", f"--format={FIELDS}"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=WAIT_S, check=True)
    except (OSError, subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        said = problem.stderr.strip() if isinstance(problem, subprocess.CalledProcessError) else problem
        # Who has never sent a job to Slurm from here needs no answer of it.
        return [], printable(f"squeue: {said}") if (root / LOGS).is_dir() else ""
    return [*_jobs(done.stdout, root)], ""


def _jobs(text: str, root: Path) -> Iterator[QueuedJob]:
    """Yield the jobs of a project among the lines that `squeue` prints."""
    for line in text.splitlines():
        number, state, about, folder, comment = [*line.split("|", 4), "", "", "", ""][:5]
        match = COMMENT.fullmatch(comment.strip())
        if match and Path(folder).resolve() == root.resolve():
            rule, names, digits = (part or "" for part in match.groups())
            what = printable(f"{rule} {names.strip('_')}".strip(), "")
            yield QueuedJob(number, what, digits, state != "PENDING", printable(about, ""))
