"""SHA-256 digests of JSON values and of files."""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from docmt.base.foreign import reading

BYTES_AT_ONCE = 1 << 20  # The number of bytes of a file that are read at once, which limits the memory.


def canonical_json(value: Any) -> str:
    """Return the JSON text of a value; equal values have equal texts, whatever the order of their keys."""
    # Keys that are numbers are sorted as the texts that JSON makes of them: a value that was written to a file and read
    # again has the same text.
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
    """Return the SHA-256 of a file in hexadecimal digits. Raises UserError where the file cannot be read."""
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
class FileDigest:
    """The SHA-256 of a file, and its size in bytes."""

    sha256: str
    bytes: int

    @classmethod
    def of(cls, path: Path) -> "FileDigest":
        """Return the digest of a file that exists."""
        return cls(sha256_file(path), path.stat().st_size)
