"""What was asked of a job: its settings, the identities of its inputs, and the versions of its libraries.

The identity of a job is the digest of all of this. It contains no paths, times or hosts, and it is known before the job
runs: the same grid gives the same identities on every machine. The workflow writes what it asks into `settings.json`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object, decoded
from docmt.base.digests import full_digest, indented_json
from docmt.base.errors import UserError, install
from docmt.base.foreign import reading
from docmt.base.machine import installed_version
from docmt.base.manifest import CHANGED, DIGEST, check_seal, sealed

GIVEN = "given"
"""The value of a setting in the place of a path, which differs between users: an option of the command names it."""

KEY = "asked"
"""The key of settings.json whose value is not a setting of the job: its inputs, files and libraries."""
REMEDY = (
    "settings come from config.yaml and the studies: change them there, delete this file, and run snakemake, which"
    " writes it again"
)


@dataclass(frozen=True)
class Asked:
    """What was asked of a job.

    `job`: the name of its rule. `settings`: its slice of the grid, with the version of its stage. `inputs`: the
    identities of the outputs of other jobs that it reads, by their roles. `files`: the SHA-256 of each file that is not
    the output of a job, by its role. `libraries`: the versions of the libraries that decide its outputs. An identity or
    a digest is None where nobody knows it before a file is downloaded.
    """

    job: str
    settings: Mapping[str, Any]
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def identity(self) -> str | None:
        """The identity of the job; None where an identity or a digest of its inputs is not known."""
        if None in self.inputs.values() or None in self.files.values():
            return None
        return full_digest(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the content of settings.json without its digest."""
        asked = {"job": self.job, "inputs": dict(self.inputs), "files": dict(self.files)}
        return {**self.settings, KEY: {**asked, "libraries": dict(self.libraries)}}

    def text(self) -> str:
        """Return the text of settings.json."""
        # Keys that are numbers become text first: a file that is read again has them as text, in another order.
        return indented_json(json.loads(json.dumps(sealed(self.to_json()))))

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


def read_asked(path: Path | str) -> Asked:
    """Read a settings.json.

    Raises UserError where the file is missing, is no JSON object, or was changed after the workflow wrote it. A file
    without the keys `asked` and `digest`, which a person wrote, has settings alone. The manifest of an earlier run may
    list the file with an older content: the file says what is asked of the next run.
    """
    with reading(path, "cannot be read"):
        data = Path(path).read_bytes()
    return asked_of(data, str(path))


def asked_of(data: bytes, path: str) -> Asked:
    """Return what the content of a settings.json asks; `path` is its place for messages.

    Raises as `read_asked` does.
    """
    text = decoded(data, path)
    with reading(path, "not a JSON file"):
        value = as_object(json.loads(text), path)
    if not {KEY, DIGEST} & value.keys():
        return Asked("", value)
    with reading(path, "not the settings of a job", remedy=REMEDY):
        check_seal(value, path, REMEDY)
        settings = {name: value[name] for name in value if name not in (KEY, DIGEST)}
        asked = Asked(settings=settings, **value[KEY])
        stated = [*asked.inputs.values(), *asked.files.values(), *asked.libraries.values()]
        if not all(item is None or isinstance(item, str) for item in stated):
            raise TypeError(f"{KEY} has a value that is no text")
        text = asked.text()
    if text.encode() != data:
        # The manifest of the outputs has the digest of these bytes: equal settings have equal files.
        raise UserError(
            CHANGED,
            where=path,
            found="other spaces, or another order of the keys",
            remedy=REMEDY,
        )
    return asked


def read_settings(path: Path | str, *needed: str) -> dict[str, Any]:
    """Return the settings of a job from its settings.json, with the keys `needed`.

    Raises UserError as `read_asked` does, and where a key is missing.
    """
    return as_object(dict(read_asked(path).settings), str(path), needed)
