"""The device-hours of a target: those that its trainings have used so far, against the estimate of all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docmt.plan.estimates import Estimates
from docmt.plan.plan import Job


@dataclass(frozen=True)
class Spending:
    """Device-hours of trainings.

    `used`: those so far, of finished trainings and of those that have begun. `total`: those of finished trainings with
    the estimates of all others. `unknown`: the number of trainings without an estimate. `basis`: phrases for the bases
    of the estimates. `budget`: the device-hours that config.yaml allows; None = any.
    """

    used: float
    total: float
    unknown: int
    basis: tuple[str, ...]
    budget: float | None = None


def spending_of(
    estimates: Estimates, order: Iterable[Job], finished: Mapping[Job, float], begun: Mapping[Job, float]
) -> Spending:
    """Return the device-hours of the trainings of a plan.

    `finished`: those that each finished training took. `begun`: those that each other training has used so far. A
    training that comes from the store costs nothing.
    """
    total, unknown, basis = sum(finished.values()), 0, {}
    for job in order:
        names = job.names
        if not job.is_training or job in finished:
            continue
        if (names["corpus"], names["system"], int(names["seed"])) in estimates.stored:
            continue
        estimate = estimates.hours(estimates.grid.find(names["corpus"], names["system"]))
        if estimate is None:
            unknown += 1
        else:
            # A training that takes longer than its estimate has cost at least what it has used.
            total += max(estimate.hours, begun.get(job, 0.0))
            basis[estimate.basis] = None
    used = sum(finished.values()) + sum(begun.values())
    return Spending(used, total, unknown, tuple(basis), estimates.grid.device_hours)
