"""The recipe of a job, `job.json` in its folder: what was asked of the job, and where everything is that it reads.

    {"step": "translate", "version": 7, "identity": "...", "settings": {...}, "inputs": {"model": "results/..."},
     "files": {...}, "libraries": {...}, "hints": {...}}

The identity is the digest of what decides the output: step, version, settings, the ids of the inputs (the last part of
their folders), the digests of files, and the versions of libraries. It has no paths, times, hosts or names of studies,
and is known before the job runs. The driver of a run writes the recipe before the first job; a job reads nothing else.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from docmt.base.artifacts import as_object, read_object, write_json
from docmt.base.digests import full_digest
from docmt.base.errors import VERY_SIMILAR, UserError, install, similar
from docmt.base.foreign import reading
from docmt.base.machine import installed_version
from docmt.base.manifest import MANIFEST
from docmt.base.parse import parse
from docmt.base.paths import ID_DIGITS, RESULTS, TRAINING

GIVEN = "given"  # The value of a setting in the place of a path, which differs between users: `files` has the file.
JOB = "job.json"  # The name of the file.
REMEDY = "settings come from config.yaml and the studies: delete this file, and run snakemake, which writes it again"
# The kind of a digest of the addresses of a file whose own digest nobody states before its download.
SOURCES = "sources"


class StatedFile(NamedTuple):
    """A file that no job makes: its path, and the digest that it must have."""

    path: str
    digest: str


@dataclass(frozen=True)
class Resources:
    """What a job may use of its machine."""

    device: str = "auto"
    threads: int | None = None  # Processor threads (None = as many as there are cores).
    # `ranks`, `nodes`: the processes of a training, and the nodes that share them.
    ranks: int = 1
    nodes: int = 1
    # `node_rank`, `rendezvous`: the number of this node, and where the first node waits.
    node_rank: int | None = None
    rendezvous: str | None = None
    deadline_minutes: float | None = None  # Minutes after which the job has to end.
    part: str = ""  # The part of a divided job.


@dataclass(frozen=True)
class Recipe:
    """What was asked of a job."""

    step: str
    version: int
    settings: Mapping[str, Any]
    place: Path  # The folder of its outputs without the id.
    inputs: Mapping[str, Path] = field(default_factory=dict)  # The folders of the outputs of other jobs, by role.
    files: Mapping[str, StatedFile] = field(default_factory=dict)  # Files that no job makes, by role.
    libraries: Mapping[str, str] = field(default_factory=dict)  # The versions of the libraries that decide the outputs.
    # Facts on which no output depends but by rounding. Its `knobs` are such settings by their dotted names: the size of
    # batches, the name of the first study that has a system.
    hints: Mapping[str, Any] = field(default_factory=dict)
    again: str = ""  # The run that wants the job done again.

    @cached_property
    def identity(self) -> str:
        """The digest of what decides the output."""
        return full_digest(self.asked)

    @property
    def asked(self) -> dict[str, Any]:
        """What decides the output."""
        return {
            "step": self.step,
            "version": self.version,
            "settings": dict(self.settings),
            "inputs": {role: folder.name for role, folder in self.inputs.items()},
            "files": {role: file.digest for role, file in self.files.items()},
            "libraries": dict(self.libraries),
        }

    @property
    def all_settings(self) -> dict[str, Any]:
        """The version, and the settings with the knobs among them, as a job reads them."""
        return {"version": self.version, **joined(self.settings, self.hint("knobs", dict[str, Any], {}))}

    @property
    def folder(self) -> Path:
        """The folder of the outputs."""
        return self.place / self.identity[:ID_DIGITS]

    @property
    def path(self) -> Path:
        """The file of the recipe."""
        return self.folder / JOB

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file."""
        value = {
            **self.asked,
            "identity": self.identity,
            "inputs": {role: folder.as_posix() for role, folder in self.inputs.items()},
            "files": {role: file._asdict() for role, file in self.files.items()},
            "hints": dict(self.hints),
        }
        return value | ({"again": self.again} if self.again else {})

    def write(self, root: Path = Path()) -> None:
        """Write the file, unless it has this content."""
        path, value = root / self.path, self.to_json()
        if not path.is_file() or read_object(path) != value:
            write_json(path, value)

    def input(self, role: str) -> Path:
        """Return the folder of an input. Raises UserError where the recipe has no such input."""
        if role not in self.inputs:
            raise UserError("an input is missing", where=str(self.path), found=f"no {role}", remedy=REMEDY)
        return self.inputs[role]

    def file(self, role: str) -> Path | None:
        """Return the path of a file; None where the recipe has no such file."""
        return Path(self.files[role].path) if role in self.files else None

    def folder_of(self, role: str) -> Path | None:
        """Return the folder of an input, or of files whose roles begin with `<role>/`; None where there is neither."""
        if role in self.inputs:
            return self.inputs[role]
        paths = (Path(file.path) for name, file in self.files.items() if name.startswith(f"{role}/"))
        return next((path.parent for path in paths), None)

    def hint(self, name: str, kind: Any, default: Any = None) -> Any:
        """Return a hint of the type `kind`. Raises UserError for another value, which a person has written."""
        return parse(kind, self.hints.get(name, default), str(self.path), ("hints", name))

    def check_libraries(self) -> None:
        """Raise UserError where this Python has another version of a library than the workflow planned with."""
        for name, expected in self.libraries.items():
            actual = installed_version(name)
            if actual != expected:
                raise UserError(
                    "another version of a library than planned",
                    where="this Python's environment",
                    found=f"{name} {actual}",
                    expected=f"{name} {expected}",
                    remedy=f"install the same versions for snakemake and for its jobs; {install()}",
                )


def root_of(path: Path) -> Path:
    """Return the folder that has the `results/` of a path, else the present folder."""
    for parent in path.absolute().parents:
        if parent.name == RESULTS:
            return parent.parent
    return Path.cwd()


def versions(place: Path, file: str = JOB) -> list[Path]:
    """Return the folders of the artifacts in a place that have a file; the one whose file is newest comes first."""
    newest = sorted(((path.stat().st_mtime_ns, path.parent) for path in place.glob(f"*/{file}")), reverse=True)
    return [folder for _, folder in newest]


def artifact_name(folder: Path) -> str:
    """Return the name of a folder for people; the folder of an artifact has an id below its name."""
    return folder.parent.name if (folder / JOB).is_file() else folder.name


def read_recipe(folder: Path) -> Recipe:
    """Read the recipe of a job. Raises UserError where it is missing, damaged, changed, or of another folder."""
    path = folder / JOB
    where, keys = str(path), ("step", "version", "settings", "inputs", "files", "libraries", "hints", "identity")
    value = read_object(path)
    with reading(where, "not the description of a job", remedy=REMEDY):
        value = as_object(value, where, keys)
        recipe = Recipe(
            step=value["step"],
            version=value["version"],
            settings=as_object(value["settings"], where),
            place=folder.parent,
            inputs={role: Path(input_folder) for role, input_folder in value["inputs"].items()},
            files={role: StatedFile(**file) for role, file in value["files"].items()},
            libraries=dict(value["libraries"]),
            hints=as_object(value["hints"], where),
            again=value.get("again", ""),
        )
        actual, stated = recipe.identity, value["identity"]
    if actual != stated:
        found, expected = actual[:ID_DIGITS], str(stated)[:ID_DIGITS]
        raise UserError("the file was changed by hand", where=where, found=found, expected=expected, remedy=REMEDY)
    if PurePath(folder.absolute()).name != actual[:ID_DIGITS]:
        expected = f"the folder {actual[:ID_DIGITS]}"
        raise UserError("the file describes the job of another folder", where=where, expected=expected, remedy=REMEDY)
    return recipe


def read_settings(path: Path | str, *needed: str) -> dict[str, Any]:
    """Return the settings in a job.json, with the version of the step and the keys `needed`.

    Raises UserError where the file is missing or damaged, or a key is missing.
    """
    value = read_object(path, "settings", "version", "hints")
    settings, hints = (as_object(value[key], str(path)) for key in ("settings", "hints"))
    return as_object({"version": value["version"], **joined(settings, hints.get("knobs", {}))}, str(path), needed)


def joined(settings: Mapping[str, Any], knobs: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with values at dotted names."""
    merged = dict(settings)
    for name, value in knobs.items():
        section, _, rest = name.partition(".")
        merged[section] = joined(merged.get(section, {}), {rest: value}) if rest else value
    return merged


def apart(settings: Mapping[str, Any], names: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return settings without the values at dotted names, and these values by the names."""
    rest, knobs = dict(settings), {}
    for name in names:
        *sections, key = name.split(".")
        section = rest
        for part in sections:
            section[part] = dict(section[part])
            section = section[part]
        knobs[name] = section.pop(key)
    return rest, knobs


CARD = "model.json"


def model_folder(folder: Path) -> Path:
    """Return the folder of a model: `folder` itself, `folder/model`, or that of the newest training in a place.

    A place is the folder of trainings without their ids. Where it has several, a line says which of them is used.
    Raises UserError where no model is there; what a finished training lacks is named by whoever reads it.
    """
    for path in (folder, folder / "model"):
        if (path / CARD).exists():
            return path
    if trainings := versions(folder, MANIFEST):
        if len(trainings) > 1:
            # Without `docmt.base.screen`, which imports more than the machines with GPUs have.
            told = f"docmt: {folder} has {len(trainings)} versions; the newest is used: {trainings[0].name}"
            print(told, file=sys.stderr)
        return model_folder(trainings[0])
    if not (folder / MANIFEST).is_file():
        raise _no_model(folder)
    return folder


def _no_model(folder: Path) -> UserError:
    """Build the UserError of a folder without a model: of a training that is not finished, or of anything else."""
    missing = next((path for path in (*reversed(folder.parents), folder) if not path.exists()), None)
    there = [path.name for path in missing.parent.iterdir()] if missing and missing.parent.is_dir() else []
    if missing and (close := similar(missing.name, there, VERY_SIMILAR)):
        remedy = f"did you mean {close!r}?"
        return UserError("no such folder", where=str(folder), found=missing.name, remedy=remedy)
    if TRAINING.stage not in folder.absolute().parts:
        remedy = "name the folder of a model: `docmt list-trainings` lists the trained ones"
        return UserError("no trained model is in this folder", where=str(folder), found=f"no {CARD}", remedy=remedy)
    planned = (path for path in (folder, folder.parent, *versions(folder)) if (path / JOB).is_file())
    target = next((f"{path}/{MANIFEST}" for path in planned), "STUDY.trainings")
    remedy = f"`snakemake {target}` trains it; `docmt list-trainings` says how far each training is"
    return UserError("this model is not trained yet", where=str(folder), remedy=remedy)
