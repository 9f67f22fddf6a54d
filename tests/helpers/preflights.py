"""What the checks of `docmt preflight` say of a project in the present folder."""

from collections.abc import Iterable
from pathlib import Path

from docmt.grid.grid import Grid, load_grid
from docmt.preflight.finding import RunFinding
from docmt.preflight.planned import PlannedRun, planned_run


def grid_of(**config) -> Grid:
    return load_grid(Path(), config)


def planned(*targets: str, **config) -> tuple[PlannedRun, list[RunFinding]]:
    """The run of targets, or of the study `one`, and the findings about it."""
    return planned_run(grid_of(**config), targets or ["one"])


def run_of(*targets: str, **config) -> PlannedRun:
    return planned(*targets, **config)[0]


def said(findings: Iterable[RunFinding]) -> list[tuple[str, str]]:
    """The level and the text of each finding that is no fact."""
    return [(finding.level, finding.message.text()) for finding in findings if finding.level != "fact"]


def facts(findings: Iterable[RunFinding]) -> str:
    """The texts of the facts."""
    return "\n".join(finding.message.text() for finding in findings if finding.level == "fact")
