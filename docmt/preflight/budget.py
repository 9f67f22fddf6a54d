"""The device-hours of the trainings that a run makes."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.paths import RESULTS
from docmt.plan.estimates import Estimates
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun

AREA = Area("time")


def check_hours(run: PlannedRun, limit: float | None = None) -> Iterator[RunFinding]:
    """State the device-hours of the trainings of a run, and yield an error where they are above a limit.

    `limit`: the largest number of device-hours that config.yaml allows; None = any.
    """
    estimates = Estimates(run.grid, Path(RESULTS))
    known = [hours for hours in map(estimates.hours, run.trained) if hours is not None]
    total, unknown = sum(hours.hours for hours in known), len(run.trained) - len(known)
    basis = "; ".join(dict.fromkeys(hours.basis for hours in known)) or "nothing to train"
    estimate = f"{'at least ' if unknown else ''}{hours_of(total)} device-hours ({basis})"
    if limit is not None and total > limit:
        remedy = "raise device_hours in config.yaml, or run fewer targets or seeds"
        what = "the trainings are estimated to take more device-hours than the budget has"
        yield AREA.error(
            what, where="config.yaml device_hours", found=estimate, expected=f"at most {limit:g}", remedy=remedy
        )
    more = f"; {unknown} trainings on corpora of unknown size" if unknown else ""
    yield AREA.fact(f"{len(run.trained)} trainings: {estimate}{more}")


def hours_of(total: float) -> str:
    """Return a number of hours with two significant digits."""
    return f"{float(f'{total:.1e}'):,g}"
