"""Recipes of jobs, and the commands that carry them out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import write_json
from docmt.base.asked import Asked
from docmt.base.manifest import MANIFEST, SETTINGS
from docmt.base.recipe import JOB, Recipe
from docmt.grid.grid import Grid
from docmt.plan.jobs import GridJobs, Job


def write_recipe(
    folder: Path,
    step: str,
    settings: Mapping[str, Any] | Asked | None = None,
    inputs: Mapping[str, Path] | None = None,
    files: Mapping[str, Path] | None = None,
    prefix: str = "",
    **hints: Any,
) -> list[str]:
    """Write the recipe of a job, and its settings where they are given; return the words of `docmt` that carry it out.

    `settings`: those of a person, or what the workflow asks. `inputs`: the folder, or the manifest, of each input by
    its role.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if settings is not None:
        text = settings.text() if isinstance(settings, Asked) else json.dumps(settings)
        (folder / f"{prefix}{SETTINGS}").write_text(text, encoding="utf-8")
    manifests = {
        role: path if path.name.endswith(MANIFEST) else path / MANIFEST for role, path in (inputs or {}).items()
    }
    recipe = Recipe(folder / f"{prefix}{JOB}", step, manifests, files or {}, hints)
    write_json(recipe.path, recipe.to_json())
    return ["job", step, str(recipe.path)]


def settings(grid: Grid, path: str) -> dict[str, Any]:
    """The settings of the job whose folder is `results/<path>`; of an item of a study its name is the last part."""
    stage, *names = path.split("/")
    if stage == "8_report":
        if len(names) == 2:
            return GridJobs(grid).settings(Job.of("report", scale=names[0], study=names[1]))
        scale, study, item = names
        step = "sheet" if item.endswith(".sheet") else "item"
        return GridJobs(grid).settings(Job.of(step, scale=scale, study=study, item=item.removesuffix(".sheet")))
    job = GridJobs(grid).of_file(f"results/{path}/{MANIFEST}")
    assert job is not None, path
    return GridJobs(grid).settings(job)
