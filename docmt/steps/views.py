"""Stage 3: views, the documents of a corpus cut into sentences, windows, instances or sub-documents."""

from dataclasses import asdict
from typing import Any

from docmt.base.paths import VIEW
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import workers_of
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.settings.models import PositionTable
from docmt.steps.of_grid import tokens_input, view_of
from docmt.steps.step import Names, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the cuts of a view."""
    return {"view": asdict(view_of(grid, names, VIEW))}


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the tables of positions that limit the segments: a further model that reads a view changes no view."""
    tables = position_tables(grid, names["corpus"], names["text"], names["view"])
    return {"positions": [asdict(table) for table in tables]}


def position_tables(grid: Grid, corpus: str, text: str, view: str) -> list[PositionTable]:
    """Return the learned tables of positions of the models that read a view; empty where a model has no limit.

    `corpus`: the name of its folder. Raises UserError where the scale has no such folder.
    """
    name = grid.corpus_in(corpus, VIEW.at(corpus=corpus, text=text, view=view))
    trained = (entry for entry in grid.entries if entry.has_model)
    readers = (entry.system for entry in trained if (entry.corpus, entry.system.text) == (name, text))
    # The segments are checked against them. They are no settings of the view: a further model that reads it makes none.
    tables = {system.model.learned_positions for system in readers if system.view.name == view}
    return [] if None in tables else sorted(tables)


def run(recipe: Recipe, resources: Resources) -> None:
    """Cut the documents of a corpus into the segments of a view."""
    from docmt.views.build import ViewsSettings, build_view

    tables = recipe.hint("positions", tuple[PositionTable, ...], ())
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
