"""A store in a folder that several users share.

Files are written beside and linked to their names, so that a name never has half a file, and the first of several
writers wins. They are read-only and belong to their maker. The folder of the store, as the site has made it, says by
its mode who may read and write.

In a sticky folder, a file can be removed, renamed or replaced by its owner, by the owner of the folder, and by root.
The person who begins the store therefore makes all of its folders, and is its keeper: the keeper can remove every file,
and everybody else only the own files.
"""

import errno
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from docmt.base.foreign import FULL, RIGHTS_ON, explained
from docmt.base.manifest import DIGITS
from docmt.store.backend import EntryRefused, StoredFile, StoreUnusable, check_file, check_small, check_stored
from docmt.store.copying import copy, write_whole
from docmt.store.file_system import PARTIAL, files_below, status_of, user_of, write_to_disk

NO_FILE = -1
"""The size of what is no plain file: that of no file, so that it counts as damaged."""
REMEDY = "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off"


class FolderBackend:
    """The files of a store below a folder."""

    def __init__(self, address: str) -> None:
        """Use the folder `address`, which the site has made: its mode says who may use the store."""
        self.address, self.folder = address, Path(address)

    def read(self, key: str) -> bytes | None:
        """Return the content of a file; None where there is none."""
        with self._usable(key):
            try:
                with self._plain_file(key) as stream:
                    check_small(self._name(key), os.fstat(stream.fileno()).st_size)
                    return stream.read()
            except (FileNotFoundError, NotADirectoryError):
                self._check_folder()
                return None

    def size(self, key: str) -> int | None:
        """Return the number of bytes of a file; None where there is none."""
        with self._usable(key):
            try:
                status = self._path(key).lstat()
                return status.st_size if stat.S_ISREG(status.st_mode) else NO_FILE
            except (FileNotFoundError, NotADirectoryError):
                self._check_folder()
                return None

    def create(self, key: str, data: bytes) -> bool:
        """Write a file that nobody changes later; return whether it was written, and not there before."""
        with self._usable(key), self._partial(key) as (stream, partial):
            write_whole(stream, data)
            return self._seal(stream, partial, self._path(key))

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file into the store. Raises UserError where the file has not the digest `sha256`."""
        place = self._path(key)
        with path.open("rb", buffering=0) as source, self._usable(key), self._partial(key) as (stream, partial):
            check_file(path, copy(source, stream), sha256)
            self._finish(stream, is_awaited=False)
            try:
                partial.replace(place)
            except PermissionError:
                status = place.lstat()
                if status.st_size != partial.stat().st_size or not stat.S_ISREG(status.st_mode):
                    raise self._refused_removal(key, status.st_uid) from None

    def settle(self) -> None:
        """Wait until the files of earlier uploads are on the disk."""
        with self._usable(""):
            write_to_disk(self.folder)

    def download(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file of the store to a path that does not exist, if it has the digest `sha256`."""
        with self._usable(key):
            try:
                source = self._plain_file(key)
            except FileNotFoundError:
                self._check_folder()
                raise EntryRefused("a file of an entry is missing", where=self._name(key)) from None
        with source, path.open("x+b", buffering=0) as target, self._copying(key, path):
            actual = copy(source, target)
        if actual != sha256:
            path.unlink()
        check_stored(self._name(key), actual, sha256)

    def listed(self, prefix: str) -> Iterator[StoredFile]:
        """Yield the files below the folder `prefix`."""
        with self._usable(prefix):
            self._check_folder()
            for path in files_below(self._path(prefix)):
                status = status_of(path)
                if status is not None and not path.name.endswith(PARTIAL):
                    key = path.relative_to(self.folder).as_posix()
                    is_removable = os.geteuid() in (0, status.st_uid, path.parent.stat().st_uid)
                    owner = user_of(status.st_uid)
                    yield StoredFile(key, status.st_size, status.st_mtime, owner, is_removable)

    def remove(self, key: str, unless_since: float | None = None) -> None:
        """Remove a file; do nothing where there is none, or where it was written after `unless_since`."""
        with self._usable(key):
            self._check_folder()
            status = status_of(self._path(key))
            if status is not None and unless_since is not None and status.st_mtime > unless_since:
                return
            try:
                self._path(key).unlink(missing_ok=True)
            except PermissionError as problem:
                if status is None or status.st_uid == os.geteuid():
                    raise
                raise self._refused_removal(key, status.st_uid) from problem

    def remove_leftovers(self, older_than_seconds: float) -> int:
        """Remove files of killed writers that are older, and that this user may remove; return their number."""
        latest, removed = time.time() - older_than_seconds, 0
        with self._usable(""):
            self._check_folder()
            for path in sorted(self.folder.rglob(f".*{PARTIAL}"), reverse=True):
                # The writer may finish meanwhile, and only the maker of a file may remove it.
                with suppress(FileNotFoundError, PermissionError):
                    if path.lstat().st_mtime <= latest:
                        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
                        removed += 1
        return removed

    def prepare(self, folders: Iterable[str]) -> None:
        """Make the folders of a new store, so that all of them belong to the user who begins it."""
        with self._usable(""):
            self._check_folder()
            self._make_sticky()
            trees: dict[str, list[str]] = {}
            for folder in folders:
                trees.setdefault(folder.split("/")[0], []).append(folder)
            for top, below in trees.items():
                if not self._path(top).exists():
                    self._make_tree(top, below)

    def _path(self, key: str) -> Path:
        return self.folder / key

    def _name(self, key: str) -> str:
        """Return the place of a file for messages."""
        return str(self._path(key))

    def _check_folder(self) -> None:
        """Raise StoreUnusable where the whole folder is gone, so that a missing file says nothing."""
        if not self.folder.is_dir():
            is_other = self.folder.exists()
            what = "a file, and no folder of a store" if is_other else "the folder of the store is not there"
            remedy = REMEDY if is_other else f"{REMEDY}; to begin a store: mkdir {self.address}"
            raise StoreUnusable(what, where=self.address, remedy=remedy)

    @contextmanager
    def _copying(self, key: str, path: Path) -> Iterator[None]:
        """Remove a file here whose copy fails in the block; say whether this disk is full, or the store is gone."""
        try:
            yield
        except OSError as problem:
            path.unlink(missing_ok=True)
            if problem.errno in (*FULL, errno.EFBIG):
                problem.filename = str(path)
                raise
            with self._usable(key):
                raise

    def _plain_file(self, key: str) -> BinaryIO:
        """Open a file for reading. Raises EntryRefused for a link or a device, which a reader must not follow."""
        try:
            handle = os.open(self._path(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENXIO):
                raise EntryRefused("a link or a device, and no plain file", where=self._name(key)) from problem
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise EntryRefused("a link or a device, and no plain file", where=self._name(key))
        return os.fdopen(handle, "rb", buffering=0)

    def _refused_removal(self, key: str, uid: int) -> EntryRefused:
        """Return the error about a file that belongs to another user."""
        keeper = self._path(key).parent.stat().st_uid
        others = f" or {user_of(keeper)}, the keeper of the store," if keeper != uid else ""
        return EntryRefused(
            "a file of another user, which you may not remove or replace",
            where=self._name(key),
            found=f"it belongs to {user_of(uid)}",
            remedy=f"ask {user_of(uid)}{others} to remove it: rm {self._name(key)}",
        )

    def _make_sticky(self) -> None:
        """Make the folder of the store sticky where others may write to it.

        Raises StoreUnusable where this user may not do so: everybody could rename the folders of the store.
        """
        status = self.folder.stat()
        if not status.st_mode & 0o022 or status.st_mode & stat.S_ISVTX:
            return
        try:
            self.folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_ISVTX)
        except PermissionError as problem:
            what = "everybody who may write to the folder could rename and remove what others made"
            remedy = f"its owner, {user_of(status.st_uid)}, can correct this: chmod +t {self.address}"
            raise StoreUnusable(what, where=self.address, expected="a sticky folder", remedy=remedy) from problem

    def _make_tree(self, top: str, folders: Iterable[str]) -> None:
        """Make a folder with its subfolders, which appear together: they have one owner also after a kill."""
        temporary = self.folder / f".{top}.{uuid.uuid4().hex}{PARTIAL}"
        self._make_folder(temporary)
        for folder in folders:
            self._make_folder(temporary / Path(folder).relative_to(top))
        try:
            temporary.rename(self.folder / top)
        except OSError:
            shutil.rmtree(temporary, ignore_errors=True)
            if not self._path(top).is_dir():
                raise

    @contextmanager
    def _partial(self, key: str) -> Iterator[tuple[BinaryIO, Path]]:
        """Open a file beside the place of a key for writing; remove it at the end where it was not renamed."""
        place = self._path(key)
        self._make_folder(place.parent)
        partial = place.with_name(f".{place.name[:DIGITS]}.{uuid.uuid4().hex}{PARTIAL}")
        try:
            with partial.open("x+b", buffering=0) as stream:
                yield stream, partial
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        """Make a folder of the store with the mode of the store's own folder, whatever the umask of this user is."""
        if folder.is_dir():
            return
        if folder == self.folder:
            self._check_folder()
        self._make_folder(folder.parent)
        status = self.folder.stat()
        with suppress(FileExistsError):
            folder.mkdir()
            with suppress(PermissionError):  # a user who is not in the group of the store
                os.chown(folder, -1, status.st_gid)
            folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_ISVTX)

    def _seal(self, stream: BinaryIO, partial: Path, place: Path) -> bool:
        """Give a finished file its name, unless the name is there already; return whether it got the name."""
        self._finish(stream)
        try:
            os.link(partial, place)
        except FileExistsError:
            return False
        except OSError:  # a file system without links: the last whole file wins
            partial.replace(place)
        return True

    def _finish(self, stream: BinaryIO, is_awaited: bool = True) -> None:
        """Make a file read-only for those who may read the store; `is_awaited`: wait until it is on the disk."""
        status = self.folder.stat()
        with suppress(PermissionError):  # a user who is not in the group of the store
            os.fchown(stream.fileno(), -1, status.st_gid)
        os.fchmod(stream.fileno(), stat.S_IMODE(status.st_mode) & 0o444)
        if is_awaited:
            os.fsync(stream.fileno())

    @contextmanager
    def _usable(self, key: str) -> Iterator[None]:
        """Raise StoreUnusable for an error of the file system in the block."""
        try:
            yield
        except OSError as problem:
            error = explained(problem)
            what = error.what if error else str(problem)
            if problem.errno in FULL:
                what = "the disk of the store is full"
            elif problem.errno in RIGHTS_ON:
                what = "no permission to use the store in this way"
            raise StoreUnusable(what, where=self._name(key), found=problem.strerror, remedy=REMEDY) from problem
