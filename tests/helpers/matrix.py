"""What a finished run of studies must have left: every item, every cell, every training, every translation.

Each check answers with what is wrong, a line a problem, so that one run shows all of it.
"""

import csv
import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.matrix_cells import wrong_cells
from helpers.support import Project

from docmt.base.artifacts import read_json
from docmt.base.paths import FROZEN_GRID, RESULTS, SCORES, TRAINING, TRANSLATIONS, Folder
from docmt.grid.grid import Grid
from docmt.grid.items import item_files, page_of, run_folder, study_files
from docmt.plan.driver import read_frozen_grid
from docmt.settings.system import Entry

OPEN = "lexical-chains-open"
"""The study with the systems of lexical-chains on open text."""

CONTRASTIVE = "contrastive-sets"
"""The study of rates on contrastive sets."""

LEAST_FALL = 0.2
"""Of the dev loss, from before the first update to the best."""

Run = tuple[Entry, int]
"""A system and a seed."""


@dataclass(frozen=True)
class Matrix:
    """A project that has run, and the studies that it was asked for."""

    root: Path
    grid: Grid
    studies: tuple[str, ...]

    @classmethod
    def of(cls, project: Project, studies: Collection[str]) -> "Matrix":
        """By the grid that the run itself froze."""
        return cls(project.root, read_frozen_grid(project.root / FROZEN_GRID), tuple(studies))

    @property
    def items(self) -> Iterator[tuple[str, str]]:
        return ((study, name) for study in self.studies for name in self.grid.studies[study].items)

    @property
    def entries(self) -> list[Entry]:
        return [entry for study in self.studies for entry in self.grid.of_study(study)]

    def runs(self, stage: Folder) -> dict[str, Run]:
        """What a stage makes of the systems, once each: those of several names, or of several studies, may be one."""
        runs = ((entry, seed) for entry in self.entries for seed in entry.seeds)
        return {run_folder(self.grid, stage, *run): run for run in runs}

    @property
    def translated(self) -> set[str]:
        """Folders of the systems that the studies' pages score: all but those shown by their training alone."""
        scores = [path for study in self.studies for path in study_files(self.grid, study)["scores"]]
        return {str(Path(path).parent).replace(SCORES.stage, TRANSLATIONS.stage) for path in scores}


def missing_pages(matrix: Matrix) -> list[str]:
    """Items and sheets without one of their three files, or with an empty one; and studies without their page."""
    pages = [page_of(matrix.grid, *item) for item in matrix.items]
    files = [str(Path(page).with_suffix(suffix)) for page in pages for suffix in (".html", ".json", ".csv")]
    files += [page_of(matrix.grid, study, "index") for study in matrix.studies]
    sheets = [Path(path) for study in matrix.studies for path in study_files(matrix.grid, study).get("sheets", ())]
    files += [str(path.with_suffix(ending)) for path in sheets for ending in (".csv", ".html", ".key.json")]
    return [f"no {file}" for file in files if not _has_content(matrix.root / file)]


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def cell_problems(matrix: Matrix) -> list[str]:
    """Of every item that is there, and of the files that it was to be made from."""
    return [problem for item in matrix.items for problem in _item_problems(matrix, *item)]


def _item_problems(matrix: Matrix, study: str, name: str) -> Iterator[str]:
    needed = [path for paths in item_files(matrix.grid, study, name).values() for path in paths]
    yield from (f"{study}/{name}: made without {path}" for path in needed if not (matrix.root / path).exists())
    page = matrix.root / page_of(matrix.grid, study, name)
    if not page.with_suffix(".json").exists():
        return
    records = read_json(page.with_suffix(".json"))["records"]
    yield from wrong_cells(matrix.grid, study, name, records)
    with page.with_suffix(".csv").open(encoding="utf-8", newline="") as stream:
        lines = len(list(csv.DictReader(stream)))
    if lines != len(records):
        yield f"{study}/{name}: {lines} lines in CSV, {len(records)} records in JSON"


def run_problems(matrix: Matrix) -> list[str]:
    """Trainings and translations that the grid has and the run has not, and the other way round."""
    return [
        *_differing(matrix, TRAINING, "record.json", matrix.runs(TRAINING)),
        *_differing(matrix, TRANSLATIONS, "decoding.json", matrix.translated),
    ]


def _differing(matrix: Matrix, stage: Folder, file: str, expected: Collection[str]) -> Iterator[str]:
    paths = matrix.root.glob(f"{RESULTS}/{stage.stage}/{matrix.grid.scale}/*/*/seed*/{file}")
    folders = {str(path.parent.relative_to(matrix.root)) for path in paths}
    yield from (f"not made: {folder}" for folder in sorted(set(expected) - folders))
    yield from (f"made and not declared: {folder}" for folder in sorted(folders - set(expected)))


def flat_losses(matrix: Matrix) -> list[str]:
    """Trainings whose best dev loss is not a fifth below that of what they started from (`validate_start`)."""
    return [problem for run in matrix.runs(TRAINING).values() for problem in _fall(matrix, *run)]


def _fall(matrix: Matrix, entry: Entry, seed: int) -> Iterator[str]:
    folder = run_folder(matrix.grid, TRAINING, entry, seed)
    losses = dev_losses(matrix.root / folder)
    start, *others = losses.values() if 0 in losses else (math.nan,)
    if not others or not all(map(math.isfinite, losses.values())):
        yield f"{folder}: dev losses {losses}, expected one of update 0 and later ones"
    elif min(others) > (1 - LEAST_FALL) * start:
        yield f"{folder}: dev loss from {start:.3f} to {min(others):.3f}, {100 * (1 - min(others) / start):.1f} % less"


def dev_losses(training: Path) -> dict[int, float]:
    """By the update."""
    path = training / "metrics.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["update"]: row["loss"] for row in map(json.loads, lines) if row["kind"] == "dev"}


def finished_jobs(said: str) -> int:
    """How many jobs snakemake says that it did."""
    done = re.findall(r"^(\d+) of (\d+) steps \(100%\) done$", said, re.MULTILINE)
    return int(done[-1][0]) if done else 0


def disk_mib(root: Path) -> float:
    """What a folder takes, by the blocks of its files."""
    return sum(path.lstat().st_blocks for path in root.rglob("*")) * 512 / 2**20
