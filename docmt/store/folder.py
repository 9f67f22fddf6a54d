"""A store in a folder that several users share.

Files are written beside and renamed, so that a name never has half a file. They are read-only and belong to their
maker. The folder of the store, as the site has made it, says by its mode who may read and write.

In a sticky folder, a file can be removed, renamed or replaced by its owner, by the owner of the folder, and by root.
The person who begins the store therefore makes its folders, and is its keeper: the keeper can remove every file, and
everybody else only the own files.
"""

import os
import pwd
import stat
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from docmt.base.foreign import FULL, RIGHTS_ON, explained
from docmt.base.manifest import DIGITS
from docmt.store.backend import REMEDY, Backend, EntryRefused, StoredFile, StoreUnusable

PARTIAL = ".part"  # The ending of the name of a file that is being written; a killed process leaves such a file.
NO_FILE = -1  # The size of what is no plain file: that of no file, so that it counts as damaged.


class FolderBackend(Backend):
    """The files of a store below a folder."""

    def __init__(self, address: str) -> None:
        """Use the folder `address`, which the site has made: its mode says who may use the store."""
        self.address, self.folder = address, Path(address)

    def prepare(self, folders: Iterable[str]) -> None:
        """Make the folders of a new store, so that all of them belong to the user who begins it."""
        with self._usable(""):
            self._check()
            self._make_sticky()
            for name in folders:
                self._make_folder(self.folder / name)

    def _check(self) -> None:
        if not self.folder.is_dir():
            is_other = self.folder.exists()
            what = "a file, and no folder of a store" if is_other else "the folder of the store is not there"
            remedy = REMEDY if is_other else f"{REMEDY}; to begin a store: mkdir {self.address}"
            raise StoreUnusable(what, where=self.address, remedy=remedy)

    def _open(self, key: str) -> tuple[BinaryIO, int]:
        """Open a file for reading. Raises EntryRefused for a link or a device, which a reader must not follow."""
        if self._facts(key).bytes == NO_FILE:
            raise EntryRefused("a link or a device, and no plain file", where=self.place(key))
        handle = os.open(self.folder / key, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        stream = os.fdopen(handle, "rb")
        return stream, os.fstat(handle).st_size

    def _facts(self, key: str) -> StoredFile:
        path = self.folder / key
        status = path.lstat()
        size = status.st_size if stat.S_ISREG(status.st_mode) else NO_FILE
        is_removable = os.geteuid() in (0, status.st_uid, path.parent.stat().st_uid)
        return StoredFile(key, size, status.st_mtime, user_of(status.st_uid), is_removable)

    def _write(self, key: str, blocks: Iterable[bytes]) -> None:
        place = self.folder / key
        self._make_folder(place.parent)
        unfinished = _beside(place)
        try:
            with unfinished.open("xb") as stream:
                for block in blocks:
                    stream.write(block)
                stream.flush()
                self._share(stream.fileno(), 0o444)
                os.fsync(stream.fileno())
            self._changed(key, lambda: unfinished.replace(place))
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def _walk(self, folder: str) -> Iterator[StoredFile]:
        for place, _, names in os.walk(self.folder / folder, onerror=_raise_unless_gone):
            for name in names:
                with suppress(FileNotFoundError):  # another process may remove it
                    yield self._facts(Path(place, name).relative_to(self.folder).as_posix())

    def _remove(self, key: str) -> None:
        self._changed(key, (self.folder / key).unlink)

    def _changed(self, key: str, change: Callable[[], object]) -> None:
        """Remove or replace a file. Raises EntryRefused where it belongs to another user."""
        try:
            change()
        except PermissionError as problem:
            file, place = self._facts(key), self.place(key)
            if file.owner == user_of(os.geteuid()):
                raise
            what, owner = "a file of another user, which you may not remove or replace", f"it belongs to {file.owner}"
            remedy = f"ask {file.owner} or the keeper of the store to remove it: rm {place}"
            raise EntryRefused(what, where=place, found=owner, remedy=remedy) from problem

    def _make_sticky(self) -> None:
        """Make the folder of the store sticky where others may write to it. Raises StoreUnusable where it cannot."""
        # Otherwise everybody who may write could rename the folders of the store.
        status = self.folder.stat()
        if not status.st_mode & 0o022 or status.st_mode & stat.S_ISVTX:
            return
        try:
            self.folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_ISVTX)
        except PermissionError as problem:
            what = "everybody who may write to the folder could rename and remove what others made"
            remedy = f"its owner, {user_of(status.st_uid)}, can correct this: chmod +t {self.address}"
            raise StoreUnusable(what, where=self.address, expected="a sticky folder", remedy=remedy) from problem

    def _make_folder(self, folder: Path) -> None:
        """Make a folder of the store with the mode of the store's own folder, whatever the umask is."""
        if not folder.is_dir():
            self._check()
            with suppress(FileExistsError):  # another process may be faster
                folder.mkdir()
                self._share(folder, 0o7777, stat.S_ISVTX)

    def _share(self, target: int | Path, mask: int, more: int = 0) -> None:
        """Give a file or a folder the group and the mode of the store's own folder; `mask`: what it takes of these."""
        status = self.folder.stat()
        with suppress(PermissionError):  # a user who is not in the group of the store
            os.chown(target, -1, status.st_gid)
        os.chmod(target, stat.S_IMODE(status.st_mode) & mask | more)  # noqa: PTH101 - a number of an open file too

    def _unusable(self, problem: Exception, where: str) -> StoreUnusable:
        number, error = getattr(problem, "errno", None), explained(problem)
        what = "the disk of the store is full" if number in FULL else error.what if error else str(problem)
        what = "no permission to use the store in this way" if number in RIGHTS_ON else what
        return StoreUnusable(what, where=where, found=getattr(problem, "strerror", None), remedy=REMEDY)


@lru_cache(maxsize=1024)
def user_of(uid: int) -> str:
    """Return the name of a user, or the number where the system knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _beside(place: Path) -> Path:
    return place.with_name(f".{place.name[:DIGITS]}.{uuid.uuid4().hex}{PARTIAL}")


def _raise_unless_gone(problem: OSError) -> None:
    if not isinstance(problem, FileNotFoundError):
        raise problem
