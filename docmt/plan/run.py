"""The grid of a run: with `missing: skip`, also the corpora and the checkpoints that nobody has."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.catalogue.missing import left_out
from docmt.plan.grid import Grid, load_grid
from docmt.settings.pretrained import is_random_checkpoint, missing_checkpoints

SCALES = Path("workflow/scales")
"""The folder of the files of scales, relative to that of config.yaml."""


def grid_of_run(root: Path, config: dict[str, Any]) -> Grid:
    """Return the grid of the settings in the folder `root`, for a run in the present folder.

    `config` overrides keys of config.yaml. Raises UserError for wrong settings.
    """
    grid = load_grid(root, config)
    if grid.missing == "stop":
        return grid
    needed = {corpus for entry in grid.entries for corpus in grid.corpora_for(entry)}
    needed |= {corpus for study in grid.studies.values() for corpus in study.corpora}
    corpora = [] if grid.fixtures else [grid.corpora[corpus] for corpus in sorted(needed)]
    folders = {folder for entry in grid.entries for folder in grid.checkpoints_for(entry)}
    checkpoints = sorted(folder for folder in folders if not is_random_checkpoint(folder))
    return dataclasses.replace(grid, not_run=left_out(corpora, grid.places()) | missing_checkpoints(checkpoints))


def grids_of_other_scales(grid: Grid, root: Path, config: dict[str, Any]) -> list[Grid]:
    """Return the grids of the other scales that read the same corpora as `grid`, for the same settings."""
    if grid.fixtures:
        return []
    names = sorted(path.stem for path in (root / SCALES).glob("*.yaml") if path.stem != grid.scale)
    grids = [grid_of_run(root, {**config, "scale": name}) for name in names]
    return [other for other in grids if not other.fixtures]
