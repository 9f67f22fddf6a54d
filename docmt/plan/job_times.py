"""The time limit that a job asks a cluster for, which follows the estimate of its device-hours on one device.

Nothing here is a part of an identity.
"""

import math
from collections.abc import Iterable

from docmt.base.errors import UserError
from docmt.plan.estimates import Estimates
from docmt.plan.plan import Job, Plan

MARGIN = 1.5
"""A job asks for this many times its estimated time: trainings on busy machines took up to 1.8 times as long as on
quiet ones (`benchmarks/estimates.md`), and a training that its limit ends goes on in the next attempt."""
STEP = 15
"""Time limits are multiples of this number of minutes."""
LEAST, MOST = 30, 1440
"""The least and the largest time limit that follows an estimate, in minutes: a job also starts, and reads its files."""
UNKNOWN = {"train": MOST, "translate": 240}
"""The time limit of a job without an estimate, in minutes, by its step; other steps have no estimates."""


def estimated_minutes(plan: Plan, jobs: Iterable[Job]) -> dict[Job, int]:
    """Return the time limit of each job with an estimate; a training that was interrupted counts from its beginning.

    The result is empty where a record or a card is damaged, which the run may be about to make again.
    """
    estimated = [job for job in jobs if job.step in UNKNOWN]
    if not estimated:
        return {}
    try:
        estimates = Estimates(plan, "cpu" if plan.grid.device == "cpu" else "cuda")
        hours = {job: _hours(estimates, job) for job in estimated}
    except UserError:
        return {}
    return {job: minutes_for(number) for job, number in hours.items() if number is not None}


def _hours(estimates: Estimates, job: Job) -> float | None:
    """Return the device-hours of a training or a translation; None where nobody can estimate them."""
    entry = estimates.grid.find(job.names["corpus"], job.names["system"])
    if not job.is_training:
        return estimates.decoding_hours(entry)
    training = estimates.hours(entry)
    return training and training.hours


def minutes_for(hours: float) -> int:
    """Return the time limit of a job that is estimated to take a number of hours."""
    return min(max(math.ceil(MARGIN * hours * 60 / STEP) * STEP, LEAST), MOST)
