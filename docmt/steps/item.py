"""Stage 8: the page of a table, figure or passage, with its numbers in files beside it."""

from typing import Any

from docmt.base.paths import ITEM, REPORT
from docmt.base.recipe import Recipe, Resources
from docmt.grid.grid import Grid
from docmt.grid.items import item_files
from docmt.steps.of_pages import LIBRARIES, all_files, human, page_settings, write_page
from docmt.steps.step import Inputs, Names, Step

EXPORTED = (".html", ".csv", ".json", ".parquet", ".tex", ".md", ".svg", ".pdf")
"""The endings of the files of an item."""


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the page of an item."""
    return page_settings(grid, ITEM.at(**names), names["study"], names["item"])


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of an item reads."""
    return all_files(item_files(grid, names["study"], names["item"]))


def run(recipe: Recipe, resources: Resources) -> None:
    """Fill the item with published and measured numbers."""
    write_page(recipe, recipe.folder / f"{recipe.prefix}html")


STEP = Step(
    name="item",
    about="Write the page of a table, figure or passage: published beside measured.",
    folder=REPORT,
    version=13,
    code=("docmt/reporting", "docmt/scoring/human"),
    writes=tuple(f"{{item}}{ending}" for ending in EXPORTED),
    outputs=("{item}.html", "{item}.json", "{item}.csv", "{item}.parquet"),
    prefix="{item}.",
    run=run,
    settings=settings,
    inputs=inputs,
    files=human,
    libraries=LIBRARIES,
)
