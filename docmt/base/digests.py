"""SHA-256 digests of JSON values, of files as they are written, and of the parts of tables.

A table that many jobs read in part has parts: a record batch of an Arrow file, or a row group of a Parquet file. A job
that reads one split checks the parts of this split alone.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from docmt.base.foreign import reading

BYTES_AT_ONCE = 1 << 20
"""The number of bytes of a file that are read at once, which limits the memory."""


def canonical_json(value: Any) -> str:
    """Return the JSON text of a value; equal values have equal texts.

    Keys are sorted and there are no spaces, so that the text does not depend on the order of keys in a YAML file. Keys
    that are numbers are sorted as the texts that JSON makes of them, so that a value that was written to a file and
    read again has the same text.
    """
    return canonical_text(json.loads(json.dumps(value)))


def canonical_text(value: Any) -> str:
    """Return the canonical JSON text of a value that was read from JSON, whose keys are texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def indented_json(value: Any) -> str:
    """Return the JSON text of a value for a file that people read: sorted keys, a value on each line."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def digest(value: Any, length: int = 12) -> str:
    """Return a short name for a JSON value: the first `length` hexadecimal digits of its SHA-256."""
    return full_digest(value)[:length]


def full_digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON text of a value, in 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def kind_of(digest: str | None) -> str:
    """Return the kind of a digest: `git_blob` of `git_blob:48d6...`, and `sha256` where the digest names no kind."""
    return digest.partition(":")[0] if digest and ":" in digest else "sha256"


def value_of(digest: str) -> str:
    """Return the hexadecimal digits of a digest, without its kind."""
    return digest.rpartition(":")[2]


def named_digest(digest: str, digits: int | None = None) -> str:
    """Return a digest for a message: its kind, and its first `digits` digits (None = all)."""
    return f"{kind_of(digest)} {value_of(digest)[:digits]}"


def sha256_file(path: Path | str) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises UserError where the file cannot be read.
    """
    with reading(path, "cannot be read"), Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def known_sha256(path: Path | str) -> str:
    """Return the SHA-256 of a file as `sha256_file` does; a file that does not change is read once in a process."""
    with reading(path, "cannot be read"):
        status = Path(path).stat()
    return _sha256(Path(path).absolute(), status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=4096)
def _sha256(path: Path, *version: int) -> str:
    """Return the SHA-256 of a file. `version` has numbers that change with the file, since the result is remembered."""
    return sha256_file(path)


@dataclass(frozen=True)
class TablePart:
    """A part of a table: `bytes` bytes of the file from byte `start` on.

    `splits`: the splits of the rows, in the order of the alphabet; none for a table without a column of splits.
    `sha256`: the digest of all bytes of a row group, or of the metadata of a record batch. `columns`: the digest of
    each column of a record batch, so that a reader of some columns checks these alone.
    """

    start: int
    bytes: int
    sha256: str
    splits: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FileDigest:
    """The digest of a file.

    `parts`: the parts of a table, in the order of the file. `frame`: the digest of all bytes outside the parts, which
    are the head and the foot of the file; None for a file without parts.
    """

    sha256: str
    bytes: int
    parts: tuple[TablePart, ...] = ()
    frame: str | None = None

    @classmethod
    def of(cls, path: Path) -> "FileDigest":
        """Return the digest of a file that exists, without parts."""
        return cls(sha256_file(path), path.stat().st_size)

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of bytes outside the parts, as pairs of the first byte and the end."""
        place = 0
        for part in self.parts:
            if part.start > place:
                yield place, part.start
            place = part.start + part.bytes
        if place < self.bytes:
            yield place, self.bytes


class DigestStream:
    """A binary stream to a file that computes the digest of the bytes that are written.

    It has the methods that the writers of Arrow and Parquet files and `io.TextIOWrapper` need.
    """

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        """Write to `stream`, which is open and empty."""
        self._stream, self._sha256, self._bytes = stream, hashlib.sha256(), 0
        self._parts: list[TablePart] = []
        self._part_sha256: Any = None

    def write(self, data: Any) -> int:
        """Write bytes, and add them to the digest."""
        self._sha256.update(data)
        if self._part_sha256 is not None:
            self._part_sha256.update(data)
        written = memoryview(data).nbytes
        self._bytes += written
        self._stream.write(data)
        return written

    def tell(self) -> int:
        """Return the number of bytes that are written."""
        return self._bytes

    def flush(self) -> None:
        """Pass written bytes on to the operating system."""
        self._stream.flush()

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._stream.fileno()

    def readable(self) -> bool:
        """Return False: the stream is for writing."""
        return False

    def writable(self) -> bool:
        """Return True: the stream is for writing."""
        return True

    def seekable(self) -> bool:
        """Return False: bytes are digested in the order in which they are written."""
        return False

    def close(self) -> None:
        """Do nothing; the code that opened the file closes it."""

    def add_part(self, part: TablePart) -> None:
        """Remember that the last bytes are a part of a table."""
        self._parts.append(part)

    @contextmanager
    def part(self, splits: tuple[str, ...]) -> Iterator[None]:
        """Remember that the bytes that the block writes are a part of a table, with rows of `splits`."""
        start, self._part_sha256 = self._bytes, hashlib.sha256()
        yield
        self._parts.append(TablePart(start, self._bytes - start, self._part_sha256.hexdigest(), splits))
        self._part_sha256 = None

    def file_digest(self, path: Path) -> FileDigest:
        """Return the digest of the finished file; `path` is where it is."""
        result = FileDigest(self._sha256.hexdigest(), self._bytes, tuple(self._parts))
        if not self._parts:
            return result
        with path.open("rb") as stream:
            return FileDigest(result.sha256, result.bytes, result.parts, digest_ranges(stream, result.gaps()))


def digest_ranges(stream: BinaryIO, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the SHA-256 of some ranges of bytes of a file, one range after another."""
    result = hashlib.sha256()
    for start, end in ranges:
        stream.seek(start)
        for place in range(start, end, BYTES_AT_ONCE):
            result.update(stream.read(min(BYTES_AT_ONCE, end - place)))
    return result.hexdigest()
