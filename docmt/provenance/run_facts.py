"""The files whose content has facts of the run, such as times and speeds: two runs never agree on them."""

from docmt.grid.grid import Grid
from docmt.plan.jobs import Job
from docmt.settings.metrics import base_of

PAGES = ("item", "report", "demo_report")
"""The rules whose HTML states the times and speeds of trainings."""
HTML = ".html"
SPEED = "speed"
"""The metric that is a fact of the run."""
HOURS = "hours"
"""The horizontal axis of a figure that is a fact of the run."""


def is_of_run(grid: Grid, job: Job, name: str) -> bool:
    """Return whether the file of a job has facts of the run. The numbers of a page are in its JSON and CSV."""
    if job.rule not in PAGES:
        return False
    return name.endswith(HTML) or (job.rule == "item" and _states_run(grid, job))


def _states_run(grid: Grid, job: Job) -> bool:
    """Return whether the numbers of an item are facts of the run."""
    item = grid.studies[job.names["study"]].items[job.names["item"]]
    return SPEED in map(base_of, item.measures) or getattr(item, "x", None) == HOURS
