"""A target made again in a folder of its own: its settings, the files of the user, and the run of its jobs."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object, write_json
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.paths import RESULTS
from docmt.base.recipe import Recipe, Resources
from docmt.catalogue.missing import mirror_folder
from docmt.grid.main_config import MainConfig
from docmt.plan.plan import Job, Plan
from docmt.steps import get_step

MARK = "reproduce.json"
"""The file of a folder in which a target is made again; a folder with the same content is continued."""
NO_STORE = {"store_mode": "off"}
"""The settings with which nothing comes from a store."""


def prepare_folder(folder: Path, files: Iterable[tuple[str, Path]], mark: Mapping[str, str]) -> None:
    """Copy files into a new folder, by their paths there; a folder that was begun with the same `mark` stays.

    Raises UserError where the folder has other files.
    """
    if (folder / MARK).is_file() and read_object(folder / MARK) == dict(mark):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what, remedy = "the folder has other files", "name a new --folder, or remove this one"
        raise UserError(what, where=str(folder), remedy=remedy)
    for path, place in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(place, folder / path)
    write_json(folder / MARK, dict(mark))


def files_to_link(stated: Iterable[Path], source: Path, folder: Path) -> list[Path]:
    """Return those of some paths that are there in a project, and needed under the same paths in another folder.

    Raises UserError where a path leads out of the project, and to another place from the new folder.
    """
    paths = [path for path in stated if not path.is_absolute()]
    present = [path for path in dict.fromkeys(paths) if (source / path).exists()]
    for path in present:
        if ".." in path.parts and os.path.realpath(source / path) != os.path.realpath(folder / path):
            raise UserError(
                "the path leads to another place from the new folder",
                where=str(path),
                found=os.path.realpath(folder / path),
                expected=os.path.realpath(source / path),
                remedy="name a --folder beside the first one, or state the whole path",
            )
    return [path for path in present if ".." not in path.parts]


def link_files(paths: Iterable[Path], source: Path, folder: Path) -> None:
    """Link files and folders into another folder, under the same relative paths."""
    for path in paths:
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).symlink_to((source / path).absolute())


def paths_of_user(plan: Plan, jobs: Iterable[Job], config: MainConfig) -> Iterator[Path]:
    """Yield the paths that settings state: the mirror, folders of the user's, and files of jobs."""
    yield from map(Path, [*config.local.values(), *config.human.values()])
    mirror = mirror_folder(config.mirror)
    yield from [mirror] if mirror else []
    files = (file for job in plan.closure(jobs) for file in plan.recipe(job).files.values())
    yield from (path for file in files if not (path := Path(file.path)).is_relative_to(RESULTS))


def copy_downloads(plan: Plan, jobs: Iterable[Job], source: Path, folder: Path) -> None:
    """Copy the downloads of the corpora of a target, where they are there."""
    files = [file for job in plan.closure(jobs) if job.step == "corpus" for file in plan.recipe(job).files.values()]
    for path in (Path(file.path) for file in files):
        if (source / path).is_file() and not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / path, folder / path)


def run_job(recipe: Recipe, folder: Path, threads: int) -> None:
    """Do a job in a folder that has what it reads, unless it is done there."""
    with chdir(folder):
        if not (recipe.folder / MANIFEST).is_file():
            recipe.write()
            get_step(recipe.step).run(recipe, Resources(threads=threads))


def run_snakemake(folder: Path, target: str, cores: int, config: Mapping[str, Any]) -> None:
    """Make a target in a folder. Raises UserError where Snakemake does not end with success."""
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(cores),
        target,
        *_options({**config, **NO_STORE}),
    ]
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


def _options(config: Mapping[str, Any]) -> list[str]:
    """Return the option --config of Snakemake for some keys; none where there are none."""
    texts = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in config.items()]
    return ["--config", *texts] if texts else []
