"""The files whose content has facts of the run, such as times and speeds: two runs never agree on them."""

from collections.abc import Iterator
from typing import Any

from docmt.base.recipe import Recipe
from docmt.settings.metrics import base_of

PAGES = ("page", "front")
"""The steps whose HTML states the times and speeds of trainings."""
HTML = ".html"
OF_RUN = {"speed", "hours"}
"""A metric and a horizontal axis that are facts of the run."""


def is_of_run(recipe: Recipe, name: str) -> bool:
    """Return whether an output of a job has facts of the run. The numbers of a page are in its JSON and CSV."""
    if recipe.step not in PAGES:
        return False
    return name.endswith(HTML) or bool(
        recipe.settings["item"] and OF_RUN.intersection(_words(recipe.settings["study"]))
    )


def _words(value: Any) -> Iterator[str]:
    """Yield the texts of settings, metrics without their variants."""
    if isinstance(value, str):
        yield base_of(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _words(part)
