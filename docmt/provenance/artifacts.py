"""The artifacts behind a target: their manifests, records and settings, below a project's folder or in a crate."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object
from docmt.base.asked import Asked, read_asked
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import RECORD, Manifest, digest_from_json, read_manifest, read_record
from docmt.base.paths import RESULTS
from docmt.plan.driver import LISTED
from docmt.plan.explain import jobs_of_target
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner

OF_JOB = ("command", "began", "finished", "hardware")
"""What the record of every job states."""


@dataclass(frozen=True)
class RunArtifact:
    """The outputs of a job.

    `root`: the folder that has `results/`. `record`: the facts about the run of the job. `asked`: what was asked of the
    job; None where its settings are not there. `reads`: the jobs whose outputs the job read, by their roles.
    """

    root: Path
    job: Job
    manifest: Manifest
    record: Mapping[str, Any]
    asked: Asked | None
    reads: Mapping[str, Job]

    @property
    def name(self) -> str:
        """The path of the artifact below `results/`."""
        return str(self.job).removeprefix(f"{RESULTS}/")

    @cached_property
    def files(self) -> dict[str, FileDigest]:
        """The digests of all files but the manifest and the record, by their paths relative to the folder."""
        of_run = {name: digest_from_json(file) for name, file in self.record["files"].items()}
        return {**self.manifest.files, **of_run}

    def path(self, name: str) -> str:
        """Return the path of a file of the artifact relative to the project's folder."""
        return f"{self.job.folder}/{name}"

    @property
    def facts(self) -> list[str]:
        """The paths of the files that describe the artifact, relative to the project's folder."""
        return [self.job.manifest, self.job.file(RECORD), *([self.job.settings_path] if self.asked else [])]


@dataclass(frozen=True)
class FinishedRun:
    """A finished target.

    `jobs`: the jobs that make the files of the target. `artifacts`: what the target is made from, inputs first, as far
    as it is there: results need not have an input any more from which they were made.
    """

    target: str
    planner: Planner
    jobs: tuple[Job, ...]
    artifacts: Mapping[Job, RunArtifact]


def finished_run(planner: Planner, target: str, command: str) -> FinishedRun:
    """Return the artifacts behind a target of Snakemake.

    `command`: the command that finishes the target, for the message. Raises UserError for an unknown target, and for a
    target of which an output is missing, damaged, or other than what the settings ask for.
    """
    jobs = jobs_of_target(planner, target)
    plan = planner.plan(jobs)
    lacking = [f"{job}: {state.why}" for job, state in plan.reasons.items()]
    lacking += [f"{job}: it was set aside" for job in plan.back]
    lacking += [f"{job.settings_path} is missing" for job in plan.unsettled]
    if lacking:
        more = [f"... and {len(lacking) - LISTED} more"] if len(lacking) > LISTED else []
        rows = "".join(f"\n    {line}" for line in [*lacking[:LISTED], *more])
        raise UserError("the target is not finished", where=target, found=rows, remedy=f"run `{command}` first")
    artifacts = {job: artifact for job in plan.order if (artifact := read_artifact(planner, job, planner.digests.root))}
    for job, artifact in artifacts.items():
        as_object(dict(artifact.record), job.file(RECORD), OF_JOB)
    return FinishedRun(target, planner, tuple(jobs), artifacts)


def read_artifact(planner: Planner, job: Job, root: Path) -> RunArtifact | None:
    """Return the artifact of a job below a folder; None where its manifest is not there.

    Raises UserError where its manifest, its record or its settings are damaged.
    """
    if not (root / job.manifest).is_file():
        return None
    settings = root / job.settings_path
    return RunArtifact(
        root=root,
        job=job,
        manifest=read_manifest(root / job.manifest),
        record=read_record(root / job.file(RECORD)),
        asked=read_asked(settings) if settings.is_file() else None,
        reads=planner.jobs.inputs(job),
    )
