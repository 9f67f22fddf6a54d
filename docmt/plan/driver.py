"""The driver of a run: what the rules ask it while Snakemake plans, and what it writes before the first job."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.recipe import read_recipe
from docmt.grid.grid import Grid
from docmt.grid.items import DEMO, study_pages
from docmt.plan.links import LINKS, link_of
from docmt.plan.plan import Job, Plan
from docmt.steps import get_step

ALWAYS = "DOCMT_GRAPH"
"""The variable of the environment with which finished jobs have inputs too, for graphs of all jobs."""
TRIGGERS = {"mtime", "params"}
"""What makes Snakemake run a job again: with other triggers finished jobs would look changed."""
Names = dict[str, str]


@dataclass(frozen=True)
class RunSettings:
    """What the command line and the profile say of a run: the fields of `workflow.dag_settings`."""

    targets: frozenset[str]
    forcerun: frozenset[str]
    forceall: bool
    forcetargets: bool
    triggers: frozenset[str]
    is_dry: bool


class Driver:
    """What the rules of a run ask, in the process that plans it."""

    def __init__(self, grid: Grid, settings: Callable[[], RunSettings]) -> None:
        """Plan a grid; `settings` is called once Snakemake knows them."""
        self.grid, self.plan, self._settings = grid, Plan(grid), settings
        self.studies, self.active = tuple(grid.studies), grid.active
        self.default = DEMO if DEMO in grid.studies else min(grid.studies)
        self.downloads_here = grid.downloads == "login"
        self._forced: dict[Job, bool] = {}

    @cached_property
    def settings(self) -> RunSettings:
        """The settings of the run. Raises UserError for triggers with which finished jobs would run again."""
        settings = self._settings()
        if {*settings.triggers} - TRIGGERS:
            raise UserError(
                "with these triggers finished jobs would run again",
                where="--rerun-triggers",
                found=" ".join(sorted(settings.triggers)),
                expected="mtime params, as profiles/default states them",
                remedy="add --rerun-triggers mtime params",
            )
        return settings

    @cached_property
    def targets(self) -> list[Job]:
        """The jobs of the targets."""
        return [job for target in sorted(self.settings.targets or {self.default}) for job in self.jobs_of(target)]

    def jobs_of(self, target: str) -> list[Job]:
        """Return the jobs of a target: `all`, the name of a study, its `.trainings`, a page, or a manifest."""
        if target == "all":
            return [job for study in self.grid.active for job in self.jobs_of(study)]
        study, _, part = target.partition(".")
        if study in self.grid.studies and part in ("", "trainings"):
            pages = [Job.of(step, **names) for step, names in study_pages(self.grid, study)]
            return pages if not part else [job for job in self.plan.closure(pages) if job.is_training]
        path = os.path.relpath(target)
        found = link_of(path)
        job = Job.of(found[0], **found[1]) if found else self.plan.job_at(str(Path(path).parent))
        return [] if job is None else [job]

    def needs(self, step: str) -> Callable[[Names], list[str]]:
        """Return the input function of a step's rule: nothing for a finished job, else the manifests of what it reads."""

        def inputs(wildcards: Names) -> list[str]:
            folder = Path(get_step(step).folder.at(**wildcards), wildcards["id"])
            job = self.plan.job_at(folder.as_posix())
            if job is None:
                if self.plan.is_there(folder):
                    return []
                raise UserError("no job of the present settings", where=str(folder), expected=self._asked_of(folder))
            if self.plan.is_finished(job) and not self.is_forced(job) and not os.environ.get(ALWAYS):
                return []
            return [*self.manifests(self.plan.inputs(job).values()), *self.plan.missing_downloads(job)]

        return inputs

    def _asked_of(self, folder: Path) -> str:
        """Return the folders of the same place that the settings ask for, for a message."""
        return "a folder that `docmt path` names"

    def manifests(self, jobs: Iterable[Job]) -> list[str]:
        """Return the paths of the manifests of jobs, each once."""
        return list(dict.fromkeys(str(self.plan.recipe(job).folder / MANIFEST) for job in jobs))

    def links(self, study: str) -> list[str]:
        """Return the paths at which people open the pages of a study, which are its targets."""
        return [LINKS[job.step](**job.names) for job in self.jobs_of(study)]

    def trainings(self, study: str) -> list[str]:
        """Return the manifests of the trainings of a study."""
        return self.manifests(self.jobs_of(f"{study}.trainings"))

    def page(self, step: str, names: Names) -> str:
        """Return the manifest of a page that people open."""
        return self.manifests([Job.of(step, **names)])[0]

    def parts(self, names: Names, part: str) -> list[str]:
        """Return the outputs of the parts of a job of stage 2; none where it is not divided or has finished."""
        folder, shards = Path(get_step("tokens").folder.at(**names), names["id"]), self.grid.shards
        if shards == 1 or not self.needs("tokens")(names):
            return []
        return part_outputs(folder, part, shards)

    def hint(self, step: str, names: Names, name: str) -> Any:
        """Return a hint of a job: the minutes or the GPUs that it asks a cluster for."""
        return {"minutes": 240, "gpus": 1}[name]

    def is_forced(self, job: Job) -> bool:
        """Return whether the user forces a job, or any job that it is made from, to run (-F, -f, -R)."""
        if job not in self._forced:
            settings = self.settings
            paths = {*settings.forcerun, *(settings.targets if settings.forcetargets else ())}
            named = job.step in settings.forcerun or str(self.plan.recipe(job).folder / MANIFEST) in paths
            is_target = settings.forcetargets and job in self.targets
            self._forced[job] = (
                settings.forceall or named or is_target or any(map(self.is_forced, self.plan.inputs(job).values()))
            )
        return self._forced[job]

    def write_recipes(self) -> None:
        """Write the recipes of the jobs that run."""
        again = f"{time.time():.0f}.{os.getpid()}"
        for job in self.plan.to_run(self.targets, self.is_forced):
            recipe = self.plan.recipe(job)
            replace(recipe, again=again if self.plan.is_finished(job) else "").write()
        self.plan.digests.save()


def part_outputs(folder: Path, part: str, shards: int) -> list[str]:
    """Return the outputs of a pass over all parts of stage 2; the last one needs what was learnt too."""
    learnt = [f"{folder}/shards/learnt"] if part == "encoded" else []
    return [*learnt, *(f"{folder}/shards/{part}.{number}of{shards}" for number in range(1, shards + 1))]


class Submitted:
    """What the rules ask in a job on a cluster, which reads its recipe alone."""

    studies, active, default, downloads_here = (), (), "", False

    def needs(self, step: str) -> Callable[[Names], list[str]]:
        """Return the input function of a step's rule: the manifests of what its job reads."""

        def inputs(wildcards: Names) -> list[str]:
            folder = Path(get_step(step).folder.at(**wildcards), wildcards["id"])
            return [str(read / MANIFEST) for read in read_recipe(folder, step).inputs.values()]

        return inputs

    def parts(self, names: Names, part: str) -> list[str]:
        """Return the outputs of the parts of a job of stage 2; none where it is not divided."""
        folder = Path(get_step("tokens").folder.at(**names), names["id"])
        shards = read_recipe(folder, "tokens").hints.get("shards", 1)
        return [] if shards == 1 else part_outputs(folder, part, shards)

    def hint(self, step: str, names: Names, name: str) -> Any:
        """Return a hint of a job: the minutes or the GPUs that it asks a cluster for."""
        return read_recipe(Path(get_step(step).folder.at(**names), names["id"]), step).hints[name]

    def page(self, step: str, names: Names) -> str:
        """Pages are made where the run is planned."""
        raise AssertionError(step)
