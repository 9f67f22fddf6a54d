"""Checksums of bytes, and the Git ids of files and folders in an archive."""

import hashlib
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from docmt.base.digests import BYTES_AT_ONCE
from docmt.base.errors import UserError
from docmt.base.foreign import first_line, is_of_disk


def checksum_of(chunks: Iterable[bytes], kind: str, size: int) -> str:
    """Return a checksum of `size` bytes. Git puts the kind and the size of an object before its bytes."""
    result = hashlib.new("sha1" if kind == "git_blob" else kind, usedforsecurity=False)
    if kind == "git_blob":
        result.update(b"blob %d\0" % size)
    for chunk in chunks:
        result.update(chunk)
    return result.hexdigest()


def object_ids(archive: Path, paths: Mapping[str, str]) -> dict[str, str]:
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
