"""Exceptions of the system, of Python and of libraries as messages of ours, so that there is one way to fail.

Whoever reads a file says which (`reading`), and so does whoever writes one (`naming`). What comes as far as the end of
a command goes through `explained`, which tells trouble with files from mistakes of our own: these keep their trace.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError

MEGABYTE = 1_000_000
SHOWN_CHARACTERS = 200
"""Of what a library says of a damaged file."""

FULL = (errno.ENOSPC, errno.EDQUOT)
OF_WRITING = (*FULL, errno.EFBIG, errno.EIO)
"""What a write fails with, long after the file was opened: such an error names no file."""

RIGHTS_ON = (errno.EACCES, errno.EPERM, errno.EROFS)
RIGHTS = "it needs other rights, or another place: see `ls -ld` of it and of its folder"
AGAIN = "such trouble may pass: run the command again"

SYSTEM: dict[int, tuple[str, str]] = {
    errno.ENOENT: ("file not found", "check the path"),
    errno.EISDIR: ("a folder, where a file is needed", "name a file, or remove the folder"),
    errno.ENOTDIR: ("a file, where a folder is needed", "name a folder, or remove the file"),
    errno.EEXIST: ("it is there already", "name another place, or remove it"),
    errno.ENOTEMPTY: ("the folder is not empty", "name another place, or empty it"),
    errno.EACCES: ("no permission", RIGHTS),
    errno.EPERM: ("no permission", RIGHTS),
    errno.EROFS: ("the file system is read-only", "name a folder that can be written to"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("links that lead to each other", "remove them, and put the file there"),
    errno.EMFILE: ("too many open files", "allow more (ulimit -n), or take fewer workers"),
    errno.EFBIG: ("the file would be too large", "allow larger ones (ulimit -f), or name another disk"),
    errno.ENOMEM: ("not enough memory", "take fewer workers, or more memory"),
}
"""What is wrong and what to do, by the number of the system's error; the rest has the system's own words."""

SAID = (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EEXIST)
"""Those of which the system's words say no more."""

PASSING = frozenset(
    getattr(errno, name)
    for name in (
        *("EAGAIN", "EBUSY", "EINTR", "EIO", "ENFILE", "ENOLCK", "EREMOTEIO", "ESTALE", "ETIMEDOUT"),
        *("ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH"),
        *("ENETDOWN", "ENETRESET", "ENETUNREACH", "ENOTCONN", "EPROTO", "ESHUTDOWN"),
    )
    if hasattr(errno, name)
)
"""Trouble of networks and of file systems on them, that may be over when the command is run again."""

CLASSES: tuple[tuple[type[OSError], int], ...] = (
    (FileNotFoundError, errno.ENOENT),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (PermissionError, errno.EACCES),
    (FileExistsError, errno.EEXIST),
    (TimeoutError, errno.ETIMEDOUT),
    (ConnectionError, errno.ECONNRESET),
)
"""The number of an error whose raiser gave none."""

DAMAGED = {
    "builtins.UnicodeDecodeError": "not valid UTF-8",
    "json.decoder.JSONDecodeError": "not JSON, or damaged",
    "_pickle.UnpicklingError": "a pickle that is damaged, or would run code",
    "pickle.UnpicklingError": "a pickle that is damaged, or would run code",
    "pyarrow.lib.ArrowException": "not an Arrow or Parquet file of this form, or damaged",
    "safetensors._safetensors_rust.SafetensorError": "not a safetensors file, or damaged",
    "yaml.error.YAMLError": "not valid YAML",
    "_csv.Error": "not CSV, or damaged",
    "gzip.BadGzipFile": "compressed file is damaged or truncated",
    "zlib.error": "compressed file is damaged or truncated",
    "_lzma.LZMAError": "compressed file is damaged or truncated",
    "zipfile.BadZipFile": "archive is damaged or truncated",
    "tarfile.TarError": "archive is damaged or truncated",
    "builtins.EOFError": "a file ends too early",
    "builtins.OSError": "a file cannot be read or written",  # libraries give no number where a file is damaged
}
"""By the class of an exception, or one that it is made from; by name, since most commands do without the library."""

STANDARD_OUTPUT = "standard output"
MEND = "make or fetch the file again"


def explained(problem: BaseException) -> UserError | None:
    """What to tell a user of an exception that nobody explained; none where it is no trouble with files.

    Gives a UserError as it is.
    """
    if isinstance(problem, UserError):
        return problem
    full = disk_full(problem)
    if full is not None:
        return _of_system(full)
    if isinstance(problem, BrokenPipeError):
        return None
    if isinstance(problem, OSError) and _number(problem) is not None:
        return _of_system(problem)
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in type(problem).__mro__]
    what = next((DAMAGED[name] for name in names if name in DAMAGED), None)
    if what is None:
        return None
    where = getattr(problem, "filename", None)
    remedy = f"{MEND}; DOCMT_DEBUG=1 shows where it was read"
    return UserError(what, where=where and str(where), found=first_line(problem), remedy=remedy)


def _of_system(problem: OSError) -> UserError:
    number = _number(problem)
    path = problem.filename2 or problem.filename  # of a rename, the name that was wanted
    where = None if path is None or isinstance(path, int) else os.fsdecode(path)
    if number in FULL:
        return _disk_full(where)
    words = problem.strerror or os.strerror(number)
    what, remedy = SYSTEM.get(number, (f"the system says: {words}", "see to it, and run the command again"))
    found = None if number in SAID else _detail(problem, words)
    if number in PASSING:
        return UserError(what, where=where, found=found, remedy=AGAIN, status=TRY_AGAIN)
    return UserError(what, where=where, found=found, remedy=remedy, status=USER_MISTAKE)


def _detail(problem: OSError, words: str) -> str:
    """The system's words, with the number by which they can be looked up."""
    return f"{words} (errno {_number(problem)})" if problem.filename else first_line(problem)


def _disk_full(where: str | None) -> UserError:
    """`where` may be standard output, which is on no disk that is known."""
    known = where is not None and Path(where).absolute().parent.exists() and where != STANDARD_OUTPUT
    free = f"{free_bytes(Path(where)) / MEGABYTE:,.1f} MB free, " if known else "no room, "
    remedy = "make room, and run the command again; what was there before is as it was"
    return UserError("the disk is full", where=where, found=f"{free}or a quota used up", remedy=remedy)


def _number(problem: OSError) -> int | None:
    if problem.errno is not None:
        return problem.errno
    return next((number for cls, number in CLASSES if isinstance(problem, cls)), None)


def disk_full(problem: BaseException | None) -> OSError | None:
    """The error that says that the disk, or the user's quota, is full: libraries raise errors of their own over it."""
    seen: set[int] = set()
    while problem is not None and id(problem) not in seen:
        if isinstance(problem, OSError) and problem.errno in FULL:
            return problem
        seen.add(id(problem))
        problem = problem.__cause__ or problem.__context__
    return None


def is_of_system(problem: BaseException) -> bool:
    """Whether the system refuses something that it has a clear reason for; damaged files give odd ones."""
    return isinstance(problem, OSError) and _number(problem) in {*SYSTEM, *PASSING, *FULL}


def is_of_disk(problem: BaseException) -> bool:
    """Whether an error is trouble with the disk or with rights on it, whatever was read or written there."""
    if disk_full(problem) is not None:
        return True
    return isinstance(problem, OSError) and problem.errno in (*PASSING, *OF_WRITING, *RIGHTS_ON, errno.EMFILE)


def free_bytes(path: Path) -> int:
    """Of the disk that a file or folder is on, or would be."""
    path = path.absolute()
    return shutil.disk_usage(next(folder for folder in (path, *path.parents) if folder.is_dir())).free


def first_line(problem: BaseException) -> str:
    """The first line of what an exception says, or what it is called."""
    text = str(problem).strip()
    return text.splitlines()[0][:SHOWN_CHARACTERS] if text else type(problem).__name__


@contextmanager
def reading(path: Path | str, what: str, expected: str | None = None, remedy: str = MEND) -> Iterator[None]:
    """Raises UserError, naming the file, for whatever goes wrong within: bytes from anywhere fail in any way.

    `what` says what the file is not, such as "not an Arrow file". Nothing but the reading of this file belongs within.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as problem:
        if is_of_system(problem):
            if not str(problem.filename or "").startswith(str(path)):
                problem.filename = str(path)
            raise _of_system(problem) from problem
        raise UserError(what, where=str(path), found=first_line(problem), expected=expected, remedy=remedy) from problem


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Give an error of writing, which names no file, the name of this one."""
    try:
        yield
    except Exception as problem:
        first = disk_full(problem) or problem
        if isinstance(first, OSError) and first.filename is None and first.errno in OF_WRITING:
            first.filename = str(path)
        raise


def library(name: str, what: str, remedy: str = "pip install -c pins.txt -e .") -> ModuleType:
    """A library that few jobs need. Raises UserError, which says `what`, where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UserError(what, remedy=remedy) from None


def need_file(path: Path | str) -> None:
    """Raises OSError for a folder, which libraries may take for a data set, and where there is nothing."""
    Path(path).open("rb").close()
