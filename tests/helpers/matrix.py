"""What a finished run of studies must have left: every item, every cell, every training, every translation.

Each check answers with what is wrong, a line a problem, so that one run shows all of it.
"""

import csv
import json
import math
import re
from collections.abc import Collection, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from helpers.matrix_cells import wrong_cells
from helpers.plans import plan_of
from helpers.support import Project

from docmt.base.artifacts import read_json
from docmt.base.manifest import MANIFEST
from docmt.base.paths import RESULTS, TRAINING, TRANSLATIONS, Folder
from docmt.grid.grid import Grid
from docmt.grid.items import item_jobs, page_of, run_job, sheet_of, study_jobs, study_pages
from docmt.plan.plan import Job, Plan
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
    plan: Plan
    studies: tuple[str, ...]

    @classmethod
    def of(cls, project: Project, studies: Collection[str], **config: object) -> "Matrix":
        """By the plan of the run, which had this `--config`."""
        return cls(project.root, plan_of(project.root, **config), tuple(studies))

    @property
    def grid(self) -> Grid:
        return self.plan.grid

    def folder(self, step: str, **names: str | int) -> str:
        """The folder of a job, relative to the project."""
        with chdir(self.plan.root):
            return str(self.plan.recipe(Job.of(step, **names)).folder)

    @property
    def items(self) -> Iterator[tuple[str, str]]:
        return ((study, name) for study in self.studies for name in self.grid.studies[study].items)

    @property
    def entries(self) -> list[Entry]:
        return [entry for study in self.studies for entry in self.grid.of_study(study)]

    def training(self, entry: Entry, seed: int) -> str:
        """The folder of the training of a system."""
        step, names = run_job(self.grid, "train", entry, seed)
        return self.folder(step, **names)

    @property
    def trainings(self) -> dict[str, Run]:
        """The trainings of the systems, once each: those of several names, or of several studies, may be one."""
        runs = ((entry, seed) for entry in self.entries for seed in entry.seeds)
        return {self.training(*run): run for run in runs}

    @property
    def translated(self) -> set[str]:
        """Folders of the systems that the studies' pages score: all but those shown by their training alone."""
        jobs = (job for study in self.studies for job in study_jobs(self.grid, study)["scores"])
        read = (self.plan.inputs(Job.of(step, **names)).values() for step, names in jobs)
        return {self.folder(job.step, **job.names) for jobs in read for job in jobs if job.step == "translate"}


def missing_pages(matrix: Matrix) -> list[str]:
    """Items and sheets without one of their three files, or with an empty one; and studies without their page."""
    pages = [page_of(matrix.grid, *item) for item in matrix.items]
    files = [str(Path(page).with_suffix(suffix)) for page in pages for suffix in (".html", ".json", ".csv")]
    files += [page_of(matrix.grid, study, "index") for study in matrix.studies]
    steps = [(study, *job) for study in matrix.studies for job in study_pages(matrix.grid, study)]
    sheets = [Path(sheet_of(matrix.grid, study, names["item"])) for study, step, names in steps if step == "sheet"]
    files += [str(path.with_suffix(ending)) for path in sheets for ending in (".csv", ".html", ".key.json")]
    return [f"no {file}" for file in files if not _has_content(matrix.root / file)]


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def cell_problems(matrix: Matrix) -> list[str]:
    """Of every item that is there, and of the files that it was to be made from."""
    return [problem for item in matrix.items for problem in _item_problems(matrix, *item)]


def _item_problems(matrix: Matrix, study: str, name: str) -> Iterator[str]:
    read = [job for jobs in item_jobs(matrix.grid, study, name).values() for job in jobs]
    needed = dict.fromkeys(f"{matrix.folder(step, **names)}/{MANIFEST}" for step, names in read)
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
        *_differing(matrix, TRAINING, matrix.trainings),
        *_differing(matrix, TRANSLATIONS, matrix.translated),
    ]


def _differing(matrix: Matrix, stage: Folder, expected: Collection[str]) -> Iterator[str]:
    paths = matrix.root.glob(f"{RESULTS}/{stage.stage}/*/*/seed*/*/{MANIFEST}")
    folders = {str(path.parent.relative_to(matrix.root)) for path in paths}
    yield from (f"not made: {folder}" for folder in sorted(set(expected) - folders))
    yield from (f"made and not declared: {folder}" for folder in sorted(folders - set(expected)))


def flat_losses(matrix: Matrix) -> list[str]:
    """Trainings whose best dev loss is not a fifth below that of what they started from (`validate_start`)."""
    return [problem for run in matrix.trainings.values() for problem in _fall(matrix, *run)]


def _fall(matrix: Matrix, entry: Entry, seed: int) -> Iterator[str]:
    folder = matrix.training(entry, seed)
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
    """How many jobs a run says that it did."""
    done = re.findall(r"^docmt: (\d+) of \1 jobs$", said, re.MULTILINE)
    return int(done[-1]) if done else 0


def disk_mib(root: Path) -> float:
    """What a folder takes, by the blocks of its files."""
    return sum(path.lstat().st_blocks for path in root.rglob("*")) * 512 / 2**20
