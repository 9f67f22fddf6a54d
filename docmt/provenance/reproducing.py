"""The work of `docmt reproduce`: a target made again in a folder of its own, and compared with its first run."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object, write_json
from docmt.base.errors import UserError, in_line
from docmt.grid.scored import scoring_of_entry
from docmt.plan.links import for_snakemake, named
from docmt.plan.plan import Job, Plan
from docmt.plan.run import grid_of_run
from docmt.provenance.artifacts import folder_of
from docmt.provenance.comparing import Reproduction, check_first_run, compare
from docmt.provenance.opening import open_crate, write_project
from docmt.provenance.workflow import project_entries
from docmt.steps.ask import program_of


@dataclass(frozen=True)
class NewRun:
    """What is to be made again: the target, the new folder, the cores, and the settings of the command line."""

    target: str
    folder: Path
    cores: int
    overrides: Mapping[str, Any]


def reproduce(new_run: NewRun, root: Path, crate: Path | None) -> Reproduction:
    """Make a target again, and compare it with the first run in the project `root`, or in a crate.

    Raises UserError for an unknown target, where the first run does not have the target, where the folder cannot be
    used, for a crate that could do harm, and where Snakemake fails.
    """
    if crate is None:
        return _make_and_compare(new_run, root, root, {"from": str(root)})
    with tempfile.TemporaryDirectory() as temporary:
        results, project = open_crate(crate, Path(temporary, "crate")), Path(temporary, "project")
        write_project(results, project, new_run.overrides)
        return _make_and_compare(new_run, results, project, {"crate": str(crate)})


def _make_and_compare(new_run: NewRun, results: Path, project: Path, origin: Mapping[str, str]) -> Reproduction:
    """Make the target in the new folder, and compare it with a first run; `origin` is what the user named."""
    target, folder, overrides, is_crate = new_run.target, new_run.folder, dict(new_run.overrides), "crate" in origin
    with chdir(project):
        plan = Plan(grid_of_run(Path(), overrides))
        jobs, in_snakemake = named(plan, target)[0], for_snakemake(plan, target)
        if is_crate:
            _check_programs(plan, jobs, overrides)
        check_first_run([folder_of(plan, job) for job in jobs], results)
    prepare_folder(folder, project_entries(project), {"target": target, **origin}, copies=is_crate)
    run_snakemake(folder, in_snakemake, new_run.cores, overrides)
    with chdir(folder):
        plan = Plan(grid_of_run(Path(), overrides))
        folders = dict.fromkeys(folder_of(plan, job) for job in plan.closure(named(plan, target)[0]))
        return compare(folders, results, folder)


def _check_programs(plan: Plan, jobs: list[Job], stated: Mapping[str, Any]) -> None:
    """Raise UserError where settings of a crate name a program that a job of a target would run."""
    # The settings of the user's command line may name the program of COMET.
    of_user: Any = stated
    for key in ("scoring", "comet", "command"):
        of_user = of_user.get(key) if isinstance(of_user, Mapping) else None
    for job in plan.closure(jobs):
        words = _program(plan, job)
        if words and not (job.step == "scores" and of_user is not None):
            raise UserError(
                "the settings of the crate name a program",
                where=str(job),
                found=in_line(shlex.join(words)),
                remedy="read what it does; to run it, unpack the crate, and name its folder with --root",
            )


def _program(plan: Plan, job: Job) -> tuple[str, ...]:
    grid = plan.grid
    if job.step == "ask":
        return program_of(grid, job.names).words(job.names["corpus"], int(job.names["seed"]))
    if job.step == "scores":
        comet = scoring_of_entry(grid, grid.find_scored(job.names["corpus"], job.names["system"])).comet
        return comet.words if comet else ()
    return ()


# The file of a folder in which a target is made again; a folder with the same content is continued.
MARK = "reproduce.json"
NO_STORE = {"store_mode": "off"}  # The settings with which nothing comes from a store.


def prepare_folder(folder: Path, entries: Mapping[str, Path], mark: Mapping[str, str], copies: bool = False) -> None:
    """Link files and folders into a new folder, by their names there; one that was begun with the same `mark` stays.

    `copies`: whether they are copied, since they do not stay where they are. Raises UserError where the folder has
    other files.
    """
    if (folder / MARK).is_file() and read_object(folder / MARK) == dict(mark):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what, remedy = "the folder has other files", "name a new --folder, or remove this one"
        raise UserError(what, where=str(folder), remedy=remedy)
    folder.mkdir(parents=True, exist_ok=True)
    for path, place in entries.items():
        if not copies:
            (folder / path).symlink_to(place.absolute())
        elif place.is_dir():
            shutil.copytree(place, folder / path)
        else:
            shutil.copy(place, folder / path)
    write_json(folder / MARK, dict(mark))


def run_snakemake(folder: Path, target: str, cores: int, config: Mapping[str, Any]) -> None:
    """Make a target in a folder. Raises UserError where Snakemake does not end with success."""
    stated = {**config, **NO_STORE}
    texts = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in stated.items()]
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), target, "--config", *texts]
    # Python would import modules from the folder, before those that are installed.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    status = subprocess.run(command, cwd=folder, stdout=2, env=environment).returncode
    if status:
        raise UserError(
            "snakemake failed to make the target again",
            where=str(folder),
            found=f"status {status}; its messages are above",
            remedy="run the same command again: it goes on with what is there",
        )
