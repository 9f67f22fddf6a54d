"""The device-hours of the trainings that a run makes, against the budget."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.paths import RESULTS
from docmt.plan.budget import Used, check_budget
from docmt.plan.estimates import Estimates
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.training.survey import hours_used

AREA = Area("time")


def check_hours(run: PlannedRun) -> Iterator[RunFinding]:
    """State the device-hours of the trainings of a run; raise UserError where they go beyond the budget."""
    estimates = Estimates(run.grid, Path(RESULTS))
    known = [hours for hours in map(estimates.hours, run.trained) if hours is not None]
    total, unknown = sum(hours.hours for hours in known), len(run.trained) - len(known)
    basis = "; ".join(dict.fromkeys(hours.basis for hours in known)) or "nothing to train"
    more = f"; {unknown} trainings on corpora of unknown size" if unknown else ""
    estimate = f"{'at least ' if unknown else ''}{hours_of(total)} device-hours ({basis})"
    yield AREA.fact(f"{len(run.trained)} trainings: {estimate}{more}")
    if run.grid.device_hours is not None:
        check_budget(run.grid, run.jobs, Used(*hours_used(Path(RESULTS))))


def hours_of(total: float) -> str:
    """Return a number of hours with two significant digits."""
    return f"{float(f'{total:.1e}'):,g}"
