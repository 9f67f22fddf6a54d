"""Stage 7: the p-values of a table's systems against their baselines, by every metric and over all seeds."""

from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.items import compared_systems, item_of, run_job
from docmt.steps.step import Inputs, Names, libraries, results_of, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return each pair of a system and its baseline that a table compares, with the seeds of the compared runs.

    Raises UserError for an item that is no table of systems.
    """
    item = item_of(grid, names["study"], names["table"])
    if item.significance is None:
        raise UserError("not a table of systems", where=paths.COMPARISON.at(**names))
    pairs, folders = [], {}
    for system, baseline, seeds in compared_systems(grid, names["study"], item):
        pair = {"corpus": system.corpus, "system": system.system.name, "baseline": baseline.system.name}
        seeds_of = dict(zip(("system", "baseline"), seeds, strict=True))
        pairs.append({**pair, "test": item.significance, "metrics": item.tallied, "seeds": seeds_of})
        for entry in (system, baseline):
            folders.setdefault(entry.corpus, {})[entry.system.name] = entry.scored
    # A new order of the table's rows repeats no comparison.
    pairs.sort(key=lambda pair: (pair["corpus"], pair["system"], pair["baseline"]))
    return {"study": names["study"], "scale": grid.scale, "folders": folders, "pairs": pairs}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the scores, and their sums by unit of the test set (details.arrow), of all runs that a table compares."""
    item = item_of(grid, names["study"], names["table"])
    jobs = [
        run_job(grid, "scores", entry, seed)
        for *pair, seeds in compared_systems(grid, names["study"], item)
        for entry, seeds_of_entry in zip(pair, seeds, strict=True)
        for seed in seeds_of_entry
    ]
    return Inputs(others=tuple(jobs))


def run(recipe: Recipe, resources: Resources) -> None:
    """Compare the systems of a study's table with their baselines, by every metric and over all seeds."""
    from docmt.scoring.comparisons import write_comparisons

    with sealing(recipe):
        write_comparisons(recipe.path, results_of(recipe), recipe.folder / "comparisons.json")


STEP = step_of(
    __name__,
    folder=paths.COMPARISON,
    version=8,
    code=("docmt/scoring",),
    writes=("comparisons.json",),
    libraries=libraries("scipy"),
)
