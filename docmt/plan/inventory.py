"""The inventory of `results/`: the artifacts that are there, their sizes, and who asks for them. Nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.paths import CORPUS, DOWNLOADS, ID, RESULTS
from docmt.base.result_folders import check_layout
from docmt.grid.items import card_of, run_job, study_pages
from docmt.plan.asked import asked_lately
from docmt.plan.plan import Job, Plan
from docmt.steps import all_steps

State = Literal["asked", "asked lately", "unused", "downloads"]
"""The asker of an artifact: the present grid, a run of any clone in the last weeks, or nobody. Downloads are no
artifacts, and are never removed."""


@dataclass(frozen=True)
class Artifact:
    """An artifact below `results/`: its folder, relative to the project's. `is_finished`: whether it has a manifest."""

    path: str
    id: str
    stage: str
    state: State
    bytes: int
    is_finished: bool


def inventory(plan: Plan) -> list[Artifact]:
    """Return the artifacts of a project with who asks for them. Raises UserError for a damaged note, or old layout."""
    check_layout(plan.root)
    asked, unknown = asked_now(plan)
    lately = asked_lately(plan.root)

    def state(folder: Path) -> State:
        place = folder.parent.relative_to(plan.root).as_posix()
        if folder.name in asked or place in unknown:
            return "asked"
        return "asked lately" if folder.name in lately else "unused"

    folders = [(stage, folder, state(folder)) for stage, folder in artifact_folders(plan.root)]
    for folder in plan.root.glob(DOWNLOADS.format(corpus="*")):
        folders.append((CORPUS.stage, folder, "downloads"))
    artifacts = [
        Artifact(
            path=folder.relative_to(plan.root).as_posix(),
            id=folder.name,
            stage=stage,
            state=asked_by,
            bytes=tree_bytes(folder),
            is_finished=asked_by == "downloads" or (folder / MANIFEST).is_file(),
        )
        for stage, folder, asked_by in folders
    ]
    return sorted(artifacts, key=lambda artifact: artifact.path)


def artifact_folders(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the stage and the folder of each artifact, finished or not."""
    for step in all_steps().values():
        for folder in (root / RESULTS / step.folder.stage).glob("/".join("*" * step.folder.depth)):
            if ID.fullmatch(folder.name) and folder.is_dir():
                yield step.folder.stage, folder


def asked_now(plan: Plan) -> tuple[set[str], set[str]]:
    """Return the ids that a grid asks for, and the places of jobs whose ids are not known, since a file is missing."""
    ids, unknown = set[str](), set[str]()
    for job in plan.closure(all_jobs(plan)):
        try:
            ids.add(plan.recipe(job).folder.name)
        except UserError:
            unknown.add(job.place)
    return ids, unknown


def all_jobs(plan: Plan) -> list[Job]:
    """Return the jobs of the pages and sheets of all studies, of the scores of all systems, and of all corpora."""
    grid = plan.grid
    jobs = [job for study in grid.studies for job in study_pages(grid, study)]
    jobs += [run_job(grid, "scores", entry, seed) for entry in grid.entries for seed in entry.seeds]
    jobs += [card_of(grid, corpus) for corpus in grid.corpora]
    return list(dict.fromkeys(Job.of(step, **names) for step, names in jobs))


def tree_bytes(folder: Path) -> int:
    """Return the size of all files below a folder in bytes; 0 where there is no such folder."""
    return sum(map(_file_bytes, folder.rglob("*")))


def _file_bytes(path: Path) -> int:
    """Return the size of a file in bytes; 0 for anything else, and for a file that a running job has just removed."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return 0 if path.is_dir() and not path.is_symlink() else status.st_size
