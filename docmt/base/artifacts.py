"""Files that other jobs read: written beside and renamed, so that a half-written one never has the name.

Text files of people and programs are UTF-8, with or without a byte order mark.
"""

import fcntl
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.foreign import MEND, naming, reading

BYTE_ORDER_MARK = "\ufeff"
"""Some editors put it before a text; it is none of its characters."""


def canonical_json(value: Any) -> str:
    """The same text for the same value: keys sorted, no spaces, so that reordering a YAML file changes nothing."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: Any, length: int = 12) -> str:
    """A short stable name for a JSON-able value (hexadecimal digits of its SHA-256)."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


def sha256_file(path: Path | str) -> str:
    """Raises UserError where the file cannot be read."""
    with reading(path, "cannot be read"), Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def atomic_file(path: Path | str, mode: str = "w") -> Iterator[Any]:
    """Open a temporary file beside `path`; give it its name only when the block ends well.

    Text is UTF-8 with Unix line ends. After an exception nothing is left behind and an older file stays.
    """
    path = Path(path)
    beside = _beside(path)
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with beside.open(mode, **text) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            beside.replace(path)
    finally:
        # A disk that is full, or gone, must not hide what went wrong first.
        with suppress(OSError):
            beside.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Fill a temporary folder beside `path`; it replaces `path` only when the block ends well."""
    path = Path(path)
    beside = _beside(path)
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.mkdir()
            yield beside
            _replace_folder(beside, path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _replace_folder(new: Path, path: Path) -> None:
    """The older folder makes way whole, and comes back where the new one cannot take its place."""
    if not path.is_dir():
        new.replace(path)
        return
    older = _beside(path)
    path.replace(older)
    try:
        new.replace(path)
    except OSError:
        older.replace(path)
        raise
    shutil.rmtree(older, ignore_errors=True)


def _beside(path: Path) -> Path:
    """A name of its own, in the same folder."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")


@contextmanager
def folder_lock(folder: Path) -> Iterator[bool]:
    """A lock between processes, for short work on files that several of them read and replace.

    One process at a time is within; false where the file system has no such locks, and several may be.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            locked = True
        except OSError:
            locked = False
        yield locked
    finally:
        os.close(handle)


def decoded(data: bytes, where: str) -> str:
    """The text without a byte order mark. Raises UserError, with the line, for what is not UTF-8."""
    try:
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, problem.start - before.rfind(b"\n")
        raise UserError(
            "not valid UTF-8",
            where=f"{where}:{line}",
            found=f"byte 0x{data[problem.start]:02x} at column {column} ({problem.reason})",
            remedy="save it as UTF-8, or make or fetch it again",
        ) from None


def read_text(path: Path | str) -> str:
    """Raises UserError where the file cannot be read, or is not UTF-8."""
    with reading(path, "cannot be read"):
        data = Path(path).read_bytes()
    return decoded(data, str(path))


def read_lines(path: Path | str) -> list[str]:
    """Lines end at line feeds only: str.splitlines would also cut at U+2028 and its like inside a sentence.

    Raises UserError as `read_text` does.
    """
    text = read_text(path)
    return text.removesuffix("\n").split("\n") if text else []


def write_json(path: Path | str, value: Any) -> None:
    with atomic_file(path) as stream:
        json.dump(value, stream, indent=2, sort_keys=True, ensure_ascii=False)
        stream.write("\n")


def read_json(path: Path | str) -> Any:
    """Raises UserError where the file is missing or is no JSON."""
    text = read_text(path)
    with reading(path, "not a JSON file"):
        return json.loads(text)


def read_object(path: Path | str, *needed: str) -> dict[str, Any]:
    """A JSON file that holds an object with these keys. Raises UserError where it does not."""
    return as_object(read_json(path), str(path), needed)


def read_object_if_there(path: Path | str, *needed: str) -> dict[str, Any] | None:
    """The same; none where there is no such file, which may be removed at any time."""
    return read_object(path, *needed) if Path(path).exists() else None


def as_object(value: Any, where: str, needed: Sequence[str] = ()) -> dict[str, Any]:
    """`value`, which JSON gave. Raises UserError where it is no object with these keys."""
    expected = f"an object with {', '.join(needed)}" if needed else "an object"
    if not isinstance(value, dict):
        found = f"{type(value).__name__} {json.dumps(value, ensure_ascii=False)[:40]}"
        raise UserError("JSON of another shape", where=where, found=found, expected=expected, remedy=MEND)
    missing = [name for name in needed if name not in value]
    if missing:
        found = f"no {', '.join(missing)}"
        raise UserError("keys are missing", where=where, found=found, expected=expected, remedy=MEND)
    return value


def read_json_lines(path: Path | str, *needed: str, growing: bool = False) -> list[dict[str, Any]]:
    """A JSON object with these keys on each line. `growing`: a last line without an end is being written, and left out.

    Raises UserError, with the line, for anything else.
    """
    *lines, last = read_text(path).split("\n")
    if last and not growing:
        lines.append(last)
    rows = []
    for number, line in enumerate(lines, 1):
        with reading(f"{path}:{number}", "not a JSON line"):
            value = json.loads(line)
        rows.append(as_object(value, f"{path}:{number}", needed))
    return rows
