"""Stage 3: views, the documents of a corpus cut into sentences, windows, instances or sub-documents."""

from dataclasses import asdict
from typing import Any

from docmt.base.paths import VIEW
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import workers_of
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.positions import position_tables
from docmt.settings.models import PositionTable
from docmt.steps.of_grid import tokens_input, view_of
from docmt.steps.step import Names, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the cuts of a view."""
    return {"view": asdict(view_of(grid, names, VIEW))}


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the tables of positions that limit the segments: a further model that reads a view changes no view."""
    tables = position_tables(grid, names["corpus"], names["text"], names["view"])
    return {"positions": [str(table) for table in tables]}


def run(recipe: Recipe, resources: Resources) -> None:
    """Cut the documents of a corpus into the segments of a view."""
    from docmt.views.build import ViewsSettings, build_view

    tables = [PositionTable.parse(text) for text in recipe.hint("positions", tuple[str, ...], ())]
    with sealing(recipe):
        job, workers = parsed(recipe, ViewsSettings), workers_of(resources.threads)
        build_view(job, recipe.input("tokens"), recipe.folder, workers, tables)


STEP = step_of(
    __name__,
    folder=VIEW,
    version=3,
    code=("docmt/views",),
    writes=("card.json", "*.arrow"),
    inputs=tokens_input,
)
