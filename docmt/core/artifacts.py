"""Files that other jobs read: written beside and renamed, so that a half-written one never has the name."""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from docmt.core.errors import UserError


def canonical_json(value: Any) -> str:
    """The same text for the same value: keys sorted, no spaces, so that reordering a YAML file changes nothing."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: Any, length: int = 12) -> str:
    """A short stable name for a JSON-able value (hexadecimal digits of its SHA-256)."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


def sha256_file(path: Path | str) -> str:
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def atomic_file(path: Path | str, mode: str = "w") -> Iterator[Any]:
    """Open a temporary file beside `path`; give it its name only when the block ends well.

    Text is UTF-8 with Unix line ends. After an exception nothing is left behind and an older file stays.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    try:
        with beside.open(mode, **text) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Fill a temporary folder beside `path`; it replaces `path` only when the block ends well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    beside.mkdir()
    try:
        yield beside
        if path.exists():
            shutil.rmtree(path)
        beside.replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def write_json(path: Path | str, value: Any) -> None:
    with atomic_file(path) as stream:
        json.dump(value, stream, indent=2, sort_keys=True, ensure_ascii=False)
        stream.write("\n")


def read_json(path: Path | str) -> Any:
    """Raises UserError where the file is missing or is no JSON."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError("file not found", where=str(path)) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise UserError("not a JSON file", where=str(path), found=problem) from None
