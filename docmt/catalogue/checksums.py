"""The digests of files that are there, and how they differ from what the catalogue states."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docmt.base.digests import kind_of, known_sha256
from docmt.base.foreign import reading
from docmt.catalogue.files import GIT_OBJECTS, Checksums, FileConfig, git_objects_digest
from docmt.catalogue.folders import chunks_of, tar_chunks
from docmt.catalogue.git_ids import checksum_of, object_ids


def content(path: Path, line_ends: str = "keep") -> Iterator[bytes]:
    """Yield the bytes of a file, with the line ends that `FileConfig.line_ends` states.

    A folder of the user's has the bytes of the tar that is made of it.
    """
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
