"""The artifacts behind a target: their recipes, manifests and records, below a project's folder or in a crate.

The check of every byte of them (`docmt list-results --verify`) writes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from docmt.base.artifacts import as_object
from docmt.base.digests import FileDigest, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import DIGITS, MANIFEST, RECORD, Manifest, digest_from_json, read_manifest, read_record
from docmt.base.paths import RESULTS
from docmt.base.recipe import Recipe, read_recipe
from docmt.base.result_folders import check_layout
from docmt.base.screen import first_of
from docmt.plan.links import for_snakemake, named
from docmt.plan.plan import Job, Plan

OF_JOB = ("step", "began", "finished", "hardware")  # What the record of every job states.
LISTED = 20  # The largest number of unfinished artifacts that a message names.


@dataclass(frozen=True)
class RunArtifact:
    """The outputs of a job."""

    root: Path  # The folder that has `results/`.
    folder: str  # The folder of the artifact, relative to it.
    recipe: Recipe
    manifest: Manifest
    record: Mapping[str, Any]  # The facts about the run of the job.

    @classmethod
    def read(cls, root: Path, folder: str) -> "RunArtifact | None":
        """Return the artifact in a folder; None where it has no manifest. Raises UserError where a file is damaged."""
        place = root / folder
        if not (place / MANIFEST).is_file():
            return None
        record = as_object(read_record(place / RECORD), f"{folder}/{RECORD}", OF_JOB)
        return cls(root, folder, read_recipe(place), read_manifest(place / MANIFEST), record)

    @property
    def name(self) -> str:
        """The path of the artifact below `results/`."""
        return self.folder.removeprefix(f"{RESULTS}/")

    @cached_property
    def files(self) -> dict[str, FileDigest]:
        """The digests of all files but the manifest and the record, by their paths relative to the folder."""
        of_run = {name: digest_from_json(file) for name, file in self.record["files"].items()}
        return {**self.manifest.files, **of_run}


@dataclass(frozen=True)
class FinishedRun:
    """A finished target."""

    target: str
    plan: Plan
    folders: tuple[str, ...]  # The folders of the target itself.
    # What the target is made from, by their folders, inputs first, as far as it is there: results need not have an
    # input any more from which they were made.
    artifacts: Mapping[str, RunArtifact]
    job_of: Mapping[str, Job]  # The job of each artifact.


def folder_of(plan: Plan, job: Job) -> str:
    """Return the folder of the outputs of a job, relative to the project's folder."""
    return plan.recipe(job).folder.as_posix()


def finished_run(plan: Plan, target: str, options: str) -> FinishedRun:
    """Return the artifacts behind a target of Snakemake.

    `options`: those of the run, for the command in a message. Raises UserError for an unknown target, for one
    that is not finished, and where a manifest, a record or a recipe is damaged.
    """
    check_layout(plan.root)
    jobs, _ = named(plan, target)
    lacking = [folder_of(plan, job) for job in plan.to_run(jobs)]
    if lacking:
        command = f"snakemake --cores all {for_snakemake(plan, target)}{options}"
        rows = "".join(f"\n    {line}" for line in first_of(lacking, LISTED))
        raise UserError("the target is not finished", where=target, found=rows, remedy=f"run `{command}` first")
    job_of: dict[str, Job] = {}
    for job in plan.closure(jobs):
        job_of.setdefault(folder_of(plan, job), job)
    read = {folder: RunArtifact.read(plan.root, folder) for folder in job_of}
    artifacts = {folder: artifact for folder, artifact in read.items() if artifact is not None}
    return FinishedRun(target, plan, tuple({folder_of(plan, job): None for job in jobs}), artifacts, job_of)


@dataclass(frozen=True)
class DamagedFile:
    """A file that is missing or has other bytes, what is wrong with it, and the command that removes its artifact."""

    path: str
    problem: str
    mend: str


def damaged_files(root: Path, folder: Path) -> Iterator[DamagedFile]:
    """Yield the damaged files of the finished artifact in a folder, relative to the project's folder `root`."""
    mend = f"rm -r {quote((root / folder).as_posix())}"
    try:
        artifact = RunArtifact.read(root, folder.as_posix())
    except UserError as problem:
        yield DamagedFile(f"{folder}/{Path(problem.where or '').name}", problem.what, mend)
        # Its recipe, manifest or record is damaged: nobody knows the digests of its files.
        return
    for name, stated in sorted(artifact.files.items()) if artifact else ():
        path, place = folder / name, root / folder / name
        try:
            with reading(place, "it cannot be read"):
                need_file(place)
            actual = sha256_file(place)
        except UserError as problem:
            yield DamagedFile(path.as_posix(), problem.what, mend)
            continue
        if actual != stated.sha256:
            what = f"sha256 {actual[:DIGITS]}, not {stated.sha256[:DIGITS]} as its manifest or record states"
            yield DamagedFile(path.as_posix(), what, mend)
