"""The digests of files that are there, also of Git objects in archives, and how they differ from the catalogue's."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docmt.base.digests import kind_of, known_sha256
from docmt.base.errors import UserError
from docmt.base.foreign import first_line, is_of_disk, reading
from docmt.catalogue.files import GIT_OBJECTS, Checksums, FileConfig, git_objects_digest
from docmt.catalogue.folders import chunks_of, tar_chunks


def content(path: Path, line_ends: str = "keep") -> Iterator[bytes]:
    """Yield the bytes of a file, with the line ends that `FileConfig.line_ends` states."""
    # A folder of the user's has the bytes of the tar that is made of it.
    if path.is_dir():
        yield from tar_chunks(path)
        return
    with path.open("rb") as stream:
        yield from with_line_feeds(chunks_of(stream)) if line_ends == "lf" else chunks_of(stream)


def with_line_feeds(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes with LF in the place of each CR LF; other bytes are unchanged."""
    held = b""  # a CR at the end of a chunk, whose LF may be at the start of the next
    for chunk in chunks:
        chunk = held + chunk
        held = b"\r" if chunk.endswith(b"\r") else b""
        yield chunk[: len(chunk) - len(held)].replace(b"\r\n", b"\n")
    yield held


def checksum(path: Path, kind: str, line_ends: str = "keep") -> str:
    """Return a checksum of the bytes that `content` yields. `kind` is a key of `LENGTHS`."""
    if kind == "sha256" and line_ends == "keep" and not path.is_dir():
        return known_sha256(path)
    size = _size(path, line_ends) if kind == "git_blob" else 0
    with reading(path, "cannot be read"):
        return checksum_of(content(path, line_ends), kind, size)


def _size(path: Path, line_ends: str) -> int:
    """Return the number of bytes that `content` yields."""
    with reading(path, "cannot be read"):
        is_plain = line_ends == "keep" and not path.is_dir()
        return path.stat().st_size if is_plain else sum(map(len, content(path, line_ends)))


@dataclass(frozen=True)
class Mismatch:
    """A difference between a file that is there and what is stated of it, in the words of messages."""

    what: str
    actual: str
    expected: str

    def __str__(self) -> str:
        """Return the difference as one text."""
        return f"{self.what}: found {self.actual}, expected {self.expected}"


def wrong_content(path: Path, file: FileConfig) -> Mismatch | None:
    """Return how a file that is there differs from what the catalogue states of it; None where it does not differ."""
    return wrong_bytes(path, file, file.line_ends) or _wrong_objects(path, file.git_objects)


def wrong_bytes(path: Path, expected: Checksums, line_ends: str = "keep") -> Mismatch | None:
    """Return how a file's bytes differ from a size or a checksum; None where they have all of them.

    `line_ends`: see `content`.
    """
    if expected.size is not None and (size := _size(path, line_ends)) != expected.size:
        return Mismatch("wrong size", f"{size:,} bytes", f"{expected.size:,}")
    for kind, value in expected.stated.items():
        if (actual := checksum(path, kind, line_ends)) != value:
            return Mismatch("wrong checksum", f"{kind} {actual}", value)
    return None


def file_digest(path: Path, file: FileConfig, kind: str | None = None) -> str:
    """Return the digest of a file that is there, in the form of `FileConfig.digest`.

    `kind`: the kind of the digest with which it is compared; None for the kind that the catalogue states, or SHA-256.
    Raises UserError where the file cannot be read.
    """
    kind = kind or kind_of(file.digest)
    if kind == GIT_OBJECTS:
        return git_objects_digest(object_ids(path, file.git_objects))
    value = checksum(path, kind, file.line_ends)
    return value if kind == "sha256" else f"{kind}:{value}"


def _wrong_objects(path: Path, expected: Mapping[str, str]) -> Mismatch | None:
    """Return the first path in an archive whose Git id is another one; None where all are right."""
    actual = object_ids(path, expected) if expected else {}
    for name, value in expected.items():
        if actual[name] != value:
            return Mismatch("other content in the archive", f"{name} {actual[name] or 'missing'}", f"git id {value}")
    return None


Blob = tuple[str, str]  # The mode of a file or folder in Git, and its Git id.


def checksum_of(chunks: Iterable[bytes], kind: str, size: int) -> str:
    """Return a checksum of `size` bytes. Git puts the kind and the size of an object before its bytes."""
    result = hashlib.new("sha1" if kind == "git_blob" else kind, usedforsecurity=False)
    if kind == "git_blob":
        result.update(b"blob %d\0" % size)
    for chunk in chunks:
        result.update(chunk)
    return result.hexdigest()


def object_ids(archive: Path, paths: Mapping[str, str]) -> dict[str, str]:
    """Return the Git ids of files and folders in a tar, by their paths; an empty text for a missing path.

    Raises UserError for a damaged archive.
    """
    import tarfile  # imported here, since planning reads no archive

    blobs: dict[str, Blob] = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                # The first folder of an archive of GitHub has the name of the commit and is a part of the paths.
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
