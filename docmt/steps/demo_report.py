"""Stage 8: the page of the demo study again, in `results/` itself; its links lead to the same pages of items.

At a scale other than `paper` the scale is in its name, so that a trial run leaves the page of the papers' sizes alone.
"""

from typing import Any

from docmt.base.paths import REPORT, RESULTS, demo_report, scale_of_demo_report
from docmt.base.recipe import Recipe, Resources
from docmt.grid.grid import Grid
from docmt.grid.items import study_files
from docmt.steps.of_pages import LIBRARIES, all_files, human, page_settings, write_page
from docmt.steps.step import Inputs, Names, Step


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the page of the demo."""
    scale = scale_of_demo_report(names["at_scale"])
    grid.check_scale(scale, demo_report(scale))
    return page_settings(grid, REPORT.at(scale=scale, study="demo"), "demo")


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the files that the page of the demo reads, and this page."""
    page = f"{REPORT.at(scale=grid.scale, study='demo')}/index.html"
    return Inputs(files=(page, *all_files(study_files(grid, "demo")).files))


def run(recipe: Recipe, resources: Resources) -> None:
    """Write the page, which works offline."""
    write_page(recipe, recipe.folder / f"{recipe.prefix}html")


STEP = Step(
    name="demo_report",
    about="Write the page of the demo study, in the folder of all results.",
    folder=RESULTS,
    version=13,
    code=("docmt/reporting", "docmt/scoring/human"),
    writes=("report{at_scale}.html",),
    outputs=("report{at_scale}.html",),
    prefix="report{at_scale}.",
    run=run,
    settings=settings,
    inputs=inputs,
    files=human,
    libraries=LIBRARIES,
)
