"""Recipes of jobs, and the commands that carry them out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import write_json
from docmt.base.digests import full_digest
from docmt.base.manifest import MANIFEST, Manifest, read_manifest
from docmt.base.paths import ID_DIGITS
from docmt.base.recipe import Recipe, StatedFile
from docmt.grid.grid import Grid
from docmt.plan.plan import FileDigests, Plan, job_of_place
from docmt.steps import all_steps


def recipe_in(
    place: Path,
    step: str,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Path] | None = None,
    files: Mapping[str, Path] | None = None,
    **hints: Any,
) -> Recipe:
    """The recipe of a job whose folder is in `place`, as `write_recipe` writes it."""
    version = all_steps()[step].version if step in all_steps() else 1
    stated = {role: StatedFile(str(path), FileDigests(Path()).of(path)) for role, path in (files or {}).items()}
    settings = json.loads(json.dumps({key: value for key, value in settings.items() if key != "version"}))
    read = {role: as_input(folder) for role, folder in (inputs or {}).items()}
    return Recipe(step, version, settings, place, read, stated, {}, hints)


def write_recipe(
    place: Path,
    step: str,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Path] | None = None,
    files: Mapping[str, Path] | None = None,
    **hints: Any,
) -> list[str]:
    """Write the recipe of a job in a folder of `place`; return the words of `docmt` that carry it out.

    The last word is the folder of the outputs.
    """
    recipe = recipe_in(place, step, settings, inputs, files, **hints)
    recipe.write()
    return ["job", str(recipe.folder)]


def write_settings(path: Path, settings: Mapping[str, Any]) -> Path:
    """Write a file like job.json for readers of settings alone, and return its path."""
    write_json(path, {"version": 1, "settings": dict(settings), "hints": {}})
    return path


def as_input(folder: Path) -> Path:
    """The folder of an input as recipes name it, by its id; where no job made it, it gets a manifest without files."""
    if not folder.is_dir():
        return folder
    if not (folder / MANIFEST).exists():
        write_json(folder / MANIFEST, Manifest(full_digest(str(folder)), "test").to_json())
    name = str(read_manifest(folder / MANIFEST).identity)[:ID_DIGITS]
    if folder.name == name:
        return folder
    link = folder.parent / "ids" / folder.name / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(folder.absolute())
    return link


def settings(grid: Grid, place: str) -> dict[str, Any]:
    """The settings of the job at `results/<place>`."""
    job = job_of_place(f"results/{place}")
    assert job is not None, place
    return dict(Plan(grid).recipe(job).settings)
