"""Stage 8: the page of a study with all of its items, and a page for each test document."""

from typing import Any

from docmt.base.paths import REPORT
from docmt.base.recipe import Recipe, Resources
from docmt.grid.grid import Grid
from docmt.grid.items import study_files
from docmt.steps.of_pages import LIBRARIES, all_files, human, page_settings, write_page
from docmt.steps.step import Inputs, Names, Step


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the page of a study."""
    return page_settings(grid, REPORT.at(**names), names["study"])


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of a study reads."""
    return all_files(study_files(grid, names["study"]))


def run(recipe: Recipe, resources: Resources) -> None:
    """Write the page, which works offline."""
    write_page(recipe, recipe.folder / "index.html")


STEP = Step(
    name="report",
    about="Write the page of a study, with all of its tables, figures and passages.",
    folder=REPORT,
    version=13,
    code=("docmt/reporting", "docmt/scoring/human"),
    writes=("index.html", "documents/*"),
    outputs=("index.html",),
    run=run,
    settings=settings,
    inputs=inputs,
    files=human,
    libraries=LIBRARIES,
)
