"""The grid of a run: with `missing: skip`, also the corpora and the checkpoints that nobody has."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.plan.grid import Grid, load_grid
from docmt.plan.supplies import Supplies

SCALES = Path("workflow/scales")
"""The folder of the files of scales, relative to that of config.yaml."""


def grid_of_run(root: Path, config: dict[str, Any]) -> Grid:
    """Return the grid of the settings in the folder `root`, for a run in the present folder.

    `config` overrides keys of config.yaml. Raises UserError for wrong settings.
    """
    grid = load_grid(root, config)
    if grid.missing == "stop":
        return grid
    not_run, ways = Supplies(grid).left_out()
    return dataclasses.replace(grid, not_run=not_run, ways=ways)


def grids_of_other_scales(grid: Grid, root: Path, config: dict[str, Any]) -> list[Grid]:
    """Return the grids of the other scales that read the same corpora as `grid`, for the same settings."""
    if grid.fixtures:
        return []
    names = sorted(path.stem for path in (root / SCALES).glob("*.yaml") if path.stem != grid.scale)
    grids = [grid_of_run(root, {**config, "scale": name}) for name in names]
    return [other for other in grids if not other.fixtures]
