"""The grid and the plan of a run; with `missing: skip` they leave out what nobody has, such as corpora."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.grid.grid import Grid, load_grid
from docmt.plan.available import with_available
from docmt.plan.links import named
from docmt.plan.plan import Plan
from docmt.plan.supplies import Supplies
from docmt.plan.unscored import missing_for_scores


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


def plan_of_run(config: dict[str, Any], target: str = "all") -> Plan:
    """Return the plan of a run of a target, in the present folder; `config` overrides keys of config.yaml.

    Raises UserError for wrong settings, and as `named` does.
    """
    plan = Plan(grid_of_run(Path(), config))
    return with_available(plan, named(plan, target)[0]) if plan.grid.not_run else plan
