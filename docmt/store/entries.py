"""An entry of a store: which files an artifact has, and their digests.

What was asked of the job, its manifest and its record are in the entry itself, so that one file says what an artifact
is; the outputs are files of the store under their digests.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from docmt.base.artifacts import as_object
from docmt.base.digests import FileDigest, full_digest, indented_json
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.manifest import (
    DIGITS,
    MANIFEST,
    RECORD,
    Manifest,
    check_seal,
    digest_from_json,
    manifest_from_json,
    record_from_json,
    sealed,
)
from docmt.base.names import is_printable
from docmt.base.recipe import Recipe
from docmt.base.untrusted import check_names
from docmt.store.backend import EntryRefused

FORMAT = "docmt-store-entry-3"  # The value of the key `format` of an entry.
REMEDY = "docmt uses nothing of it; the person who wrote it can remove it"


@dataclass(frozen=True)
class StoreEntry:
    """An artifact in a store."""

    place: str  # The folder of the artifact without the id, for people.
    asked: Mapping[str, Any]  # What was asked of its job, whose digest is the identity.
    values: Mapping[str, Any]  # What is in its manifest and its record, by the names of these files.

    @classmethod
    def of_recipe(cls, recipe: Recipe) -> "StoreEntry":
        """Return the entry of an artifact that is here. Raises UserError where a file is missing or damaged."""
        values = {}
        for name in (MANIFEST, RECORD):
            with reading(recipe.folder / name, "cannot be read"):
                values[name] = json.loads((recipe.folder / name).read_bytes())
        entry = cls(recipe.place.as_posix(), recipe.asked, values)
        entry.check(recipe.identity)
        return entry

    @classmethod
    def from_json(cls, data: bytes, identity: str, where: str) -> "StoreEntry":
        """Read and check the entry of an identity. Raises EntryRefused where it is damaged, or of another identity."""
        try:
            with reading(where, "not an entry of a store, or damaged", FORMAT, REMEDY):
                value = as_object(json.loads(data), where)
                check_seal(value, where, REMEDY)
                entry = cls(*(value[key] for key in ("place", "asked", "values")))
                entry.check(identity)
        except UserError as problem:
            place = f"{where}, {problem.where}" if problem.where not in (None, where) else where
            raise EntryRefused(
                problem.what, where=place, found=problem.found, expected=problem.expected, remedy=REMEDY
            ) from problem
        return entry

    def to_json(self) -> bytes:
        """Return the content of the entry's file, which includes the digest of all other values."""
        return indented_json(sealed({"format": FORMAT, **asdict(self)})).encode()

    @property
    def step(self) -> str:
        """The step of the job."""
        return self.manifest.step

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises UserError where it was changed."""
        return manifest_from_json(self.values[MANIFEST], MANIFEST, REMEDY)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the job. Raises UserError where it was changed."""
        return record_from_json(self.values[RECORD], RECORD, REMEDY)

    @cached_property
    def files(self) -> dict[str, FileDigest]:
        """The digests of the files that are not in the entry itself, by their names in the folder of the job."""
        of_run = {name: digest_from_json(value) for name, value in self.record["files"].items()}
        return {name: file for name, file in (dict(self.manifest.files) | of_run).items() if name not in self.texts}

    @cached_property
    def texts(self) -> dict[str, str]:
        """The contents of the record and the manifest, by their names, as jobs write them; the manifest is the last."""
        return {name: indented_json(self.values[name]) for name in (RECORD, MANIFEST)}

    @property
    def identity(self) -> str:
        """The identity that the manifest states; empty where it states none."""
        return self.manifest.identity or ""

    @property
    def content(self) -> str:
        """The digest of all bytes of the artifact, also of its manifest and its record."""
        texts = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.texts.items()}
        return full_digest({name: file.sha256 for name, file in self.files.items()} | texts)

    @property
    def bytes(self) -> int:
        """The size of all files in bytes."""
        return sum(file.bytes for file in self.files.values()) + sum(len(text.encode()) for text in self.texts.values())

    def check(self, identity: str) -> None:
        """Raise UserError unless all parts agree with each other and with an identity."""
        if not isinstance(self.place, str) or not is_printable(self.place):
            raise UserError("not a text on one line", where="place", found=in_line(self.place))
        stated = (self.identity, full_digest(self.asked))
        if any(value != identity for value in stated):
            digests = ", ".join(value[:DIGITS] for value in dict.fromkeys(stated))
            raise UserError("it has another identity", found=digests, expected=identity[:DIGITS], remedy=REMEDY)
        if self.asked["step"] != self.step:
            raise UserError("it was asked of another step", found=in_line(self.asked["step"]), expected=self.step)
        check_names([*self.files, *self.texts], "files")
        missing = sorted({*self.manifest.records} - {*self.files, *self.texts})
        if missing:
            what = "a record of a file that is not there"
            raise UserError(what, where="records", found=in_line(", ".join(missing)))
