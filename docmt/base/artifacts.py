"""Files that other jobs read: a file is written under a temporary name, and renamed when it is complete.

A half-written file therefore never has the name that readers look for. Text files are UTF-8; files that docmt reads may
begin with a byte order mark.
"""

import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from docmt.base.digests import indented_json
from docmt.base.errors import UserError
from docmt.base.foreign import MEND, naming, need_file, reading
from docmt.base.manifest import checked_bytes, normal_path
from docmt.base.untrusted import inside

# The folder, in that of a job, of files that the job needs for its next attempt; no manifest lists them.
SCRATCH = "scratch"
# The character that some editors write before a text; the functions of this module that read text remove it.
BYTE_ORDER_MARK = "\ufeff"


class Recorder:
    """The files that a job writes below its folder, as absolute paths."""

    def __init__(self, folder: Path) -> None:
        """Record the files below `folder`, which need not exist yet."""
        self.folder = normal_path(folder)
        self.files: set[Path] = set()
        self.stale: Path | None = None
        """A file that is removed before the first other is written: the manifest of an earlier run, which would
        describe a mixture of both runs."""

    def note(self, path: Path) -> None:
        """Note a file before it comes or goes, unless it is outside the folder, or one for the job itself alone."""
        path = normal_path(path)
        if path.is_relative_to(self.folder) and not path.is_relative_to(self.folder / SCRATCH):
            self.files.add(path)
            if self.stale is not None:
                self.stale.unlink(missing_ok=True)
                self.stale = None


_RECORDERS: list[Recorder] = []  # The recorders of the jobs that this process runs, the innermost last.


@contextmanager
def recorded(folder: Path) -> Iterator[Recorder]:
    """Record the files that the block writes below `folder`."""
    recorder = Recorder(folder)
    _RECORDERS.append(recorder)
    try:
        yield recorder
    finally:
        _RECORDERS.remove(recorder)


def _note(path: Path) -> None:
    for recorder in _RECORDERS:
        recorder.note(path)


@contextmanager
def atomic_file(path: Path | str, mode: str = "w") -> Iterator[Any]:
    """Open a temporary file (text is UTF-8); rename it to `path` only when the block ends without an exception."""
    path = Path(path)
    temporary = _temporary_path(path)
    form = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open(mode, **form) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())  # before the rename: after a power cut the file must not be empty
            _note(path)
            temporary.replace(path)
    finally:
        # Where the disk is full or gone, this fails too: its error must not hide the first one.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file of an earlier run, where there is one, and first the manifest of that run, which lists the file."""
    if path.exists():
        _note(path)
        path.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Create a temporary folder; it replaces `path` only when the block ends without an exception."""
    path = Path(path)
    temporary = _temporary_path(path)
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.mkdir()
            yield temporary
            for file in [*temporary.rglob("*")]:
                _note(path / file.relative_to(temporary))
            _replace_folder(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def need_new_folder(path: Path) -> None:
    """Raise UserError where the folder `path` has files already, or is the present folder."""
    if path.is_dir() and (any(path.iterdir()) or path.samefile(Path())):
        raise UserError("the output is there already", where=str(path), remedy="name a new folder, or remove this one")


def _replace_folder(new: Path, path: Path) -> None:
    """Move the folder `new` to `path`; where the move fails, put the older folder at `path` back."""
    if not path.is_dir():
        new.replace(path)
        return
    older = _temporary_path(path)
    path.replace(older)
    try:
        new.replace(path)
    except OSError:
        older.replace(path)
        raise
    shutil.rmtree(older, ignore_errors=True)


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")


def copy_files(source: Path, output: Path) -> None:
    """Copy the files of a folder into the folder `output`, each by `copy_file`."""
    for file in sorted(source.iterdir()):
        # Hidden files are those that the workflow leaves in folders.
        if not file.name.startswith("."):
            copy_file(source, file.name, output)


def copy_file(source: Path, name: str, output: Path) -> None:
    """Copy a file of `source`, checked by its manifest, into `output`. Raises UserError unless it is a file inside."""
    # A copy of a link that leads out of the folder would be passed on.
    need_file(inside(source, name))
    with atomic_file(output / name, "wb") as stream:
        stream.write(checked_bytes(source / name))


@contextmanager
def folder_lock(folder: Path) -> Iterator[bool]:
    """Hold a lock on a folder for short work on files that several processes replace; yield false without locks."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            locked = True
        except OSError:
            # This file system has no locks: several processes may run the block at the same time.
            locked = False
        yield locked
    finally:
        os.close(handle)


def decoded(data: bytes, where: str) -> str:
    """Decode UTF-8 text, without its byte order mark. Raises UserError, with the line in `where`, for other bytes."""
    try:
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, problem.start - before.rfind(b"\n")
        raise UserError(
            "not valid UTF-8",
            where=f"{where}:{line}",
            found=f"byte 0x{data[problem.start]:02x} at column {column} ({problem.reason})",
            remedy="save it as UTF-8, or make or download it again",
        ) from None


def read_text(path: Path | str) -> str:
    """Read a text file. Raises UserError where the file cannot be read or is not UTF-8, and for a pipe or a device."""
    with reading(path, "cannot be read"):
        need_file(path)
    return _text(path)


def _text(path: Path | str, has_lines: bool = False) -> str:
    with reading(path, "cannot be read"):
        data = checked_bytes(path, has_lines)
    return decoded(data, str(path))


def read_lines(path: Path | str) -> list[str]:
    """Read the lines of a text file or a pipe. Raises UserError for what is not UTF-8, and for too long a line."""
    text = _text(path, has_lines=True)
    # str.splitlines would also cut at U+2028 and similar characters inside a sentence.
    return text.removesuffix("\n").split("\n") if text else []


def write_json(path: Path | str, value: Any) -> None:
    """Write a value as indented JSON with sorted keys; the file appears only when it is complete."""
    with atomic_file(path) as stream:
        stream.write(indented_json(value))


def read_json(path: Path | str) -> Any:
    """Read a JSON file. Raises UserError where the file is missing or is not JSON."""
    text = read_text(path)
    with reading(path, "not a JSON file"):
        return json.loads(text)


def read_object(path: Path | str, *needed: str) -> dict[str, Any]:
    """Read a JSON object with the keys `needed`. Raises UserError where the file is missing or has none."""
    return as_object(read_json(path), str(path), needed)


def read_object_if_there(path: Path | str, *needed: str) -> dict[str, Any] | None:
    """Read a JSON object as `read_object` does; None for a file that does not exist."""
    # Another process or a user may remove the file at any time, also between a check and the reading.
    try:
        return read_object(path, *needed)
    except UserError:
        if Path(path).exists():
            raise
        return None


def as_object(value: Any, where: str, needed: Sequence[str] = ()) -> dict[str, Any]:
    """Return an object of JSON with the keys `needed`. Raises UserError, which names `where`, for any other value."""
    expected = f"an object with {', '.join(needed)}" if needed else "an object"
    if not isinstance(value, dict):
        description = f"{type(value).__name__} {json.dumps(value, ensure_ascii=False)[:40]}"
        raise UserError("the JSON is not an object", where=where, found=description, expected=expected, remedy=MEND)
    missing = [name for name in needed if name not in value]
    if missing:
        description = f"no {', '.join(missing)}"
        raise UserError("keys are missing", where=where, found=description, expected=expected, remedy=MEND)
    return value


def read_json_lines(path: Path | str, *needed: str, growing: bool = False) -> list[dict[str, Any]]:
    """Read a file that has a JSON object with the keys `needed` on each line.

    `growing`: whether another process may be writing it. Raises UserError, with the line, for anything else.
    """
    *lines, last = read_text(path).split("\n")
    # While another process writes the file, a last line without a line feed is incomplete.
    if last and not growing:
        lines.append(last)
    rows = []
    for number, line in enumerate(lines, 1):
        with reading(f"{path}:{number}", "not a JSON line"):
            value = json.loads(line)
        rows.append(as_object(value, f"{path}:{number}", needed))
    return rows
