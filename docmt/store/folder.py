"""A store in a folder that several users share.

Files are written beside and linked to their names, so that a name never has half a file, and the first of several
writers wins. They are read-only and belong to their maker; the folders are sticky, so that nobody else removes or
replaces them. The folder of the store, as the site has made it, says by its mode who may read and write.
"""

import os
import pwd
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from docmt.base.foreign import FULL, RIGHTS_ON, explained
from docmt.base.manifest import DIGITS
from docmt.store.backend import EntryRefused, StoredFile, StoreUnusable, check_file, check_stored
from docmt.store.copying import copy

PARTIAL = ".part"
"""The ending of the name of a file that is being written; a killed process leaves such a file."""
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
                return self._path(key).read_bytes()
            except FileNotFoundError:
                self._check_folder()
                return None

    def size(self, key: str) -> int | None:
        """Return the number of bytes of a file; None where there is none."""
        with self._usable(key):
            try:
                return self._path(key).stat().st_size
            except FileNotFoundError:
                self._check_folder()
                return None

    def create(self, key: str, data: bytes) -> bool:
        """Write a file that nobody changes later; return whether it was written, and not there before."""
        with self._usable(key), self._partial(key) as (stream, partial):
            stream.write(data)
            return self._seal(stream, partial, self._path(key))

    def replace(self, key: str, data: bytes) -> None:
        """Write a file, in the place of an older one where there is one."""
        with self._usable(key), self._partial(key) as (stream, partial):
            stream.write(data)
            self._finish(stream)
            partial.replace(self._path(key))

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file into the store. Raises UserError where the file has not the digest `sha256`."""
        with path.open("rb", buffering=0) as source, self._usable(key), self._partial(key) as (stream, partial):
            actual = copy(source, stream)
            check_file(path, actual, sha256)
            self._seal(stream, partial, self._path(key))

    def download(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file of the store to a path that does not exist, if it has the digest `sha256`."""
        with self._usable(key):
            try:
                source = self._path(key).open("rb", buffering=0)
            except FileNotFoundError:
                self._check_folder()
                raise EntryRefused("a file of an entry is missing", where=self._name(key)) from None
        with source, path.open("xb", buffering=0) as target:
            actual = copy(source, target)
        if actual != sha256:
            path.unlink()
        check_stored(self._name(key), actual, sha256)

    def listed(self, prefix: str) -> Iterator[StoredFile]:
        """Yield the files below the folder `prefix`."""
        with self._usable(prefix):
            for path in sorted(self._path(prefix).rglob("*")):
                if path.name.endswith(PARTIAL) or not path.is_file():
                    continue
                status = path.stat()
                key = path.relative_to(self.folder).as_posix()
                yield StoredFile(key, status.st_size, status.st_mtime, user_of(status.st_uid))

    def remove(self, key: str) -> None:
        """Remove a file; do nothing where there is none."""
        with self._usable(key):
            self._check_folder()
            self._path(key).unlink(missing_ok=True)

    def remove_leftovers(self, older_than_seconds: float) -> int:
        """Remove files of killed writers that are older, and that this user may remove; return their number."""
        latest, removed = time.time() - older_than_seconds, 0
        with self._usable(""):
            self._check_folder()
            for path in self.folder.rglob(f"*{PARTIAL}"):
                # The writer may finish meanwhile, and only the maker of a file may remove it.
                with suppress(FileNotFoundError, PermissionError):
                    if path.stat().st_mtime <= latest:
                        path.unlink()
                        removed += 1
        return removed

    def _path(self, key: str) -> Path:
        return self.folder / key

    def _name(self, key: str) -> str:
        """Return the place of a file for messages."""
        return str(self._path(key))

    def _check_folder(self) -> None:
        """Raise StoreUnusable where the whole folder is gone, so that a missing file says nothing."""
        if not self.folder.is_dir():
            what, remedy = "the folder of the store is not there", f"{REMEDY}; to begin a store: mkdir {self.address}"
            raise StoreUnusable(what, where=self.address, remedy=remedy)

    @contextmanager
    def _partial(self, key: str) -> Iterator[tuple[BinaryIO, Path]]:
        """Open a file beside the place of a key for writing; remove it at the end where it was not renamed."""
        place = self._path(key)
        self._make_folder(place.parent)
        partial = place.with_name(f".{place.name[:DIGITS]}.{uuid.uuid4().hex}{PARTIAL}")
        try:
            with partial.open("xb", buffering=0) as stream:
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
        with suppress(FileExistsError):
            folder.mkdir()
            folder.chmod(stat.S_IMODE(self.folder.stat().st_mode) | stat.S_ISVTX)

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

    def _finish(self, stream: BinaryIO) -> None:
        """Make a file read-only for those who may read the store, and wait until its bytes are on the disk."""
        os.fchmod(stream.fileno(), stat.S_IMODE(self.folder.stat().st_mode) & 0o444)
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


def user_of(uid: int) -> str:
    """Return the name of a user, or the number where the system knows no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
