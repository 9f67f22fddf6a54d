"""The digests of files that are there, and the lock file with the digests of first downloads."""

import hashlib
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from docmt.base.artifacts import folder_lock, write_json
from docmt.base.digests import BYTES_AT_ONCE, kind_of, known_sha256
from docmt.base.errors import UserError, quoted
from docmt.base.foreign import first_line, is_of_disk, reading
from docmt.catalogue.files import GIT_OBJECTS, Checksums, FileConfig, git_objects_digest

LOCK = "workflow/corpora/checksums.lock.json"
"""The file with the digest of the first download of each file whose digest the catalogue does not state."""


def locked_checksums(lock: Path) -> dict[str, str]:
    """Return the digest of the first download of each file, by `corpus/file`.

    Raises UserError where the file is not a lock file.
    """
    remedy = "restore it (git checkout), or remove it: then each first download is recorded again"
    with reading(lock, "not a lock file of downloads", "a digest by the name corpus/file", remedy):
        locked = json.loads(lock.read_text(encoding="utf-8")) if lock.exists() else {}
        if not isinstance(locked, dict) or not all(isinstance(digest, str) for digest in locked.values()):
            raise TypeError(quoted(locked))
    return locked


def place_in_lock(lock: Path | str, key: str) -> str:
    """Return the place of a digest in the lock file for messages: the path and the number of the line."""
    path = Path(lock)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    number = next((number for number, line in enumerate(lines, 1) if f'"{key}"' in line), None)
    return f"{lock}:{number}" if number else str(lock)


def record_first(lock: Path, digests: Mapping[str, str]) -> None:
    """Add digests of first downloads to the lock file, by `corpus/file`; those that it has stay as they are."""
    if not digests:
        return
    lock.parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(lock.parent):  # several jobs may write the lock file at the same time
        locked = locked_checksums(lock)
        if digests.keys() - locked.keys():
            write_json(lock, {**digests, **locked})


def chunks_with_line_feeds(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a stream with LF in the place of each CR LF; other bytes are unchanged."""
    held = b""  # a CR at the end of a chunk, whose LF may be at the start of the next
    while chunk := stream.read(BYTES_AT_ONCE):
        chunk = held + chunk
        held = b"\r" if chunk.endswith(b"\r") else b""
        yield chunk[: len(chunk) - len(held)].replace(b"\r\n", b"\n")
    yield held


def checksum(path: Path, kind: str) -> str:
    """Return a checksum of a file's bytes. `kind` is a key of `LENGTHS`."""
    if kind == "sha256":
        return known_sha256(path)
    with reading(path, "cannot be read"), path.open("rb") as stream:
        return checksum_of(iter(lambda: stream.read(BYTES_AT_ONCE), b""), kind, path.stat().st_size)


def checksum_of(chunks: Iterable[bytes], kind: str, size: int) -> str:
    """Return a checksum of `size` bytes. Git puts the kind and the size of an object before its bytes."""
    result = hashlib.new("sha1" if kind == "git_blob" else kind, usedforsecurity=False)
    if kind == "git_blob":
        result.update(b"blob %d\0" % size)
    for chunk in chunks:
        result.update(chunk)
    return result.hexdigest()


def _stored_checksum(path: Path, file: FileConfig, kind: str) -> str:
    """Return a checksum of a file as docmt stores it: with the line ends that the catalogue states."""
    if file.line_ends == "keep":
        return checksum(path, kind)
    size = _stored_size(path, file) if kind == "git_blob" else 0
    with reading(path, "cannot be read"), path.open("rb") as stream:
        return checksum_of(chunks_with_line_feeds(stream), kind, size)


def _stored_size(path: Path, file: FileConfig) -> int:
    """Return the number of bytes of a file as docmt stores it."""
    with reading(path, "cannot be read"), path.open("rb") as stream:
        if file.line_ends == "keep":
            return path.stat().st_size
        return sum(map(len, chunks_with_line_feeds(stream)))


@dataclass(frozen=True)
class Difference:
    """A difference between a file that is there and what is stated of it, in the words of messages."""

    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Return the difference as one text."""
        return f"{self.what}: found {self.found}, expected {self.expected}"


def wrong_content(path: Path, file: FileConfig) -> Difference | None:
    """Return how a file that is there differs from what the catalogue states of it; None where it does not differ."""
    if file.size is not None and (size := _stored_size(path, file)) != file.size:
        return _wrong_size(size, file.size)
    for kind, value in file.stated.items():
        if (found := _stored_checksum(path, file, kind)) != value:
            return Difference("wrong checksum", f"{kind} {found}", value)
    return wrong_objects(path, file.git_objects) if file.git_objects else None


def wrong_bytes(path: Path, expected: Checksums) -> Difference | None:
    """Return how the bytes of a source differ from its size or a checksum; None where they have all of them."""
    if expected.size is not None and (size := path.stat().st_size) != expected.size:
        return _wrong_size(size, expected.size)
    for kind, value in expected.stated.items():
        if (found := checksum(path, kind)) != value:
            return Difference("wrong checksum", f"{kind} {found}", value)
    return None


def _wrong_size(found: int, expected: int) -> Difference:
    """Return the difference between two sizes in bytes."""
    return Difference("wrong size", f"{found:,} bytes", f"{expected:,}")


def file_digest(path: Path, file: FileConfig, kind: str | None = None) -> str:
    """Return the digest of a file that is there, in the form of `FileConfig.digest`.

    `kind`: the kind of the digest with which it is compared; None for the kind that the catalogue states, or SHA-256.
    Raises UserError where the file cannot be read.
    """
    kind = kind or kind_of(file.digest)
    if kind == GIT_OBJECTS:
        return git_objects_digest(found_objects(path, file.git_objects))
    value = _stored_checksum(path, file, kind)
    return value if kind == "sha256" else f"{kind}:{value}"


def wrong_objects(path: Path, expected: Mapping[str, str]) -> Difference | None:
    """Return the first path in an archive whose Git id is another one; None where all are right."""
    found = found_objects(path, expected)
    for name, value in expected.items():
        if found[name] != value:
            return Difference("other content in the archive", f"{name} {found[name] or 'missing'}", f"git id {value}")
    return None


def found_objects(archive: Path, paths: Mapping[str, str]) -> dict[str, str]:
    """Return the Git ids of files and folders in a tar archive, by their paths; an empty text for a missing path.

    The first folder of an archive of GitHub has the name of the commit and is a part of the paths. Raises UserError for
    a damaged archive.
    """
    blobs: dict[str, tuple[str, str]] = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = str(PurePosixPath(member.name))
                if any(name == path or name.startswith(f"{path}/") for path in paths):
                    blobs |= _blob(tar, member, name)
    except Exception as problem:
        # For a damaged archive the library raises errors of many classes.
        if is_of_disk(problem):
            raise
        raise UserError("archive is damaged or truncated", where=str(archive), found=first_line(problem)) from None
    return {path: blobs[path][1] if path in blobs else _folder_id(blobs, path) for path in paths}


def _blob(tar: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> dict[str, tuple[str, str]]:
    """Return the mode and the Git id of a file of an archive, by its path; nothing for a folder."""
    if not member.isfile():
        return {}
    content = tar.extractfile(member)
    mode = "100755" if member.mode & 0o100 else "100644"
    if content is None:
        return {}
    chunks = iter(lambda: content.read(BYTES_AT_ONCE), b"")
    return {name: (mode, checksum_of(chunks, "git_blob", member.size))}


def _folder_id(blobs: Mapping[str, tuple[str, str]], folder: str) -> str:
    """Return the Git id of a folder from those of the files below it; an empty text where there are none."""
    inside = {path.removeprefix(f"{folder}/"): blob for path, blob in blobs.items() if path.startswith(f"{folder}/")}
    return tree_id(inside) if inside else ""


def tree_id(blobs: Mapping[str, tuple[str, str]]) -> str:
    """Return the Git id of a folder. `blobs` has the mode and the id of each file, by its path in the folder."""
    entries = dict(_entries(blobs))
    # Git sorts a folder as if its name ended with a slash.
    order = sorted(entries, key=lambda name: f"{name}/" if entries[name][0] == "40000" else name)
    content = b"".join(
        f"{entries[name][0]} {name}".encode() + b"\0" + bytes.fromhex(entries[name][1]) for name in order
    )
    return hashlib.sha1(b"tree %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _entries(blobs: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the name of each file and folder directly in a folder, with its mode and its Git id."""
    below: dict[str, dict[str, tuple[str, str]]] = {}
    for path, blob in blobs.items():
        first, _, rest = path.partition("/")
        if rest:
            below.setdefault(first, {})[rest] = blob
        else:
            yield path, blob
    for name, inside in below.items():
        yield name, ("40000", tree_id(inside))
