"""The state of a run: its jobs here and on a cluster, its trainings, its failures, and the device-hours so far."""

from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.paths import RESULTS
from docmt.cluster.jobs import ClusterJob
from docmt.cluster.processes import DriverState, driver_state, local_work
from docmt.cluster.slurm import Queue, read_queue
from docmt.plan.estimates import Estimates
from docmt.plan.explain import jobs_of_target
from docmt.plan.jobs import Job
from docmt.plan.planning import Plan, Planner
from docmt.plan.progress import RunProgress, progress_of, running_here
from docmt.plan.run import grid_for_targets, grid_of_run
from docmt.plan.spending import Spending, spending_of
from docmt.plan.stored import stored_for
from docmt.plan.stored_trainings import stored_trainings
from docmt.plan.submitted import attempts, of_folder
from docmt.training.survey import TrainingState, training_state

ACTIVE = ("queued", "running")
"""The phases of jobs of a cluster that have not ended."""


@dataclass(frozen=True)
class RunStatus:
    """The state of a target.

    `progress`: its jobs by rule and state, and those that failed. `trainings`: its trainings that have begun.
    `spending`: their device-hours. `queue`: what Slurm says. `submitted`: the jobs of this project that Slurm has and
    that have not ended, also those of other targets. `driver`: whether a run of Snakemake is going on.
    """

    target: str
    scale: str
    progress: RunProgress
    trainings: tuple[TrainingState, ...]
    spending: Spending
    queue: Queue
    submitted: tuple[ClusterJob, ...]
    driver: DriverState

    @property
    def orphans(self) -> tuple[ClusterJob, ...]:
        """The jobs of the cluster that no run waits for any more; a new run with docmt's executor waits for them."""
        return self.submitted if self.driver == "none" else ()


class StatusReader:
    """Reads the state of a target again and again; the settings are read once."""

    def __init__(self, root: str | Path, target: str, config: Mapping[str, Any] | None = None) -> None:
        """Read the settings of the project in the folder `root`. Raises UserError for wrong ones."""
        self.root, self.target = Path(root), target
        with chdir(self.root):
            grid = grid_for_targets(grid_of_run(Path(), dict(config or {})), [target])
            self.planner = Planner(grid, stored=stored_for(grid))
            self.stored = stored_trainings(grid, Path())

    def read(self) -> RunStatus:
        """Return the present state. Nothing is written. Raises UserError as `docmt why` does."""
        queue, root = read_queue(), self.root.resolve()
        work = local_work(root)
        driver = driver_state(root, work)
        submitted = of_folder(queue.jobs, root)
        with chdir(root):
            self.planner.states.forget()
            plan = self.planner.plan(jobs_of_target(self.planner, self.target))
            trainings = _trainings(plan)
            there = attempts(plan.order, submitted, root)
            here = {*running_here(plan, work.recipes), *_in_state(trainings, "running")}
            stopped = {*_in_state(trainings, "stopped")}
            progress = progress_of(self.planner, plan, here, there, stopped, driver != "none")
            spending = self._spending(plan, trainings)
        active = tuple(job for job in submitted if job.phase in ACTIVE)
        scale, begun = self.planner.jobs.grid.scale, tuple(trainings.values())
        return RunStatus(self.target, scale, progress, begun, spending, queue, active, driver)

    def _spending(self, plan: Plan, trainings: Mapping[Job, TrainingState]) -> Spending:
        """Return the device-hours of the trainings of a plan."""
        # The hours of a finished training that is to be trained again are those of other settings.
        finished, begun = {}, {}
        for job, training in trainings.items():
            if training.state != "finished":
                begun[job] = training.device_hours or 0.0
            elif job not in plan.reasons:
                finished[job] = training.device_hours or 0.0
        estimates = Estimates(self.planner.jobs.grid, Path(RESULTS), stored=self.stored)
        return spending_of(estimates, plan.order, finished, begun)


def read_status(root: str | Path, target: str, config: Mapping[str, Any] | None = None) -> RunStatus:
    """Return the state of a target of the project in the folder `root`; `config` overrides keys of config.yaml."""
    return StatusReader(root, target, config).read()


def _trainings(plan: Plan) -> dict[Job, TrainingState]:
    """Return the trainings of a plan that have begun."""
    trainings = {}
    for job in plan.order:
        if job.is_training:
            names = job.names
            folder = Path(names["scale"], names["corpus"], names["system"], f"seed{names['seed']}")
            training = training_state(Path(RESULTS), folder)
            if training is not None:
                trainings[job] = training
    return trainings


def _in_state(trainings: Mapping[Job, TrainingState], state: str) -> list[Job]:
    """Return the trainings in a state."""
    return [job for job, training in trainings.items() if training.state == state]
