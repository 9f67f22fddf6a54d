"""Conversion of exceptions of the operating system, of Python and of libraries to UserErrors.

Code that reads a file runs inside `reading`, and code that writes a file runs inside `naming`, so that messages name
the file. `explained` converts an exception that ends a command: trouble with files becomes a UserError, while an
exception that is a bug of docmt is not converted and keeps its traceback.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from docmt.base.credentials import without_credentials
from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError, install

MEGABYTE = 1_000_000
LONGEST_DETAIL = 200  # The largest number of characters that a message of docmt quotes from the message of a library.

FULL = (errno.ENOSPC, errno.EDQUOT)  # The error numbers of a full disk and of a used-up quota.
# The error numbers of a failed write to a file that is open; exceptions with these numbers name no file.
OF_WRITING = (*FULL, errno.EFBIG, errno.EIO, errno.EBADF)

RIGHTS_ON = (errno.EACCES, errno.EPERM, errno.EROFS)  # The error numbers of missing permissions.
RIGHTS = "it needs other rights, or another place: see `ls -ld` of it and of its folder"
AGAIN = "the cause may be temporary: run the command again"

# The message and the remedy for each error number; for other numbers the message has the words of the system.
SYSTEM: dict[int, tuple[str, str]] = {
    errno.ENOENT: ("file not found", "check the path"),
    errno.EISDIR: ("a folder, where a file is needed", "name a file, or remove the folder"),
    errno.ENOTDIR: ("a file, where a folder is needed", "name a folder, or remove the file"),
    errno.EEXIST: ("it already exists", "name another place, or remove it"),
    errno.ENOTEMPTY: ("the folder is not empty", "name another place, or empty it"),
    errno.EACCES: ("no permission", RIGHTS),
    errno.EPERM: ("no permission", RIGHTS),
    errno.EROFS: ("the file system is read-only", "name a folder that can be written to"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("links that lead to each other", "remove them, and put the file there"),
    errno.EMFILE: ("too many open files", "allow more (ulimit -n), or take fewer workers"),
    errno.EFBIG: ("the file would be too large", "allow larger ones (ulimit -f), or name another disk"),
    errno.EBADF: ("it is closed", "open it: name a file, or a program behind a pipe"),
    errno.ENOMEM: ("not enough memory", "take fewer workers, or more memory"),
}

# The error numbers whose messages leave out the words of the system, since these words repeat the text of SYSTEM.
SELF_EXPLAINED = (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EEXIST)

# The error numbers of trouble that may pass, mostly of networks and of file systems on them: AGAIN is the remedy.
PASSING = (
    *(errno.EBUSY, errno.EIO, errno.ENFILE, errno.ENOLCK, errno.EREMOTEIO, errno.ESTALE, errno.EPROTO, errno.ENOTCONN),
    *(errno.EHOSTDOWN, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENETRESET, errno.ENETUNREACH),
)
# The classes that Python gives to further errors of this kind.
PASSING_CLASSES = (BlockingIOError, ConnectionError, InterruptedError, TimeoutError)

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
    "builtins.OSError": "a file cannot be read or written",  # without an error number: some libraries report damage so
}
"""The message about a file, by the class of the exception or a base class of it. Classes are given by name, so that
commands need not import their libraries."""

STANDARD_OUTPUT = "standard output"
MEND = "make or download the file again"


def explained(problem: BaseException) -> UserError | None:
    """Convert an exception that ends a command to a UserError, unless it is one; None where it is not about files."""
    if isinstance(problem, UserError):
        return problem
    full = disk_full(problem)
    if full is not None:
        return _of_system(full)
    # The reader of a pipe, such as `head`, has stopped reading: this is no error of a file.
    if isinstance(problem, BrokenPipeError):
        return None
    if is_passing(problem) or (isinstance(problem, OSError) and problem.errno is not None):
        return _of_system(problem)
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in type(problem).__mro__]
    what = next((DAMAGED[name] for name in names if name in DAMAGED), None)
    if what is None:
        return None
    where = getattr(problem, "filename", None)
    remedy = f"{MEND}; DOCMT_DEBUG=1 shows where it was read"
    return UserError(what, where=where and str(where), found=first_line(problem), remedy=remedy)


def _of_system(problem: OSError) -> UserError:
    number = problem.errno
    path = problem.filename2 or problem.filename  # filename2: the new name of a rename
    where = None if path is None or isinstance(path, int) else os.fsdecode(path)
    if number in FULL:
        return _disk_full(where)
    words = problem.strerror or first_line(problem)
    what, remedy = SYSTEM.get(number, (f"the system says: {words}", "correct this, and run the command again"))
    detail = f"{words} (errno {number})" if problem.filename else first_line(problem)
    found = None if number in SELF_EXPLAINED else detail
    if is_passing(problem):
        return UserError(what, where=where, found=found, remedy=AGAIN, status=TRY_AGAIN)
    return UserError(what, where=where, found=found, remedy=remedy, status=USER_MISTAKE)


def _disk_full(where: str | None) -> UserError:
    """Build the UserError of a full disk; `where` is the path, standard output (whose disk is not known) or none."""
    known = where is not None and Path(where).absolute().parent.exists() and where != STANDARD_OUTPUT
    free = f"{free_bytes(Path(where)) / MEGABYTE:,.1f} MB free, " if known else "no room, "
    remedy = "make room and run the command again; files that existed before are unchanged"
    return UserError("the disk is full", where=where, found=f"{free}or a quota used up", remedy=remedy)


def is_passing(problem: BaseException) -> bool:
    """Return whether an exception reports trouble that may pass, so that the same command may succeed later."""
    return isinstance(problem, PASSING_CLASSES) or (isinstance(problem, OSError) and problem.errno in PASSING)


def disk_full(problem: BaseException | None) -> OSError | None:
    """Return the exception that reports a full disk or a used-up quota, or None."""
    seen: set[int] = set()
    # A library may raise another exception in the place of this one.
    while problem is not None and id(problem) not in seen:
        if isinstance(problem, OSError) and problem.errno in FULL:
            return problem
        seen.add(id(problem))
        problem = problem.__cause__ or problem.__context__
    return None


def is_of_system(problem: BaseException) -> bool:
    """Return whether an exception is an error of the system that this module explains."""
    # Damaged files can cause errors of the system with other numbers.
    return is_passing(problem) or (isinstance(problem, OSError) and problem.errno in {*SYSTEM, *FULL})


def is_of_disk(problem: BaseException) -> bool:
    """Return whether an exception reports trouble with the disk, the network, permissions or too many open files."""
    if disk_full(problem) is not None or is_passing(problem):
        return True
    return isinstance(problem, OSError) and problem.errno in (*OF_WRITING, *RIGHTS_ON, errno.EMFILE)


def free_bytes(path: Path) -> int:
    """Return the number of free bytes on the disk of a file or folder, which need not exist yet."""
    path = path.absolute()
    return shutil.disk_usage(next(folder for folder in (path, *path.parents) if folder.is_dir())).free


def first_line(problem: BaseException) -> str:
    """Return the first line of an exception's message, without credentials; the name of its class without any."""
    # Libraries of object stores quote addresses with a user or a query.
    text = without_credentials(str(problem).strip())
    return text.splitlines()[0][:LONGEST_DETAIL] if text else type(problem).__name__


@contextmanager
def reading(path: Path | str, what: str, expected: str | None = None, remedy: str = MEND) -> Iterator[None]:
    """Convert any exception of the block to a UserError that names the file `path`, and says `what` is wrong with it.

    Damaged bytes can cause any exception, so the block must do nothing but read this file.
    """
    try:
        yield
    except UserError:
        raise
    except BaseException as problem:
        # A panic of a library that is written in Rust derives from BaseException.
        if not isinstance(problem, Exception) and type(problem).__name__ != "PanicException":
            raise
        if is_of_system(problem):
            if not str(problem.filename or "").startswith(str(path)):
                problem.filename = str(path)
            raise _of_system(problem) from problem
        raise UserError(what, where=str(path), found=first_line(problem), expected=expected, remedy=remedy) from problem


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Add the file name `path` to an exception of the block that reports a failed write and names no file."""
    try:
        yield
    except Exception as problem:
        first = disk_full(problem) or problem
        if isinstance(first, OSError) and first.filename is None and first.errno in OF_WRITING:
            first.filename = str(path)
        raise


def library(name: str, what: str, remedy: str | None = None) -> ModuleType:
    """Import a library that few jobs need. Raises UserError, with the message `what`, where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UserError(what, remedy=remedy or install()) from None


def need_file(path: Path | str) -> None:
    """Raise OSError for a folder or a missing file, and UserError for a pipe or a device."""
    # Some libraries read a folder as a data set, and wait for ever for the writer of a pipe.
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        remedy = "name a file on a disk"
        raise UserError("not a plain file", where=str(path), found="a pipe or a device", remedy=remedy)
    Path(path).open("rb").close()
