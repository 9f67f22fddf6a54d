"""The budget of device-hours (`device_hours` of config.yaml): a run that would go beyond it starts no job."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import RECORD
from docmt.base.paths import ASIDE, RESULTS
from docmt.grid.grid import Grid
from docmt.plan.aside import FILES
from docmt.plan.estimates import Estimates
from docmt.plan.jobs import Job
from docmt.plan.sizes import need_number

KEY = "device_hours"
"""The key of config.yaml, and that of the record of a training."""


@dataclass(frozen=True)
class Used:
    """The device-hours of the trainings in `results/`, finished or not.

    `finished`: of all finished ones. `unfinished`: of each one that can be continued, by its folder.
    """

    finished: float
    unfinished: Mapping[str, float]

    @property
    def hours(self) -> float:
        """The device-hours of all."""
        return self.finished + sum(self.unfinished.values())


@dataclass(frozen=True)
class RunHours:
    """What the trainings of a run come to, beside those before it.

    `limit`: the device-hours of the budget. `used`: the device-hours of earlier trainings. `estimated`: the estimated
    device-hours of the trainings of the run. `trainings`: their number. `unknown`: the number of those without an
    estimate. `basis`: phrases for the bases of the estimates.
    """

    limit: float
    used: float
    estimated: float
    trainings: int
    unknown: int
    basis: tuple[str, ...]

    @property
    def is_exceeded(self) -> bool:
        """Whether the trainings of the run go beyond the budget; a run without a training never does."""
        return self.trainings > 0 and self.used + self.estimated > self.limit

    def __str__(self) -> str:
        """Return the sum, and its parts."""
        unknown = f", {self.unknown} of them without an estimate" if self.unknown else ""
        basis = f" ({'; '.join(self.basis)})" if self.basis else ""
        return (
            f"{'at least ' if self.unknown else ''}{self.used + self.estimated:,.2f} device-hours: {self.used:,.2f} of "
            f"earlier trainings, {self.estimated:,.2f} estimated for {self.trainings} trainings of this run"
            f"{unknown}{basis}"
        )


def budget_of(grid: Grid, jobs: Iterable[Job], used: Used, root: Path = Path()) -> RunHours | None:
    """Return what the trainings among the jobs of a run come to; None where config.yaml has no budget.

    A training that is continued is estimated without what it has used. Raises UserError as `Estimates` does, and for a
    damaged record of a training that was set aside.
    """
    if grid.device_hours is None:
        return None
    trainings = [job for job in jobs if job.is_training]
    estimates = Estimates(grid, root / RESULTS)
    known = [(job, estimates.hours(grid.find(job.names["corpus"], job.names["system"]))) for job in trainings]
    hours = [max(hours.hours - used.unfinished.get(job.folder, 0), 0) for job, hours in known if hours is not None]
    return RunHours(
        limit=grid.device_hours,
        used=used.hours + sum(_set_aside(root)),
        estimated=sum(hours),
        trainings=len(trainings),
        unknown=len(trainings) - len(hours),
        basis=tuple(dict.fromkeys(hours.basis for _, hours in known if hours is not None)),
    )


def budget_lines(grid: Grid, jobs: Collection[Job], used: Used, root: Path = Path()) -> list[str]:
    """Return what a run says of the budget before its first job; nothing without a budget, or without a training."""
    try:
        budget = budget_of(grid, jobs, used, root)
    except UserError as problem:
        return [f"the budget of device-hours is not checked: {problem}"]
    if budget is None or not budget.trainings:
        return []
    over = [f"this is above {KEY} {budget.limit:g} of config.yaml: no job would start"] if budget.is_exceeded else []
    return [f"of {KEY} {budget.limit:g}: {budget}", *over]


def check_budget(grid: Grid, jobs: Collection[Job], used: Used, root: Path = Path()) -> None:
    """Raise UserError where the trainings of a run would go beyond the budget, and as `budget_of` does."""
    budget = budget_of(grid, jobs, used, root)
    if budget is None or not budget.is_exceeded:
        return
    raise UserError(
        "the trainings of this run would go beyond the budget of device-hours",
        where=f"{KEY} of config.yaml",
        found=str(budget),
        expected=f"at most {budget.limit:g}",
        remedy="ask for targets with fewer trainings (docmt list-targets), or raise the budget: "
        f"--config {KEY}={budget.used + budget.estimated + 1:.0f}",
    )


def _set_aside(root: Path) -> Iterator[float]:
    """Yield the device-hours of each training that was set aside, until `docmt remove-results` removes it."""
    for path in sorted((root / ASIDE).glob(f"*/{FILES}/{RECORD}")):
        record = read_object_if_there(path) or {}
        with reading(path, "not the record of a training", "what `docmt job train` writes"):
            yield need_number(record.get(KEY, 0))
