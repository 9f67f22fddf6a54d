"""Manifests: the digests of the files that a job wrote, by which every later reader of a file checks its bytes.

A job writes its manifest last, so that a folder without a manifest is not complete. The manifest has no times, hosts or
paths: equal outputs have equal manifests. What differs between two runs of a job (times, the machine) is in the record
beside the manifest, and so are the digests of files with such content.

The manifest of a folder is `manifest.json`.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from docmt.base.digests import FileDigest, canonical_text, full_digest, known_sha256
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.names import is_printable
from docmt.base.untrusted import check_digest, check_names, is_sha256, limited_lines

MANIFEST, RECORD = "manifest.json", "record.json"  # The names of the files of a job beside its outputs and its recipe.
# The value of the key `format`, by which a manifest is distinguished from other files of this name.
FORMAT = "docmt-manifest-1"
DIGEST = "digest"  # The key of the digest of an object that `sealed` returned.
LEVELS = 3  # The largest number of folders between a manifest and a file that it lists, plus one.
DIGITS = 12  # The number of digits of a digest that messages have.
CHANGED = "the file was changed after docmt wrote it"  # The message about a file whose own digest does not fit it.
HOURS = ("seconds", "device_hours")  # The keys of a record with times that plans add up.
OF_RUN = ("step", "began", "finished", "commit", "device", "threads")  # The keys of a record with texts or numbers.
# The remedy where a manifest is missing: without one a job has not finished.
AGAIN = "run snakemake again, which makes the files again"


@dataclass(frozen=True)
class InputContent:
    """An input of a job: its identity (what was asked) and its content (the bytes that came out), as digests."""

    identity: str | None
    content: str | None


@dataclass(frozen=True)
class Manifest:
    """The outputs of a job."""

    identity: str | None  # The digest of what was asked of the job; None where a digest of its inputs was not known.
    step: str  # The step that makes the files.
    inputs: Mapping[str, InputContent] = field(default_factory=dict)  # The inputs by their roles.
    # The digests of the outputs, by their paths relative to the manifest.
    files: Mapping[str, FileDigest] = field(default_factory=dict)
    records: tuple[str, ...] = ()  # The paths of the files whose digests are in the record.

    @cached_property
    def content(self) -> str:
        """The digest of all outputs: two artifacts have the same content where all of their files are equal."""
        return full_digest({name: file.sha256 for name, file in self.files.items()})

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file, which includes the digest of all other values."""
        value = {
            "format": FORMAT,
            "identity": self.identity,
            "content": self.content,
            "step": self.step,
            "inputs": {role: dataclasses.asdict(content) for role, content in self.inputs.items()},
            "files": {name: dataclasses.asdict(file) for name, file in self.files.items()},
            "records": sorted(self.records),
        }
        return sealed(value)


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its own digest, as the key `digest`."""
    return {**value, DIGEST: full_digest(dict(value))}


def check_seal(value: Mapping[str, Any], where: Path | str, remedy: str) -> None:
    """Raise UserError where an object that `sealed` returned, and that was read from JSON, was changed since."""
    text = canonical_text({key: value[key] for key in value if key != DIGEST})
    expected, actual = value.get(DIGEST), hashlib.sha256(text.encode()).hexdigest()
    if expected != actual:
        raise UserError(
            CHANGED,
            where=str(where),
            found=f"a content of digest {actual[:DIGITS]}",
            expected=str(expected)[:DIGITS],
            remedy=remedy,
        )


def digest_from_json(value: Mapping[str, Any]) -> FileDigest:
    """Return the digest of a file from JSON; manifests of older versions also have the digests of parts of tables."""
    return FileDigest(value["sha256"], value["bytes"])


def files_from_json(value: Mapping[str, Any], where: str) -> dict[str, FileDigest]:
    """Return the digests of files by their names. Raises UserError for names that lead out, and for other digests."""
    check_names(value, where)
    files = {name: digest_from_json(file) for name, file in value.items()}
    for name, file in files.items():
        check_digest(file, f"{where}, {name}")
    return files


def read_manifest(path: Path) -> Manifest:
    """Read a manifest. Raises UserError where it is missing, damaged, or no manifest of docmt."""
    if not path.is_file():
        raise UserError(
            "there is no manifest: the job that writes these files has not finished",
            where=str(path),
            remedy=AGAIN,
        )
    manifest = manifest_of_docmt(path)
    if manifest is None:
        remedy = f"delete {path} and {AGAIN}"
        raise UserError("not a manifest of docmt", where=str(path), expected=f"format {FORMAT}", remedy=remedy)
    return manifest


def manifest_of_docmt(path: Path) -> Manifest | None:
    """Read a manifest; return None for the JSON of another program. Raises UserError for a damaged file."""
    with reading(path, "cannot be read"):
        status = path.stat()
    return _parsed(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=4096)
def _parsed(path: Path, *version: int) -> Manifest | None:
    """Read a manifest. `version` has numbers that change with the file, since the result is remembered."""
    remedy = f"delete {path} and {AGAIN}"
    value = _json(path, remedy)
    return manifest_from_json(value, str(path), remedy) if _is_of_docmt(value) else None


def manifest_from_json(value: Any, where: str, remedy: str) -> Manifest:
    """Return the manifest that `Manifest.to_json` converted. Raises UserError where it was changed since."""
    with reading(where, "a damaged manifest", FORMAT, remedy):
        check_seal(value, where, remedy)
        inputs = {role: InputContent(**content) for role, content in value["inputs"].items()}
        files, records = files_from_json(value["files"], where), tuple(value["records"])
        check_names([*files, *(name for name in records if name not in files)], where)
        check_facts(value["identity"], value["step"], inputs, where)
        return Manifest(value["identity"], value["step"], inputs, files, records)


def check_facts(identity: object, step: object, inputs: Mapping[str, InputContent], where: str) -> None:
    """Raise UserError where a manifest's identities are no digests, or a name would not fit on a line of a screen."""
    digests = [identity, *(value for content in inputs.values() for value in (content.identity, content.content))]
    for value in digests:
        if value is not None and not is_sha256(value):
            raise UserError("not a SHA-256", where=where, found=in_line(value))
    for name in (step, *inputs):
        if not isinstance(name, str) or not is_printable(name):
            raise UserError("not a text on one line", where=where, found=in_line(name))


def _is_of_docmt(value: Any) -> bool:
    """Return whether a JSON value is a manifest of docmt, also where a single byte of the manifest was changed."""
    if not isinstance(value, dict):
        return False
    return FORMAT in value.values() or {"format", "identity", "content", DIGEST} <= value.keys()


def _json(path: Path, remedy: str) -> Any:
    with reading(path, "not a JSON file, or damaged", remedy=remedy):
        return json.loads(path.read_bytes())


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of a job. Raises UserError where it is missing or was changed since the job wrote it."""
    remedy = f"delete {path.with_name(MANIFEST)} and {AGAIN}"
    return record_from_json(_json(path, remedy), str(path), remedy)


def record_from_json(value: Any, where: str, remedy: str) -> dict[str, Any]:
    """Return a record whose digest, files and times are right. Raises UserError for any other value."""
    with reading(where, "a damaged record", remedy=remedy):
        check_seal(value, where, remedy)
        files_from_json(value["files"], where)
        parts = [{key: value.get(key) for key in OF_RUN}, *(value.get(key, {}) for key in ("versions", "hardware"))]
        for key, fact in (pair for part in parts for pair in part.items()):
            if not isinstance(fact, str | int | float | None):
                raise TypeError(f"{key} is no text and no number")
        for key in HOURS:
            hours = value.get(key)
            if hours is not None and not (type(hours) in (int, float) and 0 <= hours < float("inf")):
                raise UserError("not a time", where=f"{where}, {key}", found=in_line(hours), remedy=remedy)
    return value


@dataclass(frozen=True)
class ListedFile:
    """A file that a manifest lists: the path of the manifest, its content, and the file's path relative to it."""

    manifest_path: Path
    manifest: Manifest
    name: str

    @cached_property
    def digest(self) -> FileDigest | None:
        """The digest of the file; None for the record itself, which has its own digest."""
        if self.name in self.manifest.files:
            return self.manifest.files[self.name]
        record = self.manifest_path.with_name(RECORD)
        if self.manifest_path.parent / self.name == record:
            return None
        with reading(record, "a damaged record", remedy=f"delete {self.manifest_path} and {AGAIN}"):
            return digest_from_json(read_record(record)["files"][self.name])

    def check(self, path: Path, sha256: str) -> None:
        """Raise UserError where the file does not have the digest that its manifest states."""
        if self.digest is None:
            read_record(path)
        elif sha256 != self.digest.sha256:
            raise UserError(
                "the file differs from its manifest",
                where=str(path),
                found=f"sha256 {sha256[:DIGITS]}, {path.stat().st_size:,} bytes",
                expected=f"{self.digest.sha256[:DIGITS]}, as {self.manifest_path.name} says",
                remedy=f"delete {self.manifest_path} and {AGAIN} (step {self.manifest.step})",
            )


def normal_path(path: Path | str) -> Path:
    """Return the absolute form of a path, without `..`; symbolic links stay."""
    return Path(os.path.normpath(Path(path).absolute()))


def listed(path: Path | str) -> ListedFile | None:
    """Return the entry of a file in the nearest manifest that lists it; None where there is none."""
    path = normal_path(path)
    for folder in path.parents[:LEVELS]:
        manifest_path = folder / MANIFEST
        manifest = manifest_of_docmt(manifest_path) if manifest_path.is_file() else None
        name = path.relative_to(folder).as_posix()
        if manifest is not None and (name in manifest.files or name in manifest.records):
            return ListedFile(manifest_path, manifest, name)
    return None


def check_file(path: Path | str) -> None:
    """Raise UserError where a manifest lists the file and the file has other bytes."""
    entry = listed(path)
    # A file that no manifest lists is not the output of a job of docmt.
    if entry is not None:
        entry.check(Path(path), known_sha256(path))


def checked_bytes(path: Path | str, has_lines: bool = False) -> bytes:
    """Return the content of a file. Raises UserError for other bytes than its manifest has, and for too long lines."""
    path = Path(path)
    if has_lines:
        with path.open("rb") as stream:
            data = b"".join(limited_lines(stream, str(path)))
    else:
        data = path.read_bytes()
    entry = listed(path)
    if entry is not None:
        entry.check(path, hashlib.sha256(data).hexdigest())
    return data


def mixed_contents(manifests: Mapping[str, Manifest]) -> list[str]:
    """Return a sentence for each identity that has several contents among outputs and what these were made from.

    `manifests`: the manifests of outputs that are read together, by their names for messages.
    """
    # Other processors and other versions of libraries give other bytes for one identity; such outputs are hardly
    # comparable.
    contents: dict[str, dict[str, list[str]]] = {}
    for name, manifest in manifests.items():
        read = [(f"the {role} of {name}", content) for role, content in manifest.inputs.items()]
        for where, output in [(name, InputContent(manifest.identity, manifest.content)), *read]:
            identity, content = output.identity, output.content
            if identity is not None and content is not None:
                contents.setdefault(identity, {}).setdefault(content, []).append(where)
    several = {identity: by_content for identity, by_content in contents.items() if len(by_content) > 1}
    return [
        f"Identity {identity[:DIGITS]} has {len(by_content)} contents: "
        + "; ".join(f"{content[:DIGITS]} is {_few(places)}" for content, places in sorted(by_content.items()))
        for identity, by_content in sorted(several.items())
    ]


def _few(places: list[str]) -> str:
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"


def stated_sha256(path: Path) -> str:
    """Return the SHA-256 of a file that a manifest lists as the manifest states it; else read the file."""
    entry = listed(path)
    return known_sha256(path) if entry is None or entry.digest is None else entry.digest.sha256
