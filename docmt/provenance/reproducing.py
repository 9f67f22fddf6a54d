"""The work of `docmt reproduce`: a target made again elsewhere, and compared with its first run."""

import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docmt.base.errors import UserError, in_line
from docmt.catalogue.missing import is_remote
from docmt.grid.scored import scoring_of_entry
from docmt.plan.links import for_snakemake, named
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.provenance.artifacts import folder_of
from docmt.provenance.comparing import Reproduction, check_first_run, compare
from docmt.provenance.opening import open_crate, settings_of_crate, write_project
from docmt.provenance.remaking import (
    copy_downloads,
    files_to_link,
    link_files,
    paths_of_user,
    prepare_folder,
    run_job,
    run_snakemake,
)
from docmt.provenance.workflow import main_config, workflow_files
from docmt.steps import read_job
from docmt.steps.ask import program_of

Tell = Callable[[str], None]


@dataclass(frozen=True)
class NewRun:
    """What is to be made again: the target, the new folder, the cores, and the settings of the command line.

    `with_downloads`: whether the downloads of the first run are copied. `runs_code`: whether the code of a crate and
    the programs that its settings name may run.
    """

    target: str
    folder: Path
    cores: int
    overrides: Mapping[str, Any]
    with_downloads: bool = False
    runs_code: bool = False


@dataclass(frozen=True)
class FirstRun:
    """What the target is compared with: the folders of the results and of the settings, and what the user named."""

    results: Path
    project: Path
    origin: Mapping[str, str]
    is_crate: bool = False


def reproduce(new_run: NewRun, root: Path, crate: Path | None, tell: Tell) -> Reproduction:
    """Make a target again, and compare it with the first run in the project `root`, or in a crate.

    `tell` gets a line about each thing that is not the crate's. Raises UserError for an unknown target, where the first
    run does not have the target, where the folder cannot be used, for a crate that could do harm, and where Snakemake
    fails.
    """
    if crate is None:
        return _make_and_compare(new_run, new_run.overrides, FirstRun(root, root, {"from": str(root)}), tell)
    with tempfile.TemporaryDirectory() as temporary:
        results, project = open_crate(crate, Path(temporary, "crate")), Path(temporary, "project")
        ran_with = settings_of_crate(results)
        for line in write_project(results, project, ran_with, new_run.overrides, new_run.runs_code):
            tell(line)
        overrides = {**ran_with, **new_run.overrides}
        origin = {"from": str(crate), "code": "crate" if new_run.runs_code else "docmt"}
        return _make_and_compare(new_run, overrides, FirstRun(results, project, origin, is_crate=True), tell)


def reproduce_artifact(recipe_path: str, new_run: NewRun, root: Path) -> Reproduction:
    """Make a single artifact of a project again by its job.json, from the same inputs, and compare it.

    Raises UserError for a recipe that is not that of its folder, or of another version of its step.
    """
    place = Path(recipe_path).parent
    with chdir(root):
        recipe = replace(read_job(place)[0], place=place.parent, again="")
        check_first_run([recipe.folder.as_posix()], root)
    stated = [*recipe.inputs.values(), *(Path(file.path) for file in recipe.files.values())]
    linked = files_to_link(stated, root, new_run.folder)
    prepare_folder(new_run.folder, (), {"target": recipe_path, "from": str(root)})
    link_files(linked, root, new_run.folder)
    run_job(recipe, new_run.folder, new_run.cores)
    return compare([recipe.folder.as_posix()], root, new_run.folder)


def _make_and_compare(new_run: NewRun, overrides: Mapping[str, Any], first: FirstRun, tell: Tell) -> Reproduction:
    """Make the target in the new folder, and compare it with a first run."""
    target, folder = new_run.target, new_run.folder
    with chdir(first.project):
        plan, config = Plan(grid_of_run(Path(), dict(overrides))), main_config(Path(), overrides)
        jobs, in_snakemake = named(plan, target)[0], for_snakemake(plan, target)
        if first.is_crate and (hosts := sorted(_hosts(plan, jobs))):
            tell(f"files of its corpora are downloaded from {', '.join(hosts)}")
        if first.is_crate and not new_run.runs_code:
            _check_programs(plan, jobs, new_run.overrides)
        check_first_run([folder_of(plan, job) for job in jobs], first.results)
        linked = files_to_link(paths_of_user(plan, jobs, config), first.project, folder)
        prepare_folder(folder, workflow_files(first.project, config), {"target": target, **first.origin})
        link_files(linked, first.project, folder)
        if new_run.with_downloads:
            copy_downloads(plan, jobs, first.project, folder)
    run_snakemake(folder, in_snakemake, new_run.cores, overrides)
    with chdir(folder):
        plan = Plan(grid_of_run(Path(), dict(overrides)))
        folders = dict.fromkeys(folder_of(plan, job) for job in plan.closure(named(plan, target)[0]))
        return compare(folders, first.results, folder)


def _hosts(plan: Plan, jobs: list[Job]) -> set[str]:
    """Return the hosts of the addresses of the corpora of a target."""
    grid = plan.grid
    names = {job.names["corpus"] for job in plan.closure(jobs) if job.step == "corpus"}
    files = (file for name in names for file in grid.corpus_at_scale(grid.corpus_in(name, name)).files)
    urls = (source.url for file in files for source in file.sources if is_remote(source.url))
    return {urlsplit(url).hostname or url for url in urls}


def _check_programs(plan: Plan, jobs: list[Job], stated: Mapping[str, Any]) -> None:
    """Raise UserError where settings of a crate name a program that a job of a target would run.

    `stated`: the settings of the user's command line, which may name a program.
    """
    of_user: Any = stated
    for key in ("scoring", "comet", "command"):
        of_user = of_user.get(key) if isinstance(of_user, Mapping) else None
    for job in plan.closure(jobs):
        for words in _programs(plan, job, of_user is not None):
            raise UserError(
                "the settings of the crate name a program",
                where=str(job),
                found=in_line(shlex.join(words)),
                remedy="read what it does; with --run-code-of-crate it runs",
            )


def _programs(plan: Plan, job: Job, has_comet: bool) -> Iterator[tuple[str, ...]]:
    """Yield the command lines of a job that settings state; `has_comet`: the user has stated that of COMET."""
    grid = plan.grid
    if job.step == "ask":
        yield program_of(grid, job.names).words(job.names["corpus"], int(job.names["seed"]))
    if job.step == "scores" and not has_comet:
        comet = scoring_of_entry(grid, grid.find_scored(job.names["corpus"], job.names["system"])).comet
        if comet is not None:
            yield comet.words
