"""The recipe of a job, `job.json` in its folder: where everything is that the job reads.

The driver of a run writes it before the first job. A job reads nothing else: no config.yaml, no grid.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object
from docmt.base.asked import read_asked, read_settings
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.manifest import SETTINGS
from docmt.base.parse import parse, parse_value
from docmt.base.paths import RESULTS
from docmt.base.sealing import DigestOf, Seal, sealing

JOB = "job.json"
"""The name of the file; where several jobs share a folder, it begins with the prefix of the job."""
REMEDY = "delete the file and run snakemake, which writes it again"


@dataclass(frozen=True)
class Resources:
    """What a job may use of its machine.

    `threads`: processor threads (None = as many as there are cores). `ranks`, `nodes`: the processes of a training, and
    the nodes that share them. `node_rank`, `rendezvous`: the number of this node, and where the first node waits.
    `deadline_minutes`: minutes after which the job has to end. `part`: the part of a divided job.
    """

    device: str = "auto"
    threads: int | None = None
    ranks: int = 1
    nodes: int = 1
    node_rank: int | None = None
    rendezvous: str | None = None
    deadline_minutes: float | None = None
    part: str = ""


@dataclass(frozen=True)
class Recipe:
    """What a job reads and where its outputs are.

    `path`: the file. `inputs`: the manifests of the outputs of other jobs, by role. `files`: files that no job makes,
    by role. `hints`: facts on which no output depends.
    """

    path: Path
    step: str
    inputs: Mapping[str, Path] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    hints: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the outputs."""
        return self.path.parent

    @property
    def prefix(self) -> str:
        """The beginning of the names of the manifest and the record."""
        return self.path.name.removesuffix(JOB)

    @property
    def settings(self) -> Path:
        """The file of the settings."""
        return self.folder / f"{self.prefix}{SETTINGS}"

    @property
    def results(self) -> Path:
        """The folder of the results of all steps."""
        return self.root / RESULTS

    @property
    def root(self) -> Path:
        """The folder that relative paths begin at: the one that has `results/`, else the present folder."""
        return root_of(self.path)

    def read_settings(self, *needed: str) -> dict[str, Any]:
        """Return the settings, with the keys `needed`. Raises as `base.asked.read_settings` does."""
        return read_settings(self.settings, *needed)

    def parsed(self, kind: type) -> Any:
        """Return the settings as the dataclass `kind`. Raises UserError for settings that it refuses."""
        return parse(kind, self.read_settings(), str(self.settings))

    def sealing(self, folder: Path | None = None, digest_of: DigestOf | None = None) -> AbstractContextManager[Seal]:
        """Run the job in the block of the result: see `docmt.base.sealing`. `folder` replaces that of the outputs."""
        where, prefix = (self.folder, self.prefix) if folder is None else (folder, "")
        return sealing(self.settings, self.step, where, self.inputs, self.files, prefix, digest_of)

    def input(self, role: str) -> Path:
        """Return the folder of an input. Raises UserError where the recipe has no such input."""
        if role not in self.inputs:
            raise self._missing(role)
        return self.inputs[role].parent

    def check_roles(self) -> None:
        """Raise UserError where the recipe lacks an input, or a file, that the settings ask for."""
        asked = read_asked(self.settings)
        for role in (*asked.inputs, *asked.files):
            if role not in self.inputs and role not in self.files:
                raise self._missing(role)

    def _missing(self, role: str) -> UserError:
        return UserError("an input is missing", where=str(self.path), found=f"no {role}", remedy=REMEDY)

    def folder_of(self, role: str) -> Path | None:
        """Return the folder of an input, or of files whose roles begin with `<role>/`; None where there is neither."""
        if role in self.inputs:
            return self.input(role)
        return next((path.parent for name, path in self.files.items() if name.startswith(f"{role}/")), None)

    def hint(self, name: str, kind: Any, default: Any = None) -> Any:
        """Return a hint of the type `kind`. Raises UserError for another value, which a person has written."""
        return parse_value(kind, self.hints.get(name, default), str(self.path), ("hints", name))

    @property
    def state(self) -> Path:
        """The hint `state`: the folder of unfinished work, from which the next attempt continues."""
        return Path(self.hint("state", str))

    @property
    def knobs(self) -> dict[str, Any]:
        """The hints beside `state`."""
        return {name: value for name, value in self.hints.items() if name != "state"}

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file; paths in the folder of the run are relative."""
        paths = {"inputs": self.inputs, "files": self.files}
        texts = {key: {role: str(path) for role, path in value.items()} for key, value in paths.items()}
        return {"step": self.step, **texts, "hints": dict(self.hints)}


def root_of(path: Path) -> Path:
    """Return the folder that has the `results/` of a path, else the present folder."""
    for parent in path.absolute().parents:
        if parent.name == RESULTS:
            return parent.parent
    return Path.cwd()


def read_recipe(place: Path, step: str) -> Recipe:
    """Read the recipe at a path: a job.json, or the folder that has one.

    Raises UserError where the file is missing or damaged, and where it is the recipe of another step.
    """
    path = place / JOB if place.is_dir() else place
    value = read_object(path, "step", "inputs", "files", "hints")
    if value["step"] != step:
        raise UserError("the recipe of another step", where=str(path), found=in_line(value["step"]), expected=step)
    with reading(path, "not the recipe of a job", remedy=REMEDY):
        inputs, files = ({role: Path(text) for role, text in value[key].items()} for key in ("inputs", "files"))
        return Recipe(path, step, inputs, files, dict(value["hints"]))
