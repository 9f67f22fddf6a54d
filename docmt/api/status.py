"""The state of a run: its jobs here and on a cluster, its trainings and its failures."""

from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.plan.links import named
from docmt.plan.progress import QueuedJob, RunProgress, progress_of, read_queue
from docmt.plan.run import plan_of_run


@dataclass(frozen=True)
class RunStatus:
    """The state of a target.

    `queue`: the jobs of this project in Slurm's queue, also those of other targets. `problem`: why Slurm does not
    answer, or an empty text.
    """

    target: str
    scale: str
    progress: RunProgress
    queue: list[QueuedJob]
    problem: str


def read_status(root: str | Path, target: str, config: Mapping[str, Any] | None = None) -> RunStatus:
    """Return the state of a target of the project in the folder `root`; `config` overrides keys of config.yaml.

    Nothing is written. Raises UserError as `docmt why` does.
    """
    with chdir(root):
        plan = plan_of_run(dict(config or {}), target)
        queue, problem = read_queue(Path())
        return RunStatus(target, plan.grid.scale, progress_of(plan, named(plan, target)[0], queue), queue, problem)
