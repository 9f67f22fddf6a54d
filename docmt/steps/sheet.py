"""Stage 8: the blind sheet of a table of judgements, drawn from the translations of two systems, with its key."""

from typing import Any

from docmt.base.paths import SHEET
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.items import judged_systems, sheet_jobs
from docmt.steps.of_grid import languages
from docmt.steps.step import Inputs, Names, results_of, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of a sheet: the two systems, and which sentences are drawn."""
    item, entries = judged_systems(grid, names["study"], names["item"])
    baseline, system = (
        {"name": entry.system.name, "folder": entry.folder, "seed": entry.seeds[0]} for entry in entries
    )
    return {
        "scale": grid.scale,
        "corpus": item.corpus,
        "data": grid.data_folder(item.corpus),
        **languages(grid, item.corpus),
        "baseline": baseline,
        "system": system,
        "sentences": item.sentences,
        "draw": item.draw,
        "identical": item.identical,
    }


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the test set, and its translations by the two systems."""
    return Inputs(others=tuple(sheet_jobs(grid, names["study"], names["item"])))


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the name of the table."""
    return {"item": names["item"]}


def run(recipe: Recipe, resources: Resources) -> None:
    """Draw the sheet of a table of judgements from finished translations, with its key in a file of its own."""
    from docmt.scoring.human.drawn import write_study_sheet

    with sealing(recipe):
        write_study_sheet(recipe.path, results_of(recipe), recipe.folder / f"{recipe.hint('item', str)}.sheet.csv")


STEP = step_of(
    __name__,
    folder=SHEET,
    version=13,
    code=("docmt/reporting", "docmt/scoring/human"),
    writes=("*.sheet.csv", "*.sheet.html", "*.sheet.key.json"),
)
