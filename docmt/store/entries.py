"""An entry of a store: which files an artifact has, and their digests.

The small files that a job writes beside its outputs (manifest, record, settings) are in the entry itself, so that one
file says what an artifact is; the outputs are files of the store under their digests.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from docmt.base.artifacts import as_object
from docmt.base.asked import Asked, asked_of
from docmt.base.digests import FileDigest, full_digest, indented_json
from docmt.base.errors import UserError, in_line, printable
from docmt.base.foreign import reading
from docmt.base.machine import now
from docmt.base.manifest import (
    DIGITS,
    MANIFEST,
    RECORD,
    SETTINGS,
    Manifest,
    check_seal,
    digest_from_json,
    manifest_from_json,
    record_from_json,
    sealed,
)
from docmt.base.names import is_printable
from docmt.base.untrusted import check_names
from docmt.store.backend import EntryRefused

FORMAT = "docmt-store-entry-1"
"""The value of the key `format` of an entry."""
MAKER = "DOCMT_STORE_MAKER"
"""The variable with the name by which a user wants to be known in stores; without it, no name is written."""
REMEDY = "docmt uses nothing of it; the person who wrote it can remove it"


@dataclass(frozen=True)
class StoreEntry:
    """An artifact in a store.

    `rule`, `names`: the job that made it, by its rule and its wildcards. `manifest_name`: the name of its manifest.
    `texts`: the contents of its manifest, its record and its settings, by the names of these files. `maker`: who gave
    it to the store (time, and the user where MAKER is set), for people.
    """

    rule: str
    names: Mapping[str, str]
    manifest_name: str
    texts: Mapping[str, str]
    maker: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_folder(cls, rule: str, names: Mapping[str, str], manifest: Path) -> "StoreEntry":
        """Return the entry of an artifact that is here, from the path of its manifest.

        Raises UserError where a file is missing or damaged.
        """
        beside = [manifest.name.removesuffix(MANIFEST) + name for name in (MANIFEST, RECORD, SETTINGS)]
        texts = {}
        for name in beside:
            with reading(manifest.with_name(name), "cannot be read"):
                texts[name] = manifest.with_name(name).read_text(encoding="utf-8")
        entry = cls(rule, dict(names), manifest.name, texts, maker())
        entry.check(entry.identity)
        return entry

    @classmethod
    def from_json(cls, data: bytes, identity: str, where: str) -> "StoreEntry":
        """Read and check the entry of an identity. Raises EntryRefused where it is damaged, or of another identity."""
        try:
            with reading(where, "not an entry of a store, or damaged", FORMAT, REMEDY):
                value = as_object(json.loads(data), where, ("rule", "names", "manifest", "texts", "maker"))
                check_seal(value, where, REMEDY)
                _check_texts(value)
                entry = cls(value["rule"], value["names"], value["manifest"], value["texts"], value["maker"])
                entry.check(identity)
        except UserError as problem:
            raise refused(problem, where) from problem
        return entry

    def to_json(self) -> bytes:
        """Return the content of the entry's file, which includes the digest of all other values."""
        value = {
            "format": FORMAT,
            "rule": self.rule,
            "names": dict(self.names),
            "manifest": self.manifest_name,
            "texts": dict(self.texts),
            "maker": dict(self.maker),
        }
        return indented_json(sealed(value)).encode()

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises UserError where it was changed."""
        return manifest_from_json(json.loads(self.texts[self.manifest_name]), self.manifest_name, REMEDY)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the job. Raises UserError where it was changed."""
        name = self._beside(RECORD)
        return record_from_json(json.loads(self.texts[name]), name, REMEDY)

    @cached_property
    def asked(self) -> Asked:
        """What was asked of the job. Raises UserError where it was changed."""
        name = self._beside(SETTINGS)
        return asked_of(self.texts[name].encode(), name)

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
        """The digest of all bytes of the artifact, also of its manifest, its record and its settings."""
        texts = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.texts.items()}
        return full_digest({name: file.sha256 for name, file in self.files.items()} | texts)

    @property
    def bytes(self) -> int:
        """The size of all files in bytes."""
        return sum(file.bytes for file in self.files.values()) + sum(len(text.encode()) for text in self.texts.values())

    def check(self, identity: str) -> None:
        """Raise UserError unless manifest, record, settings and names of files agree with each other and an identity.

        The identity is computed again from the settings, where these know the digests of all inputs: those of a first
        download were not known when the settings were written.
        """
        settings = self._beside(SETTINGS)
        expected = {self.manifest_name, settings, self._beside(RECORD)}
        if expected != {*self.texts}:
            what = "not the manifest, the record and the settings of a job"
            raise UserError(what, found=sorted(self.texts), expected=sorted(expected), remedy=REMEDY)
        if not identity or self.identity != identity or self.asked.identity not in (None, identity):
            stated = [self.manifest.identity, self.asked.identity]
            digests = ", ".join(str(value)[:DIGITS] for value in dict.fromkeys(stated))
            raise UserError("of another identity", found=digests, expected=identity[:DIGITS] or "one", remedy=REMEDY)
        if self.asked.job not in ("", self.rule):
            raise UserError("of another rule than its settings", found=self.rule, expected=self.asked.job)
        stated_settings = self.manifest.files.get(settings)
        actual = hashlib.sha256(self.texts[settings].encode()).hexdigest()
        if stated_settings is not None and stated_settings.sha256 != actual:
            raise UserError("the settings differ from the manifest", found=actual[:DIGITS], remedy=REMEDY)
        check_names([*self.files, *self.texts], "files")
        missing = sorted({*self.manifest.records} - {*self.files, *self.texts})
        _check(not missing, "a record of a file that is not there", "records", ", ".join(missing))

    def _beside(self, name: str) -> str:
        """Return the name of the job's record or settings."""
        return self.manifest_name.removesuffix(MANIFEST) + name


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
    for key in ("rule", "manifest"):
        _check(isinstance(value[key], str) and is_printable(value[key]), "not a name", key, value[key])
    for key in ("names", "maker"):
        _check(isinstance(value[key], dict), "not an object", key, value[key])
        for name, text in value[key].items():
            _check(isinstance(text, str) and is_printable(name + text), "not a text on one line", f"{key}.{name}", text)
    _check(isinstance(value["texts"], dict), "not an object", "texts", value["texts"])
    for name, text in value["texts"].items():
        _check(isinstance(text, str), "not a text", f"texts.{name}", text)
    ends = value["manifest"] == MANIFEST or value["manifest"].endswith(f".{MANIFEST}")
    _check(ends, "not the name of a manifest", "manifest", value["manifest"])


def _check(is_right: bool, what: str, where: str, found: object) -> None:
    if not is_right:
        raise UserError(what, where=where, found=in_line(found))
