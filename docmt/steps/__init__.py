"""The steps of the workflow, a file for each: what its jobs read, what decides their outputs, and how a job is done."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docmt.steps.step import Step

HELPERS = ("download", "gpus", "leases", "of_grid", "of_pages", "step")
"""The modules of this folder that are no step."""

NAMES = tuple(module.name for module in iter_modules(__path__) if module.name not in HELPERS)
"""The names of all steps."""


@cache
def get_step(name: str) -> "Step":
    """Return a step by its name."""
    return import_module(f"docmt.steps.{name}").STEP


@cache
def all_steps() -> dict[str, "Step"]:
    """Return all steps by their names, in the order of the stages."""
    listed = sorted(map(get_step, NAMES), key=lambda step: (str(step.folder), step.name))
    return {step.name: step for step in listed}
