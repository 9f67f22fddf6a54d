"""The driver of a run: what the rules ask it while Snakemake plans, and what it writes before the first job."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.errors import VERY_SIMILAR, UserError, similar
from docmt.base.manifest import MANIFEST
from docmt.base.paths import RESULTS
from docmt.base.recipe import read_recipe
from docmt.base.result_folders import OLD
from docmt.fetching.download import fetch_set
from docmt.fetching.transfer import Network
from docmt.grid.grid import Grid
from docmt.grid.items import DEMO
from docmt.plan.asked import write_asked
from docmt.plan.collected import collect_after_run
from docmt.plan.ending import ending
from docmt.plan.estimates import UNKNOWN, estimated_minutes
from docmt.plan.links import LINKS, jobs_of_target, set_link
from docmt.plan.obtain import check_supplies, checkpoints_to_fetch
from docmt.plan.passing import may_pass
from docmt.plan.plan import Job, Plan
from docmt.plan.run import with_available
from docmt.plan.stored import hint_of, stored_for
from docmt.plan.supplies import left_out_lines, not_scored_lines
from docmt.steps import get_step
from docmt.steps.download import write_recipe

# The variable of the environment with which finished jobs have inputs too, for graphs of all jobs.
ALWAYS = "DOCMT_GRAPH"
# What makes Snakemake run a job again: with other triggers finished jobs would look changed.
TRIGGERS = {"mtime", "params"}
Names = dict[str, str]


@dataclass(frozen=True)
class RunSettings:
    """What the command line and the profile say of a run: the fields of `workflow.dag_settings`."""

    targets: frozenset[str]
    forcerun: frozenset[str]
    forceall: bool
    forcetargets: bool
    until: frozenset[str]
    triggers: frozenset[str]
    is_dry: bool


class Driver:
    """What the rules of a run ask, in the process that plans it."""

    def __init__(
        self,
        grid: Grid,
        settings: Callable[[], RunSettings],
        tell: Callable[[str], None],
        is_module: bool = False,
    ) -> None:
        """Plan a grid; `settings` is called once Snakemake knows them, and `tell` with each line about the run.

        No hook is called for a module.
        """
        self.plan, self._settings, self._tell = Plan(grid), settings, tell
        self.studies, self.active = tuple(grid.studies), grid.active
        self.default = DEMO if DEMO in grid.studies else min(grid.studies)
        self.downloads_here = grid.downloads == "login"
        self._forced: dict[Job, bool] = {}
        self._is_module = is_module
        self._is_prepared, self._began = False, time.time()

    @property
    def grid(self) -> Grid:
        """The grid of the run."""
        return self.plan.grid

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

    @property
    def targets(self) -> dict[str, list[Job]]:
        """The jobs of each target."""
        targets = sorted(self.settings.targets or {self.default})
        return {target: jobs_of_target(self.plan, target) for target in targets}

    @property
    def target_jobs(self) -> list[Job]:
        """The jobs of all targets, each once."""
        return list(dict.fromkeys(job for jobs in self.targets.values() for job in jobs))

    def hints(self, words: Iterable[str]) -> list[str]:
        """Return a line for each word of the command line that is almost a target, which Snakemake does not know."""
        known = {"all", *self.studies, *(f"{study}.trainings" for study in self.studies)}
        unknown = [word for word in words if word not in known and not Path(word).exists()]
        meant = {word: similar(word, known, VERY_SIMILAR) for word in unknown}
        return [f"no target is called {word}: did you mean {name!r}?" for word, name in meant.items() if name]

    @cached_property
    def to_run(self) -> list[Job]:
        """The jobs of the run."""
        return self.plan.to_run(self.target_jobs, self.is_forced)

    def prepare(self) -> None:
        """Check what the targets need, look into the store, and print what the run leaves out; once."""
        # Snakemake knows the targets only after it has read the rules.
        if self._is_prepared:
            return
        self._is_prepared = True
        self.plan = with_available(self.plan, self.target_jobs)
        check_supplies(self.plan, self.targets)
        if not self.settings.is_dry:
            for files in checkpoints_to_fetch(self.plan, self.target_jobs):
                self._tell(f"downloading the checkpoint {files.set} ({files.gigabytes:g} GB)")
                fetch_set(files, Path(), Network(self.grid.hosts), self.grid.mirror)
            self._write_lost_recipes()
        stored = stored_for(self.plan, self.plan.to_run(self.target_jobs, self.is_forced))
        self.plan.fetched = {*stored.entries}
        self._check_until()
        if (self.plan.root / OLD).exists():
            self._tell(f"{RESULTS}/ has results of an earlier layout, which docmt no longer reads: remove them ({OLD})")
        for line in [*stored.lines, *self.left_out()]:
            self._tell(line)
        if self._is_module and not self.settings.is_dry:
            self.write_recipes()

    def _check_until(self) -> None:
        """Raise UserError for `--until` with a rule of which jobs read each other: Snakemake cannot end there."""
        ending = {job for job in self.to_run if job.step in self.settings.until}
        for job in ending:
            if any(read in ending for read in self.plan.inputs(job).values()):
                raise UserError(
                    "Snakemake cannot end a run with jobs that read each other",
                    where=f"--until {job.step}",
                    found=str(job),
                    remedy="the trainings of a study are a target: snakemake STUDY.trainings",
                )

    def left_out(self) -> list[str]:
        """Return the lines about what the run leaves out."""
        studies = [study for study in self.studies if {study, "all"} & {*self.targets} or study == self.default]
        lines = left_out_lines(self.grid, [study for study in studies if self.is_whole(study)])
        return [*lines, *not_scored_lines(self.grid, self.plan.closure(self.target_jobs))]

    def is_whole(self, study: str) -> bool:
        """Return whether a target of the run is all of a study."""
        targets = self.targets
        return study in targets or ("all" in targets and study in self.active)

    def needs(self, step: str, names: Names, part: str = "") -> list[str]:
        """Return what a job reads, and nothing for a finished one; `part` is that of a divided job of stage 2."""
        self.prepare()
        folder = folder_of(step, names)
        job = self.plan.job_at(folder.as_posix())
        if job is None:
            if self.plan.is_there(folder):
                return []
            expected = "a folder that `docmt path TARGET` prints"
            raise UserError("the present settings ask for no such folder", where=str(folder), expected=expected)
        if self.plan.is_finished(job) and not self.is_forced(job) and not os.environ.get(ALWAYS):
            return []
        read = self.manifests(self.plan.reads(job, self.is_forced))
        read += [] if job in self.plan.fetched else self.plan.missing_downloads(job)
        return by_parts(folder, part, self.grid.shards, read) if step == "tokens" else read

    def manifests(self, jobs: Iterable[Job]) -> list[str]:
        """Return the paths of the manifests of jobs, each once."""
        return list(dict.fromkeys(str(self.plan.recipe(job).folder / MANIFEST) for job in jobs))

    def links(self, study: str) -> list[str]:
        """Return the paths at which people open the pages of a study, which are its targets."""
        self.prepare()
        return [LINKS[job.step](**job.names) for job in jobs_of_target(self.plan, study)]

    def made(self, target: str) -> list[str]:
        """Return the manifests of a target: the trainings of a study, or the page that people open at a path."""
        self.prepare()
        return self.manifests(jobs_of_target(self.plan, target))

    def place_of_page(self, link: str, output: str) -> str:
        """Return the path of the link to a page. Raises UserError where Snakemake has it below another folder."""
        if output != link:
            remedy = "remove `prefix:`; docmt writes into the folder of the run"
            raise UserError(
                "a workflow that uses docmt as a module must not state a prefix",
                where="module",
                found=output,
                expected=link,
                remedy=remedy,
            )
        return link

    def gpus(self, step: str, names: Names) -> int:
        """Return the GPUs that a job of a model asks a cluster for."""
        return int(self.grid.device != "cpu")

    def minutes(self, step: str, names: Names) -> int:
        """Return the minutes that a job asks a cluster for."""
        return self._minutes.get(self.plan.job_at(folder_of(step, names).as_posix())) or UNKNOWN[step]

    @cached_property
    def _minutes(self) -> dict[Job | None, int]:
        return dict(estimated_minutes(self.plan, self.to_run))

    def is_forced(self, job: Job) -> bool:
        """Return whether the user forces a job, or any job that it is made from, to run (-F, -f, -R)."""
        settings = self.settings
        if not (settings.forceall or settings.forcerun or settings.forcetargets):
            return False
        if job not in self._forced:
            named = {*settings.forcerun, *(settings.targets if settings.forcetargets else ())}
            manifest = str(self.plan.recipe(job).folder / MANIFEST)
            is_named = job.step in settings.forcerun or manifest in map(os.path.relpath, named)
            read = self.plan.inputs(job).values()
            self._forced[job] = settings.forceall or is_named or any(map(self.is_forced, read))
        return self._forced[job]

    def write_recipes(self) -> None:
        """Write the recipes of the jobs that run, before the first of them."""
        self.prepare()
        write_asked(self.plan, self.plan.closure(self.target_jobs))
        again = f"{time.time():.0f}.{os.getpid()}"
        for job in self.to_run:
            recipe = self.plan.recipe(job)
            wanted = again if self.plan.is_finished(job) else ""
            replace(recipe, hints={**recipe.hints, **self._hints(job)}, again=wanted).write()
            if self.plan.missing_downloads(job):
                write_recipe(self.grid, self.grid.corpus_in(job.names["corpus"], job.place), Path())
        self.plan.digests.save()

    def _write_lost_recipes(self) -> None:
        """Write the recipes that somebody has deleted from folders of finished jobs."""
        for job in self.plan.closure(self.target_jobs):
            if self.plan.is_finished(job) and not (self.plan.root / self.plan.recipe(job).path).exists():
                self.plan.recipe(job).write(self.plan.root)

    def end(self) -> None:
        """Set the links to the pages of the targets; print what the run made, and what failed."""
        for job in self.target_jobs:
            if job.step in LINKS:
                set_link(self.plan, job)
        studies = [study for study in self.studies if self.is_whole(study)]
        lines = ending(self.plan, self.to_run, self.target_jobs, studies, self._began)
        for line in [*collect_after_run(self.plan), *lines]:
            self._tell(line)

    def _hints(self, job: Job) -> dict[str, Any]:
        """Return the hints of a job that follow from the run: what it asks a cluster for, and of the store."""
        hints: dict[str, Any] = {"device": self.grid.device}
        if job.step in UNKNOWN:
            hints["minutes"] = self._minutes.get(job) or UNKNOWN[job.step]
        if job in self.plan.fetched and not self.is_forced(job):
            hints["fetch"] = hint_of(self.grid)
        elif self.grid.pushes and may_pass(self.plan, job) is None:
            hints["give"] = hint_of(self.grid)
        return hints


def folder_of(step: str, names: Names) -> Path:
    """Return the folder of a job's outputs."""
    return Path(get_step(step).folder.at(**names), names["id"])


def by_parts(folder: Path, part: str, shards: int, read: list[str]) -> list[str]:
    """Return what a part of a job of stage 2 reads: `read`, or the outputs of the parts before it.

    `part`: `tokenised`, `learnt`, or an empty text for the last part, which does the whole of a job with one shard.
    """
    if shards == 1 or part == "tokenised" or not read:
        return read
    before = "tokenised" if part == "learnt" else "encoded"
    learnt = [] if part == "learnt" else [f"{folder}/shards/learnt"]
    return [*learnt, *(f"{folder}/shards/{before}.{number}of{shards}" for number in range(1, shards + 1))]


class Submitted:
    """What the rules ask in a job on a cluster, which reads its recipe alone."""

    studies, active, default, downloads_here = (), (), "", False

    def needs(self, step: str, names: Names, part: str = "") -> list[str]:
        """Return the manifests of what a job reads; `part` is that of a divided job of stage 2."""
        recipe = read_recipe(folder_of(step, names))
        read = [str(folder / MANIFEST) for folder in recipe.inputs.values()]
        return by_parts(recipe.folder, part, recipe.hint("shards", int, 1), read) if step == "tokens" else read

    def gpus(self, step: str, names: Names) -> int:
        """Return the GPUs that a job of a model asks a cluster for."""
        return int(self._hints(step, names)["device"] != "cpu")

    def minutes(self, step: str, names: Names) -> int:
        """Return the minutes that a job asks a cluster for."""
        return int(self._hints(step, names)["minutes"])

    def _hints(self, step: str, names: Names) -> Mapping[str, Any]:
        return read_recipe(folder_of(step, names)).hints

    def write_recipes(self) -> None:
        """Write nothing: the process that planned the run has written the recipes."""

    def end(self) -> None:
        """Print nothing: the process that planned the run does it."""
