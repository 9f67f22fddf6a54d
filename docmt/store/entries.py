"""An entry of a store: which files an artifact has, and their digests.

What was asked of the job, its manifest and its record are in the entry itself, so that one file says what an artifact
is; the outputs are files of the store under their digests.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from docmt.base.artifacts import as_object
from docmt.base.digests import FileDigest, full_digest, indented_json
from docmt.base.errors import UserError, in_line, printable
from docmt.base.foreign import reading
from docmt.base.machine import now
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

FORMAT = "docmt-store-entry-2"
"""The value of the key `format` of an entry."""
BESIDE = (MANIFEST, RECORD)
"""The files of a job that are in its entry."""
MAKER = "DOCMT_STORE_MAKER"
"""The variable with the name by which a user wants to be known in stores; without it, no name is written."""
REMEDY = "docmt uses nothing of it; the person who wrote it can remove it"


@dataclass(frozen=True)
class StoreEntry:
    """An artifact in a store.

    `place`: the folder of the artifact without the id, for people. `asked`: what was asked of its job, whose digest is
    the identity. `texts`: the contents of its manifest and its record, by the names of these files. `maker`: who gave
    it to the store (time, and the user where MAKER is set), for people.
    """

    place: str
    asked: Mapping[str, Any]
    texts: Mapping[str, str]
    maker: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_recipe(cls, recipe: Recipe) -> "StoreEntry":
        """Return the entry of an artifact that is here. Raises UserError where a file is missing or damaged."""
        texts = {}
        for name in BESIDE:
            with reading(recipe.folder / name, "cannot be read"):
                texts[name] = (recipe.folder / name).read_text(encoding="utf-8")
        entry = cls(recipe.place.as_posix(), recipe.asked, texts, maker())
        entry.check(recipe.identity)
        return entry

    @classmethod
    def from_json(cls, data: bytes, identity: str, where: str) -> "StoreEntry":
        """Read and check the entry of an identity. Raises EntryRefused where it is damaged, or of another identity."""
        try:
            with reading(where, "not an entry of a store, or damaged", FORMAT, REMEDY):
                value = as_object(json.loads(data), where, ("place", "asked", "texts", "maker"))
                check_seal(value, where, REMEDY)
                _check_texts(value)
                entry = cls(value["place"], value["asked"], value["texts"], value["maker"])
                entry.check(identity)
        except UserError as problem:
            raise refused(problem, where) from problem
        return entry

    def to_json(self) -> bytes:
        """Return the content of the entry's file, which includes the digest of all other values."""
        value = {
            "format": FORMAT,
            "place": self.place,
            "asked": dict(self.asked),
            "texts": dict(self.texts),
            "maker": dict(self.maker),
        }
        return indented_json(sealed(value)).encode()

    @property
    def step(self) -> str:
        """The step of the job."""
        return self.asked["step"]

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises UserError where it was changed."""
        return manifest_from_json(json.loads(self.texts[MANIFEST]), MANIFEST, REMEDY)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the job. Raises UserError where it was changed."""
        return record_from_json(json.loads(self.texts[RECORD]), RECORD, REMEDY)

    @cached_property
    def files(self) -> dict[str, FileDigest]:
        """The digests of the files that are not in the entry itself, by their names in the folder of the job."""
        of_run = {name: digest_from_json(value) for name, value in self.record["files"].items()}
        return {name: file for name, file in (dict(self.manifest.files) | of_run).items() if name not in self.texts}

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
        if {*self.texts} != {*BESIDE}:
            what = "not the manifest and the record of a job"
            raise UserError(what, found=sorted(self.texts), expected=sorted(BESIDE), remedy=REMEDY)
        stated = (self.identity, full_digest(dict(self.asked)))
        if any(value != identity for value in stated):
            digests = ", ".join(value[:DIGITS] for value in dict.fromkeys(stated))
            raise UserError("of another identity", found=digests, expected=identity[:DIGITS], remedy=REMEDY)
        if self.asked.get("step") != self.manifest.step:
            found = in_line(self.asked.get("step"))
            raise UserError("of another step than its manifest", found=found, expected=self.manifest.step)
        check_names([*self.files, *self.texts], "files")
        missing = sorted({*self.manifest.records} - {*self.files, *self.texts})
        _check(not missing, "a record of a file that is not there", "records", ", ".join(missing))


def refused(problem: UserError, where: str) -> EntryRefused:
    """Return the error about an entry that cannot be used, from the error about a part of it."""
    place = f"{where}, {problem.where}" if problem.where not in (None, where) else where
    return EntryRefused(problem.what, where=place, found=problem.found, expected=problem.expected, remedy=REMEDY)


def maker() -> dict[str, str]:
    """Return who gives something to a store now: the time, and the name that the user has chosen, if any."""
    user = printable(os.environ.get(MAKER, ""), breaks="")
    return ({"user": user} if user else {}) | {"time": now()}


def _check_texts(value: Mapping[str, Any]) -> None:
    """Raise UserError unless the values of an entry are texts, and objects of texts that fit on a line."""
    _check(isinstance(value["place"], str) and is_printable(value["place"]), "not a name", "place", value["place"])
    for key in ("maker", "asked"):
        _check(isinstance(value[key], dict), "not an object", key, value[key])
    for name, text in value["maker"].items():
        _check(isinstance(text, str) and is_printable(name + text), "not a text on one line", f"maker.{name}", text)
    _check(isinstance(value["texts"], dict), "not an object", "texts", value["texts"])
    for name, text in value["texts"].items():
        _check(isinstance(text, str), "not a text", f"texts.{name}", text)


def _check(is_right: bool, what: str, where: str, found: object) -> None:
    if not is_right:
        raise UserError(what, where=where, found=in_line(found))
