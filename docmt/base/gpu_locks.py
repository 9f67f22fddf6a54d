"""Locks on the GPUs of this machine, which jobs of all users and projects respect.

A lock is the system's own lock (flock) on a file of a folder that all users can write to. A process holds it through an
open descriptor, which its children can inherit. The system releases the lock when the last of these processes has
ended, in whatever way, so that no lock is ever left behind.
"""

import fcntl
import os
import pwd
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from docmt.base.errors import UserError
from docmt.base.gpus import Gpu

VARIABLE = "DOCMT_GPU_LOCKS"
"""The environment variable with the folder of the locks."""
FOLDER = Path("/tmp/docmt-gpus")
"""The folder of the locks where the variable is not set; it is the same for all users, whatever their TMPDIR is."""
LOCKS = Path("/proc/locks")
"""The system's list of locks, with the process that has set each of them."""


class HeldGpus(NamedTuple):
    """GPUs whose locks this process holds, and the open descriptors by which it holds them."""

    gpus: tuple[Gpu, ...]
    descriptors: tuple[int, ...]

    def release(self) -> None:
        """Release the locks, unless a child has inherited them."""
        for descriptor in self.descriptors:
            os.close(descriptor)


class GpuLocks:
    """The locks on GPUs that are files of a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """Make the folder, unless it is there; without an argument it is the one of the variable, or `FOLDER`.

        Raises UserError where it cannot be made or used.
        """
        self.folder = folder or Path(os.environ.get(VARIABLE) or FOLDER)
        with self._checked(), _for_all_users(), suppress(FileExistsError):
            # Sticky, as /tmp is: a user can remove only files of their own.
            self.folder.mkdir(mode=0o1777)

    def take(self, gpus: Sequence[Gpu], count: int) -> HeldGpus | None:
        """Return `count` of the GPUs with their locks, or None where fewer of them are free.

        Earlier ones are preferred, and their order is kept. No process waits here while it holds a lock, so that no two
        can block each other.
        """
        held: dict[Gpu, int] = {}
        for gpu in gpus:
            if len(held) < count and (lock := self._lock(gpu)) is not None:
                held[gpu] = lock
        with self._checked():
            folder = self._lock_folder() if len(held) == count else None
        result = HeldGpus(tuple(held), (*held.values(), *([] if folder is None else [folder])))
        if folder is None:
            result.release()
            return None
        return result

    def users(self, gpus: Sequence[Gpu]) -> dict[str, str]:
        """Return the process that holds each GPU in use, by the name of the GPU: `process 812 of anna`.

        Processes that have ended or cannot be seen from here, such as those of another container, are left out.
        """
        holders = {}
        with suppress(OSError):
            for line in LOCKS.read_text(encoding="ascii").splitlines():
                _, kind, _, _, pid, file, *_ = line.split()
                holders |= {file: pid} if kind == "FLOCK" else {}
        names = {}
        for gpu in gpus:
            with suppress(OSError, KeyError):
                status = self._path(gpu).stat()
                device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
                pid = holders[f"{device}:{status.st_ino}"]
                names[gpu.name] = f"process {pid} of {_name_of_user(Path('/proc', pid).stat().st_uid)}"
        return names

    def _lock(self, gpu: Gpu) -> int | None:
        """Lock the file of a GPU; return its open descriptor, or None where another process holds the lock."""
        path = self._path(gpu)
        with self._checked():
            descriptor = _open(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A file that was removed before it was locked locks nothing: others lock the new file of this name.
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return descriptor
            except (BlockingIOError, FileNotFoundError):
                pass
            os.close(descriptor)
        return None

    def _lock_folder(self) -> int | None:
        """Lock the folder together with other jobs: systemd-tmpfiles removes old files only from folders without locks.

        The result is an open descriptor, or None where systemd-tmpfiles is just at work there.
        """
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def _path(self, gpu: Gpu) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', gpu.key)}.lock"

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn an error of the system in the block into UserError."""
        try:
            yield
        except OSError as problem:
            raise UserError(
                "the locks on GPUs cannot be used",
                where=str(self.folder),
                found=problem.strerror,
                expected="a folder that all users can write to (mode 1777)",
                remedy=f"set {VARIABLE} to such a folder, the same for all users",
            ) from None


def _open(path: Path) -> int:
    """Open a file for its lock, and make it where it is missing.

    The system refuses to make and open in one step a file of another user in a sticky folder (fs.protected_regular).
    """
    while True:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with suppress(FileExistsError), _for_all_users():
            return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o444)


@contextmanager
def _for_all_users() -> Iterator[None]:
    """Give files and folders that the block makes exactly their stated modes, whatever the user's umask is."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def _name_of_user(number: int) -> str:
    """Return the name of a user, or the number of one without a name."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
