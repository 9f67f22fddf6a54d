"""The mistakes in config.yaml, in the files of corpora, studies and scales, and in the sets of downloads."""

from pathlib import Path

from docmt.base.clone import Folders
from docmt.base.errors import UserError
from docmt.catalogue.filesets import FOLDER, load_file_set
from docmt.catalogue.lock import LOCK, locked_checksums
from docmt.grid.grid import Grid, what_is_right
from docmt.grid.mistakes import broken_names, follows, noting
from docmt.preflight.finding import RunFinding, told


def read_settings(overrides: dict) -> tuple[Grid | None, list[RunFinding]]:
    """Return the grid of the settings in the present folder that are right, and the findings about the others.

    `overrides` replaces keys of config.yaml. The grid is None where `defaults` of config.yaml cannot be used. Raises
    UserError where there is no config.yaml, or where it is no YAML.
    """
    folders = Folders.of(Path())
    grid, problems = what_is_right(folders, overrides)
    broken = broken_names(problems)
    for path in sorted((folders.clone / FOLDER).glob("*.yaml")):
        with noting(problems):
            load_file_set(path)
    with noting(problems):
        locked_checksums(Path(LOCK))
    findings = [_finding(problem, follows(problem, broken)) for problem in problems]
    return grid, [*findings, told("fact", _what_was_read(grid))]


def _what_was_read(grid: Grid | None) -> str:
    if grid is None:
        return "not checked: what the studies state, since `defaults` of config.yaml cannot be used"
    numbers = f"{len(grid.studies)} studies, {len(grid.corpora)} corpora, {len(grid.entries)} systems on corpora"
    return f"config.yaml, {numbers}, scale {grid.scale}"


def _finding(problem: UserError, follows: bool) -> RunFinding:
    """Return the finding about an error; a name of what has a mistake itself is a warning."""
    if follows:
        what = f"not checked as a whole: it needs {problem.found}, which has a mistake itself"
        return told("warning", what, where=problem.where, remedy=f"correct {problem.found}, and check again")
    return RunFinding("error", problem)
