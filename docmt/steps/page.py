"""Stage 8: the page of a table, figure or passage, with its numbers in files beside it, and that of a whole study."""

from pathlib import Path
from typing import Any

from docmt.base.paths import INDEX, PAGE, page_link
from docmt.base.recipe import Recipe, Resources, root_of
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.items import item_jobs, study_jobs
from docmt.steps.of_pages import page_settings
from docmt.steps.step import Inputs, Names, libraries, results_of, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the page of an item, or of a study."""
    item = None if names["item"] == INDEX else names["item"]
    return page_settings(grid, PAGE.at(**names), names["study"], item)


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the jobs whose outputs a page reads."""
    study, item = names["study"], names["item"]
    read = study_jobs(grid, study) if item == INDEX else item_jobs(grid, study, item)
    return Inputs(others=tuple(job for jobs_of_input in read.values() for job in jobs_of_input))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the file of human judgements that config.yaml names for a study."""
    return {"human": Path(grid.human[names["study"]])} if names["study"] in grid.human else {}


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the name of the page, and the path at which people open it."""
    return {"item": names["item"], "opened": page_link(names["scale"], names["study"], names["item"])}


def run(recipe: Recipe, resources: Resources) -> None:
    """Write the page of a study, or of one of its tables, figures and passages: published beside measured."""
    from docmt.reporting.page import write_report

    with sealing(recipe) as seal:
        output = recipe.folder / f"{recipe.hint('item', str)}.html"
        opened = root_of(recipe.path) / recipe.hint("opened", str)
        write_report(recipe.path, results_of(recipe), output, recipe.file("human"), seal.mixed, opened)


STEP = step_of(
    __name__,
    folder=PAGE,
    version=18,
    code=("docmt/kinds", "docmt/reporting", "docmt/scoring/human"),
    writes=("*.html", "*.csv", "*.json", "*.parquet", "*.tex", "*.md", "*.svg", "*.pdf", "documents/*"),
    libraries=libraries("matplotlib", "scipy"),
)
