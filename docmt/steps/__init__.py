"""The steps of the workflow, a file for each: what its jobs read, what decides their outputs, and how a job is done."""

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from docmt.base.errors import UserError, in_line
from docmt.base.recipe import Recipe, read_recipe

if TYPE_CHECKING:
    from docmt.steps.step import Step

HELPERS = ("download", "of_grid", "of_pages", "step")  # The modules of this folder that are no step.

NAMES = tuple(module.name for module in iter_modules(__path__) if module.name not in HELPERS)  # The names of all steps.


@cache
def get_step(name: str) -> "Step":
    """Return a step by its name."""
    return import_module(f"docmt.steps.{name}").STEP


def read_job(folder: Path) -> "tuple[Recipe, Step]":
    """Return the recipe in the folder of a job, and its step. Raises UserError for another version of the step too."""
    recipe = read_recipe(folder)
    if recipe.step not in NAMES:
        expected = "a step of this docmt"
        raise UserError("unknown step", where=str(recipe.path), found=in_line(recipe.step), expected=expected)
    step = get_step(recipe.step)
    if recipe.version != step.version:
        what = f"the job was planned for another version of the step {step.name}"
        remedy = "run snakemake again, which plans with the present version"
        raise UserError(what, where=str(recipe.path), found=recipe.version, expected=step.version, remedy=remedy)
    return recipe, step


@cache
def all_steps() -> dict[str, "Step"]:
    """Return all steps by their names, in the order of the stages."""
    listed = sorted(map(get_step, NAMES), key=lambda step: (str(step.folder), step.name))
    return {step.name: step for step in listed}
