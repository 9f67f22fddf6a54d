"""The grid of this clone's own settings, read once in a process: to read all studies takes a second and more."""

from functools import cache

from helpers.support import ROOT

from docmt.grid.grid import Grid, load_grid


@cache
def whole_grid(scale: str = "paper", **overrides: str) -> Grid:
    """Return the grid of all studies at a scale; `overrides` are other keys of config.yaml."""
    return load_grid(ROOT, {"scale": scale, **overrides})
