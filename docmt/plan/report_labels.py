"""The places and labels of results in the report of Snakemake (`snakemake --report`)."""

from docmt.grid.grid import Grid
from docmt.grid.items import item_of
from docmt.kinds.item import FigureConfig, TableConfig

WHOLE_STUDY = "Whole study"
"""The group of a study's own page, beside the groups of its items."""


def group_of(grid: Grid, study: str, name: str) -> str:
    """Return the group of an item, a subcategory of its study. Raises UserError where there is no such item."""
    item = item_of(grid, study, name)
    if isinstance(item, TableConfig):
        return "Tables"
    return "Figures" if isinstance(item, FigureConfig) else "Passages"


def item_labels(grid: Grid, study: str, name: str, file: str) -> dict[str, str]:
    """Return the labels of a file of an item; `file` says which of its files it is.

    The report of Snakemake shows one of two results of a group whose labels are equal. The name of the item is thus a
    label too. Where the last label has two values, the report switches between them, and the first in the order of the
    alphabet is what it shows at first.
    """
    item = item_of(grid, study, name)
    title = f"{item.paper}: {item.title}" if item.paper else item.title
    return {"name": name, "title": title, "file": file}


def study_labels(grid: Grid, study: str) -> dict[str, str]:
    """Return the labels of a study's own page."""
    return {"name": study, "title": grid.studies[study].title}
