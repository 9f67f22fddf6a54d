"""Trainings that are estimated to take longer than their jobs may run; a run on a cluster says so before it starts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.plan.estimates import Estimates, Hours
from docmt.plan.grid import Grid
from docmt.plan.jobs import Job

LISTED = 3
"""The largest number of trainings that a run names."""
REMEDY = (
    "Raise `runtime` of `train` in profiles/default/profile.yaml, or `retries` in slurm/profile.v9+.yaml, or lower "
    "`max_updates` or `max_epochs`. Otherwise each of them stops with a checkpoint, and further runs continue it"
)


@dataclass(frozen=True)
class JobTime:
    """The time of the jobs of a training: `minutes` of each attempt, each on `devices` GPUs, or on a CPU with 0."""

    minutes: tuple[float, ...]
    devices: int

    @property
    def hours(self) -> float:
        """The hours of all attempts together."""
        return sum(self.minutes) / 60


def time_lines(grid: Grid, jobs: Iterable[Job], time: JobTime, root: Path = Path()) -> list[str]:
    """Return what a run says of the trainings among its jobs that are estimated to take longer than `time`.

    Damaged records and cards, which the run may be about to make again, refuse no run: they are named instead.
    """
    try:
        long = [*_longer(grid, jobs, time, root)]
    except UserError as problem:
        return [f"the time of trainings is not estimated: {problem}"]
    if not long:
        return []
    long.sort(key=lambda pair: -pair[1].hours)
    attempts = " + ".join(f"{minutes:g}" for minutes in time.minutes)
    return [
        f"trainings that are estimated to take longer than their jobs may run: {len(long)}. The limit is "
        f"{time.hours:,.1f} h: {attempts} minutes, the `runtime` of each attempt. {REMEDY}",
        *(f"  {job}: {hours.hours:,.1f} h ({hours.basis})" for job, hours in long[:LISTED]),
        *([f"  ... and {len(long) - LISTED} more"] if len(long) > LISTED else []),
    ]


def _longer(grid: Grid, jobs: Iterable[Job], time: JobTime, root: Path) -> Iterator[tuple[Job, Hours]]:
    """Yield the trainings that take longer than `time`, and their hours on the devices of their jobs.

    A training that was interrupted is estimated from its beginning. Raises UserError as `Estimates` does.
    """
    device = grid.device if grid.device != "auto" else "cuda" if time.devices else "cpu"
    estimates = Estimates(grid, root / RESULTS, device)
    for job in jobs:
        estimate = estimates.hours(grid.find(job.names["corpus"], job.names["system"])) if job.is_training else None
        hours = 0 if estimate is None else estimate.hours / max(time.devices, 1)
        if hours > time.hours:
            yield job, Hours(hours, estimate.basis)
