"""The grid of a run: with `missing: skip`, also what nobody has, such as corpora, checkpoints and word vectors."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.grid.grid import Grid, load_grid
from docmt.plan.supplies import Supplies
from docmt.plan.unscored import missing_for_scores

SCALES = Path("workflow/scales")
"""The folder of the files of scales, relative to the clone."""


def grid_of_run(root: Path, config: dict[str, Any], clone: Path | None = None) -> Grid:
    """Return the grid of the settings in the folder `root`, for a run in the present folder.

    `config` overrides keys of config.yaml, and `clone` is that of the workflow that runs, as for `load_grid`. Raises
    UserError for wrong settings.
    """
    return without_missing(load_grid(root, config, clone))


def without_missing(grid: Grid) -> Grid:
    """Return the grid with what it leaves out in the present folder, since nobody has it (`missing: skip`)."""
    if grid.missing == "stop":
        return grid
    supplies = Supplies(grid)
    not_run, ways = supplies.left_out()
    unscored = missing_for_scores(supplies)
    return dataclasses.replace(
        grid,
        not_run=not_run,
        not_scored={supply.name: supply.reason for supply in unscored},
        ways=ways | {supply.name: supply.way for supply in unscored},
    )


def grids_of_other_scales(grid: Grid, root: Path, config: dict[str, Any]) -> list[Grid]:
    """Return the grids of the other scales that read the same corpora as `grid`, for the same settings."""
    if grid.fixtures:
        return []
    clone = Path(grid.clone)
    names = sorted(path.stem for path in (clone / SCALES).glob("*.yaml") if path.stem != grid.scale)
    grids = [grid_of_run(root, {**config, "scale": name}, clone) for name in names]
    return [other for other in grids if not other.fixtures]
