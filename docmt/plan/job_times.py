"""The time limit and the GPUs that a job asks a cluster for, which follow the estimate of its device-hours.

Nothing here is a part of an identity.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Job, Plan
from docmt.plan.rates import Device

MARGIN = 1.5
"""A job asks for this many times its estimated time: trainings on busy machines took up to 1.8 times as long as on
quiet ones (`benchmarks/estimates.md`), and a training that its limit ends goes on in the next attempt."""
STEP = 15
"""Time limits are multiples of this number of minutes."""
LEAST = 30
"""The least time limit that follows an estimate, in minutes: a job also starts, and reads its files."""
UNKNOWN = {"train": 1440}
"""The time limit of a job without an estimate, in minutes, by its rule."""
UNKNOWN_DECODING = 240
"""The time limit of other jobs of a model without an estimate, in minutes."""
ESTIMATED = ("train", "translate")
"""The rules whose jobs have estimates."""


class SiteLimits(NamedTuple):
    """The limits of a site: the time of a job in minutes, and the GPUs of a training."""

    minutes: int = 1440
    gpus: int = 1


class JobTime(NamedTuple):
    """The request of a job: the time of an attempt in minutes, and a number of GPUs."""

    minutes: int
    gpus: int


def device_on_cluster(grid: Grid) -> Device:
    """Return the kind of device that jobs on a cluster ask for: a GPU, unless `device` of config.yaml is the CPU."""
    return "cpu" if grid.device == "cpu" else "cuda"


def time_without_estimate(grid: Grid, rule: str, limits: SiteLimits) -> JobTime:
    """Return what a job of a rule asks for whose hours nobody can estimate, and each job that is not on a cluster."""
    minutes = min(UNKNOWN.get(rule, UNKNOWN_DECODING), limits.minutes)
    return JobTime(minutes, int(device_on_cluster(grid) == "cuda"))


def estimated_times(plan: Plan, jobs: Iterable[Job], limits: SiteLimits, attempts: int) -> dict[Job, JobTime]:
    """Return what each job with an estimate asks for.

    `attempts`: how often a job is started at most. A training that was interrupted is estimated from its beginning. The
    result is empty where a record or a card is damaged, which the run may be about to make again.
    """
    grid = plan.grid
    device, times = device_on_cluster(grid), {}
    estimated = [job for job in jobs if job.step in ESTIMATED]
    if not estimated:
        return {}
    try:
        estimates = Estimates(plan, device)
        for job in estimated:
            entry = grid.find(job.names["corpus"], job.names["system"])
            if job.is_training:
                training = estimates.hours(entry)
                hours, gpus = training and training.hours, limits.gpus
            else:
                # A search uses one GPU.
                hours, gpus = estimates.decoding_hours(entry), 1
            if hours is not None:
                times[job] = time_for(hours, device, limits._replace(gpus=gpus), attempts)
    except UserError:
        return {}
    return times


def time_for(hours: float, device: Device, limits: SiteLimits, attempts: int) -> JobTime:
    """Return what a job asks for that takes a number of hours on one device.

    Where the longest time that a site allows is too short in all attempts together, it asks for as many GPUs as are
    enough, if the site allows them.
    """
    minutes = MARGIN * hours * 60
    enough = max(math.ceil(minutes / (limits.minutes * attempts)), 1)
    gpus = min(enough, limits.gpus) if device == "cuda" else 0
    whole = math.ceil(minutes / max(gpus, 1) / STEP) * STEP
    return JobTime(min(max(whole, LEAST), limits.minutes), gpus)
