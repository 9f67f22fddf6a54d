"""Stage 8: the page of the demo study again, in `results/` itself; its links lead to the same pages of items.

At a scale other than `paper` the scale is in its name, so that a trial run leaves the page of the papers' sizes alone.
"""

from dataclasses import replace
from typing import Any

from docmt.base.paths import FRONT, INDEX, front_link
from docmt.grid.grid import Grid
from docmt.grid.items import DEMO
from docmt.steps import page
from docmt.steps.step import Inputs, Names


def of_study(names: Names) -> dict[str, str]:
    """Return the names of the page of the study."""
    return {"scale": names["scale"], "study": DEMO, "item": INDEX}


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the page of the demo."""
    return page.settings(grid, of_study(names))


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the jobs whose outputs the page of the demo reads."""
    return page.inputs(grid, of_study(names))


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the name of the page, and the path at which people open it."""
    opened = front_link(names["scale"])
    return {"item": opened.rpartition("/")[2].removesuffix(".html"), "opened": opened}


STEP = replace(
    page.STEP,
    name="front",
    about="Write the page of the demo study, in the folder of all results.",
    folder=FRONT,
    settings=settings,
    inputs=inputs,
    files=lambda grid, names: page.files(grid, of_study(names)),
    hints=hints,
)
