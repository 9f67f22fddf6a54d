"""The inventory of `results/`: the artifacts that are there, the state and the size of each.

An artifact is what a job leaves: its outputs, its manifest and its record. Outputs of a job that the grid does not have
any more, since its system, corpus, view or item was removed, are orphaned. Nothing is written here.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base import paths
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD, SETTINGS, Manifest, beside, manifest_or_none
from docmt.base.paths import ASIDE, FOLDERS, RESULTS, Folder, names_in
from docmt.base.recipe import JOB
from docmt.grid.grid import Grid
from docmt.grid.items import card_of, page_of, run_folder
from docmt.plan.aside import PLACE, SHARED, is_aside, job_aside
from docmt.plan.driver import study_page
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.steps import get_step

DOWNLOADS = "downloads"
"""The folder of a corpus with its downloads, which are never removed, and the state of these files."""
STATES = "state"
"""What the list has in the place of a stage for the state folders of jobs."""
KEEP_STATE = (paths.TRAINING, paths.TRANSLATIONS)
"""The folders of the jobs that have a state folder: trainings, and translations by a program."""

Category = Literal[
    "right",
    "incomplete",
    "damaged",
    "other",
    "unknown",
    "orphaned",
    "set aside",
    "other scale",
    "downloads",
    "unfinished",
    "running",
]
"""The state of an artifact. The first four are those of `docmt.plan.states`. `unknown`: a file that decides it is
missing or was changed by hand. `orphaned`: no job of the grid. `other scale`: of a scale that this grid does not have.
`downloads`: the downloads of a corpus. `unfinished` and `running`: the state folder of a job."""


@dataclass(frozen=True)
class Artifact:
    """An artifact below the results folder.

    `path`: its folder, or the common beginning of its files. `why`: what is wrong with it, or of what it is. `files`:
    the files that belong to it, the manifest first, where its folder has other files too. `since`: the time in seconds
    at which it was set aside; 0 for others. `is_asked`: whether a run would move it back.
    """

    path: str
    stage: str
    state: Category
    bytes: int
    identity: str | None = None
    why: str = ""
    files: tuple[str, ...] = ()
    since: float = 0.0
    is_asked: bool = False


class Inventory:
    """The artifacts of a project, as a planner sees them."""

    def __init__(self, planner: Planner, others: Iterable[Grid], is_running: Callable[[Path], bool]) -> None:
        """Prepare the inventory of a project.

        `others`: the grids of the other scales, which may need data whose paths have no scale. `is_running` says for
        the state folder of a training whether a process works on it.
        """
        self.planner, self.grid, self.root = planner, planner.jobs.grid, planner.digests.root
        self.others = [Planner(grid, self.root) for grid in others]
        self.is_running = is_running
        self._jobs: dict[Job, bool] = {}
        self._seen: set[Job] = set()

    def artifacts(self) -> list[Artifact]:
        """Return all artifacts, stage by stage. Raises UserError for wrong settings."""
        in_stages = [*self._in_stages(), *self._reports_of_demo(), *self._without_manifest()]
        in_stages.sort(key=lambda artifact: (artifact.stage, artifact.path))
        return [*in_stages, *self._set_aside(), *self._state_folders()]

    def _in_stages(self) -> Iterator[Artifact]:
        """Yield the artifacts in the folders of stages."""
        for stage, kind in FOLDERS.items():
            kind = paths.REPORT if kind is paths.ITEM else kind
            for folder in sorted((self.root / RESULTS / stage).glob("/".join("*" * kind.depth))):
                if folder.is_dir():
                    yield from self._in_folder(kind, folder)

    def _in_folder(self, kind: Folder, folder: Path) -> Iterator[Artifact]:
        """Yield the artifacts in one folder, and the downloads in it."""
        place, manifests = self._relative(folder), sorted(manifests_in(folder))
        names = names_in(place.removeprefix(f"{RESULTS}/"))
        downloads = folder / DOWNLOADS
        scale = self.other_scale(names)
        is_fixture = scale is None and self.grid.fixtures is not None
        if kind is paths.CORPUS and not is_fixture and tree_bytes(downloads):
            yield Artifact(self._relative(downloads), kind.stage, "downloads", tree_bytes(downloads))
        if scale is None and self._is_orphaned(kind, place, names):
            if any(folder.glob(f"*{SETTINGS}")) or manifests:
                yield self._orphan(kind, folder)
            return
        for path in manifests:
            yield self._of_manifest(kind.stage, path, scale)

    def _is_orphaned(self, kind: Folder, place: str, names: dict[str, str]) -> bool:
        """Return whether a folder is that of a job which the grid does not have."""
        job = self.planner.jobs.of_file(f"{place}/{'index.html' if kind is paths.REPORT else MANIFEST}")
        return has_names(names) and not self.has(job) and not self._has_elsewhere(job)

    def _orphan(self, kind: Folder, folder: Path) -> Artifact:
        """Return the artifact of a folder of no job; the downloads of a corpus are no part of it."""
        files = removable_files(folder) if kind is paths.CORPUS else []
        size = sum(map(file_bytes, files)) if files else tree_bytes(folder)
        identity = manifest.identity if (manifest := manifest_or_none(folder / MANIFEST)) else None
        return Artifact(
            self._relative(folder), kind.stage, "orphaned", size, identity, "", tuple(map(self._relative, files))
        )

    def _of_manifest(self, stage: str, path: Path, scale: str | None) -> Artifact:
        """Return the artifact of a manifest."""
        manifest = manifest_or_none(path)
        files = files_listed(path, manifest)
        for other in manifests_in(path.parent):
            if other != path:  # what another manifest lists too is not removed with this one
                of_other = {*files_listed(other, manifest_or_none(other))}
                files = [file for file in files if file not in of_other]
        is_shared = stage in (*SHARED, paths.REPORT.stage) or path.name != MANIFEST or path.parent.name == RESULTS
        size = sum(map(file_bytes, files)) if is_shared else tree_bytes(path.parent)
        listed = tuple(map(self._relative, files)) if is_shared else ()
        place, identity = self._relative(path).removesuffix(MANIFEST).rstrip("/."), manifest and manifest.identity
        if scale is not None:
            return Artifact(place, stage, "other scale", size, identity, f"of {scale}", listed)
        job = self.planner.jobs.of_file(self._relative(path))
        state, why = self._state(job)
        return Artifact(place, stage, state, size, identity, why, listed)

    def _state(self, job: Job | None) -> tuple[Category, str]:
        """Return the state of the outputs of a job, and what is wrong with them."""
        if job is None or not has_names(job.names):
            return "unknown", "no job has this name"
        if not self.has(job):
            return ("other scale", "of another scale") if self._has_elsewhere(job) else ("orphaned", "")
        self._seen.add(job)
        try:
            state = self.planner.states.of(job)
        except UserError as problem:
            return "unknown", problem.what if problem.where is None else f"{problem.where}: {problem.what}"
        return ("other", state.why) if state.name in ("aside", "absent") else (state.name, state.why)

    def has(self, job: Job | None) -> bool:
        """Return whether the grid has a job, and all jobs whose outputs it reads."""
        return job is not None and has_job(self.planner, job, self._jobs)

    def _has_elsewhere(self, job: Job | None) -> bool:
        """Return whether another scale has a job whose path has no scale; the names of views differ between scales."""
        return job is not None and any(has_job(planner, job, {}) for planner in self.others)

    def other_scale(self, names: dict[str, str]) -> str | None:
        """Return the scale of the folder with these names, for a message; None where it is that of the grid."""
        scale = names.get("scale", self.grid.scale)
        if scale != self.grid.scale:
            return f"scale {scale}"
        folder = names.get("corpus", names.get("checkpoint"))
        if folder is None or "scale" in names:
            return None
        _, _, suffix = folder.partition("@")
        if suffix == (self.grid.scale if self.grid.fixtures else ""):
            return None
        return f"scale {suffix}" if suffix else "scales with real corpora"

    def _reports_of_demo(self) -> Iterator[Artifact]:
        """Yield the copies of the demo's page."""
        for path in (self.root / RESULTS).glob(f"report*.{MANIFEST}"):
            scale = paths.scale_of_demo_report(path.name.removesuffix(f".{MANIFEST}").removeprefix("report"))
            of_other = None if scale == self.grid.scale else f"scale {scale}"
            yield self._of_manifest(paths.REPORT.stage, path, of_other)

    def _without_manifest(self) -> Iterator[Artifact]:
        """Yield the outputs of jobs of the grid that have no manifest."""
        for job in self.planner.closure(targets(self.planner)):
            if job in self._seen or (self.root / job.manifest).exists():
                continue
            state, why = self._state(job)
            if state == "incomplete":
                outputs = (self.root / job.folder / name.format(**job.names) for name in get_step(job.rule).outputs)
                size = sum(file_bytes(path) + tree_bytes(path) for path in outputs)
                yield Artifact(str(job), stage_folder(job), state, size, why=why)

    def _set_aside(self) -> Iterator[Artifact]:
        """Yield the outputs that are set aside; the path of the artifact is their present folder."""
        for folder in sorted(path for path in (self.root / ASIDE).glob("*") if path.is_dir()):
            place, size = self._relative(folder), tree_bytes(folder)
            if not is_aside(self.root, folder.name):
                since = folder.stat().st_mtime
                yield Artifact(place, "aside", "set aside", size, why="incomplete", since=since)
                continue
            job, since = job_aside(self.root, folder.name), (folder / PLACE).stat().st_mtime
            scale, is_asked = self.other_scale(job.names), self._asks(job, folder.name)
            why = f"of {job}{'; the next run moves it back' if is_asked else ''}{f'; of {scale}' if scale else ''}"
            state: Category = "other scale" if scale else "set aside"
            yield Artifact(place, stage_folder(job), state, size, folder.name, why, (), since, is_asked)

    def _asks(self, job: Job, identity: str) -> bool:
        """Return whether an identity is what is asked of a job now and its outputs are not in their place."""
        try:
            return self.planner.identities.identity(job) == identity and self.planner.states.of(job).name != "right"
        except UserError:
            # The grid has no such job any more, or nobody knows what is asked of it.
            return self.has(job)

    def _state_folders(self) -> Iterator[Artifact]:
        """Yield the state folders of jobs, also those that were set aside for another run of a training."""
        folders = [
            (kind, folder)
            for kind in KEEP_STATE
            for folder in sorted((self.root / kind.states).glob("/".join("*" * kind.depth)))
        ]
        for kind, folder in folders:
            names = names_in(f"{kind.stage}/{folder.relative_to(self.root / kind.states).as_posix()}")
            if not tree_bytes(folder):
                continue
            names["seed"] = names["seed"].split(".")[0]
            place, size, scale = self._relative(folder), tree_bytes(folder), self.other_scale(names)
            state: Category = "unfinished"
            if kind is paths.TRAINING and self.is_running(folder):
                state = "running"
            elif scale is not None:
                state = "other scale"
            elif has_names(names) and not self.has(self.planner.jobs.of_file(kind.at(**names) + f"/{MANIFEST}")):
                state = "orphaned"
            yield Artifact(place, STATES, state, size, why=f"of {scale}" if scale else "")

    def _relative(self, path: Path) -> str:
        """Return a path relative to the project's folder."""
        return path.relative_to(self.root).as_posix()


def targets(planner: Planner) -> list[Job]:
    """Return the jobs of all targets of a grid: pages, items, scores and corpora."""
    grid = planner.jobs.grid
    files = [study_page(grid.scale, study) for study in grid.studies]
    files += [page_of(grid, study, item) for study in grid.studies for item in grid.studies[study].items]
    files += [
        f"{run_folder(grid, paths.SCORES, entry, seed)}/scores.json" for entry in grid.entries for seed in entry.seeds
    ]
    files += [card_of(grid, corpus) for corpus in grid.corpora]
    return [job for job in dict.fromkeys(map(planner.jobs.of_file, files)) if job is not None]


def has_job(planner: Planner, job: Job, known: dict[Job, bool]) -> bool:
    """Return whether the grid of a planner has a job, and all jobs whose outputs it reads.

    `known`: the results for other jobs, to which this function adds.
    """
    if job not in known:
        try:
            planner.jobs.settings(job)
            known[job] = all(has_job(planner, read, known) for read in planner.jobs.inputs(job).values())
        except UserError:
            known[job] = False
    return known[job]


def stage_folder(job: Job) -> str:
    """Return the name of the folder of a job's stage; the copies of the demo's page belong to the reports."""
    return job.folder.split("/")[1] if "/" in job.folder else paths.REPORT.stage


def has_names(names: dict[str, str]) -> bool:
    """Return whether the names of a folder can be those of a job; a person may have copied `seed1` to `seed1.old`."""
    return names.get("seed", "0").isdigit()


def manifests_in(folder: Path) -> Iterator[Path]:
    """Yield the manifests of a folder, not those below it."""
    yield from (
        path for path in folder.glob(f"*{MANIFEST}") if path.name == MANIFEST or path.name.endswith(f".{MANIFEST}")
    )


def files_listed(path: Path, manifest: Manifest | None) -> list[Path]:
    """Return the files of an artifact that are there: its manifest first, and what the manifest lists below it."""
    names = [] if manifest is None else [*manifest.files, *manifest.records]
    files = [path, *(path.parent / name for name in names), *(beside(path, name) for name in (RECORD, JOB, SETTINGS))]
    return [file for file in dict.fromkeys(files) if file.is_file()]


def removable_files(folder: Path) -> list[Path]:
    """Return the files of the folder of a corpus that are no downloads: manifests first, settings last.

    The settings are what an interrupted removal is recognised by.
    """
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    rest = [file for file in files if file.relative_to(folder).parts[0] != DOWNLOADS]
    return sorted(rest, key=lambda file: (not file.name.endswith(MANIFEST), file.name.endswith(SETTINGS)))


def tree_bytes(folder: Path) -> int:
    """Return the size of all files below a folder in bytes; 0 where there is no such folder."""
    return sum(map(file_bytes, folder.rglob("*")))


def file_bytes(path: Path) -> int:
    """Return the size of a file in bytes; 0 for anything else, and for a file that a running job has just removed."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return 0 if path.is_dir() and not path.is_symlink() else status.st_size
