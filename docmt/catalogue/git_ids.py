"""Checksums of bytes, and the Git ids of files and folders in an archive."""

import hashlib
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from docmt.base.errors import UserError
from docmt.base.foreign import first_line, is_of_disk
from docmt.catalogue.folders import chunks_of

Blob = tuple[str, str]
"""The mode of a file or folder in Git, and its Git id."""


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
    blobs: dict[str, Blob] = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = str(PurePosixPath(member.name))
                if member.isfile() and any(name == path or name.startswith(f"{path}/") for path in paths):
                    chunks = chunks_of(tar.extractfile(member))
                    mode = "100755" if member.mode & 0o100 else "100644"
                    blobs[name] = mode, checksum_of(chunks, "git_blob", member.size)
    except Exception as problem:
        # For a damaged archive the library raises errors of many classes.
        if is_of_disk(problem):
            raise
        raise UserError("archive is damaged or truncated", where=str(archive), found=first_line(problem)) from None
    return {path: blobs[path][1] if path in blobs else _folder_id(blobs, path) for path in paths}


def _folder_id(blobs: Mapping[str, Blob], folder: str) -> str:
    """Return the Git id of a folder from those of the files below it; an empty text where there are none."""
    inside = {path.removeprefix(f"{folder}/"): blob for path, blob in blobs.items() if path.startswith(f"{folder}/")}
    return tree_id(inside) if inside else ""


def tree_id(blobs: Mapping[str, Blob]) -> str:
    """Return the Git id of a folder from the files below it, by their paths in the folder."""
    entries: dict[str, Blob] = {}
    below: defaultdict[str, dict[str, Blob]] = defaultdict(dict)
    for path, blob in blobs.items():
        first, _, rest = path.partition("/")
        if rest:
            below[first][rest] = blob
        else:
            entries[path] = blob
    entries |= {name: ("40000", tree_id(inside)) for name, inside in below.items()}
    # Git sorts a folder as if its name ended with a slash.
    order = sorted(entries, key=lambda name: f"{name}/" if name in below else name)
    content = b"".join(
        f"{entries[name][0]} {name}".encode() + b"\0" + bytes.fromhex(entries[name][1]) for name in order
    )
    return hashlib.sha1(b"tree %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
