"""What a store in a folder asks of the file system: locks, the files below a folder, and whose they are."""

import fcntl
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".part"
"""The ending of the name of a file that is being written; a killed process leaves such a file."""


def locked(handle: int, kind: int) -> bool | None:
    """Try to lock an open file; return False where another process has it, and None where there are no locks."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files and links below a folder in order, without those in a folder that is not finished.

    What another process removes meanwhile is left out. Raises OSError for a folder that may not be read.
    """

    def unless_gone(problem: OSError) -> None:
        if not isinstance(problem, FileNotFoundError):
            raise problem

    for place, folders, files in os.walk(folder, onerror=unless_gone):
        folders[:] = sorted(name for name in folders if not name.endswith(PARTIAL))
        yield from (Path(place, name) for name in sorted(files))


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of a file or link; None where there is none, since another process may remove it."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def user_of(uid: int) -> str:
    """Return the name of a user, or the number where the system knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
