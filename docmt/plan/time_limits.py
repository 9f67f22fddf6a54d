"""Trainings that are estimated to take longer than their jobs may run; a run on a cluster says so before it starts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.grid.grid import Grid
from docmt.plan.estimates import Estimates, Hours
from docmt.plan.growth import grown
from docmt.plan.plan import Job

LISTED = 3
"""The largest number of trainings that a run names."""
REMEDY = (
    "Raise `max_runtime`, `max_gpus` or `retries` in slurm/profile.v9+.yaml, or what `set-resources` states of "
    "`train`, or lower `max_updates` or `max_epochs`. Otherwise each of them stops with a checkpoint, and further runs "
    "continue it"
)


@dataclass(frozen=True)
class AttemptTimes:
    """The time of the jobs of a training: `minutes` of each attempt, each on `devices` GPUs, or on a CPU with 0."""

    minutes: tuple[float, ...]
    devices: int

    @classmethod
    def after_timeouts(cls, stated: Iterable[float], longest: int, devices: int) -> "AttemptTimes":
        """Return the times of attempts of which each after the first follows a time-out, and so has more time.

        `stated`: the minutes that each attempt would have without a time-out before it. `longest`: those that the site
        allows.
        """
        return cls(tuple(grown(int(minutes), before, longest) for before, minutes in enumerate(stated)), devices)

    @property
    def hours(self) -> float:
        """The hours of all attempts together."""
        return sum(self.minutes) / 60

    def __str__(self) -> str:
        """Return the time in words."""
        on = {0: "", 1: " on 1 GPU"}.get(self.devices, f" on {self.devices} GPUs")
        return f"{self.hours:,.1f} h{on} ({' + '.join(f'{minutes:g}' for minutes in self.minutes)} minutes)"


def time_lines(
    grid: Grid, jobs: Iterable[Job], times_of: Callable[[Job], AttemptTimes | None], root: Path = Path()
) -> list[str]:
    """Return what a run says of the trainings among its jobs that are estimated to take longer than they may run.

    `times_of` returns the time of a training's jobs; None where it is not known yet. Damaged records and cards, which
    the run may be about to make again, refuse no run: they are named instead.
    """
    try:
        long = [*_longer(grid, jobs, times_of, root)]
    except UserError as problem:
        return [f"the time of trainings is not estimated: {problem}"]
    if not long:
        return []
    long.sort(key=lambda found: -found[1].hours)
    return [
        f"trainings that are estimated to take longer than their jobs may run: {len(long)}. {REMEDY}",
        *(f"  {job}: {hours.hours:,.1f} h, and may run {times} ({hours.basis})" for job, hours, times in long[:LISTED]),
        *([f"  ... and {len(long) - LISTED} more"] if len(long) > LISTED else []),
    ]


def _longer(
    grid: Grid, jobs: Iterable[Job], times_of: Callable[[Job], AttemptTimes | None], root: Path
) -> Iterator[tuple[Job, Hours, AttemptTimes]]:
    """Yield the trainings that take longer than they may run, with their hours on the devices of their jobs.

    A training that was interrupted is estimated from its beginning. Raises UserError as `Estimates` does.
    """
    of_device = cache(lambda device: Estimates(grid, root / RESULTS, device))
    for job in jobs:
        times = times_of(job) if job.is_training else None
        if times is None:
            continue
        device = grid.device if grid.device != "auto" else "cuda" if times.devices else "cpu"
        estimate = of_device(device).hours(grid.find(job.names["corpus"], job.names["system"]))
        hours = 0 if estimate is None else estimate.hours / max(times.devices, 1)
        if hours > times.hours:
            yield job, Hours(hours, estimate.basis), times
