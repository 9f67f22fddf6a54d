"""What a store in a folder asks of the file system: a wait, the files below a folder, and whose they are."""

import ctypes
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".part"
"""The ending of the name of a file that is being written; a killed process leaves such a file."""


def write_to_disk(folder: Path) -> None:
    """Wait until all files of the file system of a folder are on the disk: one wait for however many files.

    Raises OSError where the disk refuses them.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(library, "syncfs"):  # a system other than Linux
            os.sync()
        elif library.syncfs(handle):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(handle)


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
