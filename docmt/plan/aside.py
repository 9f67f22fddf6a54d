"""Outputs that are set aside: they stay under their identity when other outputs take their place.

A setting that is changed back therefore costs nothing: the outputs are moved back. `docmt remove-results` removes them.
"""

import shutil
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.base.artifacts import read_object, write_json
from docmt.base.errors import UserError
from docmt.base.manifest import RECORD, SETTINGS, Manifest, manifest_or_none, read_manifest
from docmt.base.paths import ASIDE
from docmt.base.untrusted import inside
from docmt.plan.jobs import Job, check_outputs
from docmt.steps import get_step

PLACE = "place.json"
"""The file that says of which job the outputs are. It is written first and removed last, so that a kill between leaves
outputs that are complete either in their place or aside."""
FILES = "files"
"""The folder with the outputs."""

WITHOUT = {"checkpoint", "aligner_checkpoint", "fixture", "item", "report", "demo_report"}
"""The rules whose outputs are not set aside: they take seconds to make."""
SHARED = {paths.CORPUS.stage, paths.TRANSLATIONS.stage, paths.REPORT.stage}
"""The stages whose folders have files of several jobs, or files that are no outputs."""


def aside_folder(root: Path, identity: str) -> Path:
    """Return the folder of the outputs with an identity that are set aside; it need not exist."""
    return root / ASIDE / identity


def is_aside(root: Path, identity: str | None) -> bool:
    """Return whether all outputs with an identity are set aside."""
    if identity is None or not (aside_folder(root, identity) / PLACE).is_file():
        return False
    try:
        job = job_aside(root, identity)
    except UserError:
        return False
    files = _files(root, identity)
    manifest = manifest_or_none(files / Path(job.manifest).name)
    return (
        manifest is not None
        and manifest.identity == identity
        and all(
            (files / name).is_file() and (files / name).stat().st_size == digest.bytes
            for name, digest in manifest.files.items()
        )
    )


def job_aside(root: Path, identity: str) -> Job:
    """Return the job whose outputs are set aside under an identity. Raises UserError for a damaged file."""
    place = read_object(aside_folder(root, identity) / PLACE, "rule", "names")
    return Job.of(place["rule"], **place["names"])


def place_of(job: Job) -> dict[str, Any]:
    """Return the content of the file that says of which job outputs are."""
    return {"rule": job.rule, "names": job.names}


def set_aside(root: Path, job: Job, manifest: Manifest) -> bool:
    """Move the complete outputs of a job away, so that others can take their place; return whether they were moved."""
    if job.rule in WITHOUT or manifest.identity is None:
        return False
    if is_aside(root, manifest.identity):  # the same outputs were set aside before
        return False
    folder = aside_folder(root, manifest.identity)
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    write_json(folder / PLACE, place_of(job))
    _move(job, manifest, root / job.folder, folder / FILES)
    return True


def move_back(root: Path, job: Job, identity: str) -> None:
    """Move the outputs with an identity, which are set aside, back to the folder of their job."""
    files = _files(root, identity)
    manifest = read_manifest(files / Path(job.manifest).name)
    if not is_shared(job):
        shutil.rmtree(root / job.folder, ignore_errors=True)  # what an unfinished job has left
    _move(job, manifest, files, root / job.folder)
    shutil.rmtree(aside_folder(root, identity), ignore_errors=True)


def is_shared(job: Job) -> bool:
    """Return whether the folder of a job has files that are not its outputs."""
    return bool(get_step(job.rule).prefix) or job.folder.split("/")[1] in SHARED


def files_of(job: Job, manifest: Manifest) -> list[str]:
    """Return the names of all files of a job; its manifest is the last."""
    beside = [Path(job.file(name)).name for name in (SETTINGS, RECORD)]
    return [*dict.fromkeys([*manifest.files, *manifest.records, *beside]), Path(job.manifest).name]


def _files(root: Path, identity: str) -> Path:
    """Return the folder with the files that are set aside under an identity."""
    return aside_folder(root, identity) / FILES


def _move(job: Job, manifest: Manifest, source: Path, target: Path) -> None:
    """Move the outputs of a job from one folder to another, a whole folder at once where it has nothing else."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not is_shared(job):
        source.replace(target)
        return
    check_outputs(job, names := files_of(job, manifest))
    for name in (Path(job.recipe_path).name, *names):
        before, after = inside(source, name), inside(target, name)
        if before.exists():
            after.parent.mkdir(parents=True, exist_ok=True)
            before.replace(after)
