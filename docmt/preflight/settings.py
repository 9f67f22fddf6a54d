"""The mistakes in config.yaml, in the files of corpora, studies and scales, and in the sets of downloads."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from docmt.base.clone import CONFIG, Folders, settings_folder
from docmt.base.errors import UserError
from docmt.base.parse import mistakes
from docmt.base.yaml_files import load_yaml
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.filesets import FOLDER, load_file_set
from docmt.catalogue.lock import LOCK, locked_checksums
from docmt.grid.grid import Grid, grid_of
from docmt.grid.main_config import load_what_is_right
from docmt.grid.study import expand
from docmt.kinds.study import StudyConfig
from docmt.preflight.finding import Area, RunFinding

AREA = Area("settings")
CORPORA, STUDIES = Path("workflow/corpora"), Path("workflow/studies")
OF_FILES: tuple[tuple[Path, type], ...] = ((CORPORA, CorpusConfig), (STUDIES, StudyConfig))
"""The folders whose files have a schema, each with the dataclass of its files."""


@dataclass
class Collected:
    """Errors that were caught, so that the work goes on after them."""

    problems: list[UserError] = field(default_factory=list)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Catch a UserError of the block."""
        try:
            yield
        except UserError as problem:
            self.problems.append(problem)


def read_settings(overrides: dict) -> tuple[Grid | None, list[RunFinding]]:
    """Return the grid of the settings in the present folder that are right, and the findings about the others.

    `overrides` replaces keys of config.yaml. The grid is None where `defaults` of config.yaml cannot be used. Raises
    UserError where there is no config.yaml, or where it is no YAML.
    """
    folders = Folders.of(Path())
    config, lines, problems = load_what_is_right(folders.settings, overrides)
    collected = Collected(problems)
    paths = [path for name in ("corpora", "studies") for path in getattr(config, name, ()) if path.endswith(".yaml")]
    collected.problems += _mistakes_in_files(folders.clone, (folders.settings / path for path in paths))
    broken = {Path(_file(problem)).stem for problem in collected.problems}
    grid = None if config is None else grid_of(folders, config, lines, collected.attempt)
    for path in sorted((folders.clone / FOLDER).glob("*.yaml")):
        with collected.attempt():
            load_file_set(path)
    with collected.attempt():
        locked_checksums(Path(LOCK))
    findings = [_finding(problem, broken | _wrong_texts(grid)) for problem in _once(collected.problems)]
    return grid, [*findings, *_facts(grid)]


def _mistakes_in_files(clone: Path, more: Iterator[Path]) -> Iterator[UserError]:
    """Yield every mistake that the schema of corpora and studies finds in their files; `more`: files of the user's."""
    files = [(path, schema) for folder, schema in OF_FILES for path in sorted((clone / folder).glob("*.yaml"))]
    known = {path for path, _ in files}
    files += [(path, schema) for path in more for schema in [_schema_of(path)] if path not in known and path.exists()]
    for path, schema in files:
        try:
            value, lines = load_yaml(path)
            prepared: Callable = expand if schema is StudyConfig else lambda stated, _: stated
            yield from mistakes(schema, prepared(value, lines), lines)
        except UserError as problem:
            yield problem


def _schema_of(path: Path) -> type:
    """Return the schema of a file of the user's: a study has systems."""
    return StudyConfig if re.search(r"^systems:", path.read_text(encoding="utf-8"), re.MULTILINE) else CorpusConfig


def _once(problems: list[UserError]) -> list[UserError]:
    """Return errors without repetitions: the schema and the reader of a file find the same first mistake."""
    return list({str(problem): problem for problem in problems}.values())


def _file(problem: UserError) -> str:
    """Return the file that an error names; empty where it names none."""
    return re.split(r"[: ]", problem.where or "")[0]


def _wrong_texts(grid: Grid | None) -> set[str]:
    """Return the names of the text presets of config.yaml that are left out of the grid, since they are wrong."""
    stated = load_yaml(settings_folder(Path()) / CONFIG)[0].get("texts")
    return {*stated} - {*grid.texts} if grid is not None and isinstance(stated, dict) else set()


def _finding(problem: UserError, broken: set[str]) -> RunFinding:
    """Return the finding about an error; a name of a file or preset that is wrong itself is a warning.

    `broken`: the names of these files, without their ending, and of the presets.
    """
    if problem.what.startswith("unknown ") and problem.found in broken:
        what = f"not checked as a whole: it needs {problem.found}, which has a mistake itself"
        return AREA.warning(what, where=problem.where, remedy=f"correct {problem.found}, and check again")
    return AREA.of(problem)


def _facts(grid: Grid | None) -> Iterator[RunFinding]:
    """Yield what was read."""
    if grid is None:
        yield AREA.fact("not checked: what the studies state, since `defaults` of config.yaml cannot be used")
    else:
        numbers = f"{len(grid.studies)} studies, {len(grid.corpora)} corpora, {len(grid.entries)} systems on corpora"
        yield AREA.fact(f"config.yaml, {numbers}, scale {grid.scale}")
