"""The mistakes in config.yaml, in the files of corpora, studies and scales, and in the sets of downloads."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docmt.base.clone import Folders
from docmt.base.errors import UserError
from docmt.base.parse import mistakes
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.filesets import FOLDER, load_file_set
from docmt.catalogue.lock import LOCK, locked_checksums
from docmt.grid.grid import Grid, grid_of
from docmt.grid.main_config import MainConfig, load_what_is_right
from docmt.grid.study import expand
from docmt.preflight.finding import RunFinding, told
from docmt.reporting.study import StudyConfig


def read_settings(overrides: dict) -> tuple[Grid | None, list[RunFinding]]:
    """Return the grid of the settings in the present folder that are right, and the findings about the others.

    `overrides` replaces keys of config.yaml. The grid is None where `defaults` of config.yaml cannot be used. Raises
    UserError where there is no config.yaml, or where it is no YAML.
    """
    folders = Folders.of(Path())
    config, lines, problems = load_what_is_right(folders.settings, overrides)

    @contextmanager
    def attempt() -> Iterator[None]:
        try:
            yield
        except UserError as problem:
            problems.append(problem)

    problems += _mistakes_in_files(folders, config)
    # The names of files, without their ending, and of presets that are wrong themselves.
    broken = {problem.file_stem for problem in problems}
    broken |= {(problem.where or "").partition(" texts.")[2].partition(".")[0] for problem in problems}
    grid = None if config is None else grid_of(folders, config, lines, attempt)
    for path in sorted((folders.clone / FOLDER).glob("*.yaml")):
        with attempt():
            load_file_set(path)
    with attempt():
        locked_checksums(Path(LOCK))
    # The schema and the reader of a file say the same of its first mistake.
    findings = [_finding(problem, broken) for problem in {str(problem): problem for problem in problems}.values()]
    return grid, [*findings, told("fact", _what_was_read(grid))]


def _mistakes_in_files(folders: Folders, config: MainConfig | None) -> Iterator[UserError]:
    for kind, schema in (("corpora", CorpusConfig), ("studies", StudyConfig)):
        named = (folders.settings / path for path in getattr(config, kind, ()) if path.endswith(".yaml"))
        paths = [*sorted((folders.clone / "workflow" / kind).glob("*.yaml")), *named]
        for path in filter(Path.exists, dict.fromkeys(paths)):
            try:
                value, lines = load_yaml(path)
                yield from mistakes(schema, expand(value, lines) if schema is StudyConfig else value, lines)
            except UserError as problem:
                yield problem


def _what_was_read(grid: Grid | None) -> str:
    if grid is None:
        return "not checked: what the studies state, since `defaults` of config.yaml cannot be used"
    numbers = f"{len(grid.studies)} studies, {len(grid.corpora)} corpora, {len(grid.entries)} systems on corpora"
    return f"config.yaml, {numbers}, scale {grid.scale}"


def _finding(problem: UserError, broken: set[str]) -> RunFinding:
    """Return the finding about an error; a name of what is `broken` itself is a warning."""
    if problem.what.startswith("unknown ") and problem.found in broken:
        what = f"not checked as a whole: it needs {problem.found}, which has a mistake itself"
        return told("warning", what, where=problem.where, remedy=f"correct {problem.found}, and check again")
    return RunFinding("error", problem)
