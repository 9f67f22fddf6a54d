"""The plan of a run: what is asked of each job, where its outputs are, and which jobs the targets are made from.

Nothing here says whether outputs are right: a folder whose name has the identity has them, or has nothing yet.

The digests of files that are not outputs of jobs (downloads, checkpoints, files of the user's) are part of identities,
so that a changed file makes again what was made from it. Reading large files at each plan would take long: a digest is
remembered with the size, the time and the number (inode) of its file.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path, PurePath

from docmt.base.artifacts import read_object, write_json
from docmt.base.digests import full_digest, kind_of, sha256_file
from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.base.manifest import MANIFEST, check_seal, sealed
from docmt.base.paths import RESULTS
from docmt.base.recipe import SOURCES, Recipe, StatedFile, apart
from docmt.catalogue.checksums import file_digest
from docmt.catalogue.files import FileConfig
from docmt.catalogue.folders import version_of
from docmt.catalogue.missing import file_of_user
from docmt.grid.grid import Grid
from docmt.steps import all_steps, get_step


@dataclass(frozen=True)
class Job:
    """A job: a step, and the names in its place, in the order of the alphabet."""

    step: str
    values: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, step: str, **names: str | int) -> "Job":
        """Return the job of a step with these names."""
        return cls(step, tuple(sorted((name, str(value)) for name, value in names.items())))

    @cached_property
    def names(self) -> dict[str, str]:
        """The names by their placeholders."""
        return dict(self.values)

    @cached_property
    def place(self) -> str:
        """The folder of the outputs without the id."""
        return get_step(self.step).folder.at(**self.names)

    @property
    def role(self) -> str:
        """The role of the job for one that reads many results: its place below `results/`."""
        step = get_step(self.step)
        return (step.read_as or step.folder).part(**self.names)

    @property
    def is_training(self) -> bool:
        """Whether the job trains a system."""
        return self.step == "train"

    def __str__(self) -> str:
        """Return the place."""
        return self.place


def job_of_place(place: str) -> Job | None:
    """Return the job with the names in a place; None for a path that is no place."""
    for step in all_steps().values():
        names = step.folder.names_in(place)
        if names is not None and all(names.get(number, "0").isdecimal() for number in ("seed", "context")):
            return Job.of(step.name, **names)
    return None


class Plan:
    """The jobs of a grid, in the project's folder `root`."""

    def __init__(self, grid: Grid, root: Path = Path()) -> None:
        """Remember what is asked of each job, since other jobs need it again."""
        self.grid, self.root, self.digests = grid, root, FileDigests(root)
        self._inputs: dict[Job, dict[str, Job]] = {}
        self._recipes: dict[Job, Recipe] = {}
        self._jobs: dict[str, Job] = {}
        self._places: dict[str, Path] = {}
        self._version = cache(installed_version)
        self._finished: dict[str, bool] = {}
        self.fetched: set[Job] = set()
        """The jobs whose outputs come from the store; they read nothing."""

    def inputs(self, job: Job) -> dict[str, Job]:
        """Return the jobs whose outputs a job reads, by role. Raises UserError where the grid has no such job."""
        if job not in self._inputs:
            stated = get_step(job.step).inputs(self.grid, job.names)
            roles = {role: Job.of(step, **names) for role, (step, names) in stated.roles.items()}
            others = [Job.of(step, **names) for step, names in stated.others]
            self._inputs[job] = roles | {other.role: other for other in others}
        return self._inputs[job]

    def recipe(self, job: Job) -> Recipe:
        """Return what is asked of a job. Raises UserError where the grid has no such job, or a file is missing."""
        if job not in self._recipes:
            recipe = self._new_recipe(job)
            # Two names of one identity have one folder: otherwise the work would be done twice.
            place = self._places.setdefault(recipe.identity, recipe.place)
            self._recipes[job] = recipe = replace(recipe, place=place)
            self._jobs.setdefault(recipe.folder.as_posix(), job)
        return self._recipes[job]

    def _new_recipe(self, job: Job) -> Recipe:
        step, grid, names = get_step(job.step), self.grid, job.names
        if "scale" in names:
            grid.check_scale(names["scale"], job.place)
        # As a reader of job.json gets the settings: tuples are lists there.
        stated = json.loads(json.dumps(step.settings(grid, names)))
        # Another study with the same system has the same outputs. The settings of a page have the whole study instead.
        study = ["study"] if isinstance(stated.get("study"), str) else []
        settings, knobs = apart(stated, [*step.knobs(stated), *study])
        return Recipe(
            step=job.step,
            version=step.version,
            settings=settings,
            place=Path(job.place),
            inputs={role: self.recipe(read).folder for role, read in self.inputs(job).items()},
            files={role: self._file(job, role, path) for role, path in step.files(grid, names).items()},
            libraries={name: self._version(name) for name in sorted(step.libraries(grid, names))},
            hints=json.loads(json.dumps(step.hints(grid, names))) | ({"knobs": knobs} if knobs else {}),
        )

    def _file(self, job: Job, role: str, path: Path) -> StatedFile:
        """Return a file that no job makes, with its digest. Raises UserError where a user's file is missing."""
        if job.step != "corpus":
            return StatedFile(str(path), self.digests.of(path))
        corpus = self.grid.corpus_in(job.names["corpus"], job.place)
        (file,) = (file for file in self.grid.corpora[corpus].files if f"downloads/{file.name}" == role)
        return StatedFile(str(path), self.stated_digest(corpus, file))

    def stated_digest(self, corpus: str, file: FileConfig) -> str:
        """Return the digest that a download shall have: of the catalogue, or of the file in the user's folder."""
        if file.digest is not None:
            return file.digest
        local = file_of_user(file, self.grid.local.get(corpus), corpus, self.root)
        if local is not None:
            return self.digests.of(local.absolute(), file)
        # Nobody states one: the sources of the file are stated in its place.
        return f"{SOURCES}:{full_digest([file.name, *(source.url for source in file.sources)])}"

    def job_at(self, folder: str) -> Job | None:
        """Return the job whose outputs are in a folder; None where the grid asks for no such job."""
        if folder not in self._jobs:
            job = job_of_place(PurePath(folder).parent.as_posix())
            return job if job is not None and self.recipe(job).folder.as_posix() == folder else None
        return self._jobs[folder]

    def is_finished(self, job: Job) -> bool:
        """Return whether the outputs of a job are there: the manifest is written last."""
        folder = self.recipe(job).folder
        return self.is_there(folder)

    def folder(self, step: str, names: Mapping[str, str | int]) -> Path | None:
        """Return the folder of a job; None where a file that decides it is missing."""
        try:
            return self.root / self.recipe(Job.of(step, **names)).folder
        except UserError:
            return None

    def is_there(self, folder: Path) -> bool:
        """Return whether a folder has a manifest; it is looked for once."""
        key = folder.as_posix()
        if key not in self._finished:
            self._finished[key] = (self.root / folder / MANIFEST).is_file()
        return self._finished[key]

    def closure(self, targets: Iterable[Job]) -> Iterator[Job]:
        """Yield the targets and all jobs whose outputs they are made from, inputs before the jobs that read them."""
        seen: set[Job] = set()

        def visit(job: Job) -> Iterator[Job]:
            if job not in seen:
                seen.add(job)
                for read in self.inputs(job).values():
                    yield from visit(read)
                yield job

        for target in targets:
            yield from visit(target)

    def to_run(self, targets: Iterable[Job], forced: Callable[[Job], bool] = lambda job: False) -> list[Job]:
        """Return the jobs that run for targets: those that are not finished, and what they read that is not."""
        needed: dict[Job, None] = {}

        def visit(job: Job) -> None:
            if job in needed or not (forced(job) or not self.is_finished(job)):
                return
            for read in self.reads(job, forced):
                visit(read)
            needed[job] = None

        for target in targets:
            visit(target)
        return list(needed)

    def reads(self, job: Job, forced: Callable[[Job], bool]) -> list[Job]:
        """Return the jobs whose outputs must be there before a job: none for one that is fetched from the store."""
        return [] if job in self.fetched and not forced(job) else list(self.inputs(job).values())

    def missing_downloads(self, job: Job) -> list[str]:
        """Return the paths of the files of a corpus that are to be downloaded: those that are not there."""
        if job.step != "corpus" or self.grid.fixtures is not None:
            return []
        return [file.path for file in self.recipe(job).files.values() if not (self.root / file.path).exists()]


MEMORY = f"{RESULTS}/digests.json"  # The file that remembers digests; nothing is lost where it is removed.
REMEDY = f"delete the file; digests are then computed again ({MEMORY})"


class FileDigests:
    """The digests of files, each computed once as long as the file does not change."""

    def __init__(self, root: Path = Path()) -> None:
        """Read the remembered digests of the project in the folder `root`; a damaged file is no reason to stop."""
        self.root, self._path = root, root / MEMORY
        self._remembered: dict[str, list] = self._read()
        self._is_changed = False

    def _read(self) -> dict[str, list]:
        """Return the remembered digests; none where the file is missing or was changed by hand."""
        try:
            value = read_object(self._path, "files", "digest")
            check_seal(value, self._path, REMEDY)
            return dict(value["files"])
        except UserError:
            return {}

    def of(self, path: Path, file: FileConfig | None = None) -> str:
        """Return the SHA-256 of a file, or the catalogue's kind of digest. Raises UserError without the file."""
        place = self.root / path
        try:
            status = place.stat()
        except OSError:
            return sha256_file(place)  # raises the UserError
        version = [status.st_size, status.st_mtime_ns, status.st_ino]
        if place.is_dir():
            version = [*version, version_of(place)]
        key = "\n".join([str(place.absolute()), *_manner(file)])
        *known, result = self._remembered.get(key, [None])
        if known != version:
            result = file_digest(place, file) if file else sha256_file(place)
            self._remembered[key] = [*version, result]
            self._is_changed = True
        return result

    def save(self) -> None:
        """Write the digests for the next plan, without those of files that are gone."""
        if self._is_changed:
            files = {key: entry for key, entry in sorted(self._remembered.items()) if Path(key.split("\n")[0]).exists()}
            write_json(self._path, sealed({"files": files}))
            self._is_changed = False


def _manner(file: FileConfig | None) -> list[str]:
    """Return how the digest of a file is computed, where it is not the SHA-256 of its bytes."""
    # The digest of an archive depends on the paths in it whose content is checked.
    if file is None:
        return []
    kind = kind_of(file.digest)
    manner = [*([kind] if kind != "sha256" else []), *([file.line_ends] if file.line_ends != "keep" else [])]
    return [*manner, *sorted(file.git_objects)]
