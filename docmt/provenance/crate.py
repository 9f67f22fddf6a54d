"""A finished target as an RO-Crate: a folder or a zip with the results, the workflow, and the record of its run."""

import shutil
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from docmt.base.artifacts import atomic_file, atomic_folder
from docmt.base.errors import UserError
from docmt.provenance.actions import Outputs, Part, add_jobs, add_licence, add_run
from docmt.provenance.artifacts import FinishedRun
from docmt.provenance.entities import METADATA, PROFILES, add, add_file, new_crate
from docmt.provenance.workflow import add_workflow

README = "README.md"
EPOCH = (1980, 1, 1, 0, 0, 0)  # The time of each file in a zip, so that the same files give the same bytes.
NOT_STATED = "not stated"
ABOUT_NOT_STATED = (
    "The author of this crate states no licence for it. The workflow is under Apache-2.0, and the text of each corpus"
    " is under the licence of its entity."
)


@dataclass(frozen=True)
class CrateFacts:
    """What a person states about a crate; None for what is not stated."""

    date: str  # The date of the crate, in the form of ISO 8601.
    author: str | None = None
    licence: str | None = None  # The name or the address of the licence of the crate.
    # The values of keys of config.yaml that the run had from the command line.
    overrides: Mapping[str, Any] = field(default_factory=dict)
    included: Collection[Part] = ()  # What the crate has beside the results.


def write_crate(run: FinishedRun, facts: CrateFacts, output: Path) -> dict[str, Any]:
    """Write a finished target as a crate; a path that ends in `.zip` becomes a zip, any other a folder.

    Returns the numbers of `files` and `actions`, and why files are not in it (`withheld`), by their paths. The same
    results and facts give the same bytes. What is at `output` is replaced. Raises UserError where a file of the run
    differs from its manifest.
    """
    if output.suffix != ".zip":
        with atomic_folder(output) as folder:
            return _write(run, facts, folder)
    with tempfile.TemporaryDirectory() as temporary:
        written = _write(run, facts, Path(temporary))
        pack(Path(temporary), output)
        return written


def pack(folder: Path, output: Path) -> None:
    """Write the files of a folder as a zip whose bytes depend on the names and contents of the files alone."""
    with atomic_file(output, "wb") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), EPOCH)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with path.open("rb") as source, archive.open(member, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target, 1 << 20)


def check_output(output: Path) -> None:
    """Raise UserError where the output would replace files that are no crate."""
    is_other = output.is_dir() and any(output.iterdir()) and not (output / METADATA).is_file()
    is_other = is_other or (output.is_dir() and (output.suffix == ".zip" or output.samefile(Path())))
    if is_other or (output.is_file() and output.suffix != ".zip"):
        raise UserError(
            "the output is there already, and is no crate",
            where=str(output),
            remedy="name a new folder or zip, or remove this one",
        )


def _write(run: FinishedRun, facts: CrateFacts, folder: Path) -> dict[str, Any]:
    crate = new_crate()
    author = facts.author
    agent = add(crate, f"#author/{quote(author)}", "Person", name=author) if author else None
    readme = folder / README
    readme.write_text(_readme(run), encoding="utf-8")
    add_file(crate, readme, README)["about"] = crate.root_dataset
    add_workflow(crate, folder, run.plan.root, facts.overrides)
    _describe(crate, run, facts, agent)
    outputs = Outputs(crate, run, folder, facts.included)
    artifacts = add_jobs(outputs, agent)
    add_run(crate, run, artifacts, agent)
    crate.write(folder)
    files = sum(path.is_file() for path in folder.rglob("*"))
    return {"files": files, "actions": len(artifacts), "withheld": outputs.withheld}


def _describe(crate: ROCrate, run: FinishedRun, facts: CrateFacts, author: Entity | None) -> None:
    root, study = crate.root_dataset, run.plan.grid.studies.get(run.target)
    root["name"] = f"docmt: {study.title if study else run.target}"
    root["description"] = (
        f"The target {run.target} of docmt, a workflow for experiments in document-level machine translation: results,"
        f" settings, and the record of the {len(run.artifacts)} jobs that they come from."
    )
    root["datePublished"] = facts.date
    about = "The licence of this crate." if facts.licence else ABOUT_NOT_STATED
    root["license"] = add_licence(crate, facts.licence or NOT_STATED, about)
    root["conformsTo"] = [
        add(crate, address, "CreativeWork", name=name, version=address.rsplit("/", 1)[1])
        for address, name in PROFILES.items()
    ]
    if author:
        root["author"] = author


def _readme(run: FinishedRun) -> str:
    return f"""# {run.target}

This folder is an RO-Crate, which docmt has written. `{METADATA}` describes it: the results, the workflow with its
settings, and for each of {len(run.artifacts)} artifacts the command that wrote it, its inputs and the times.

- `results/`: the results and, of each artifact, the recipe (`job.json`, its settings and inputs), the manifest (the
  SHA-256 of its files, also of those that are not in the crate) and the record (the machine, the versions of libraries)
- `config.yaml`, `Snakefile`, `workflow/`: the workflow

With docmt installed, this makes the target again, and says whether it is the same:

    docmt reproduce {run.target} --crate FOLDER
"""
