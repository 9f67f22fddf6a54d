"""A place that holds a store: files under keys, each written once and whole.

A key is the name of a file, or a folder and a name with `/` between them. A file appears under its key only when all of
its bytes are there; of two writers at the same moment the last one wins, with a whole file. A kind of place has the
methods whose names begin with `_`, which raise what the system or a library raises, FileNotFoundError where a file is
not there; all others are built on these, once.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, ClassVar, Protocol, TypeVar

from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.foreign import naming
from docmt.base.manifest import DIGITS

T = TypeVar("T")
# The largest number of bytes of a file that is read as a whole, such as an entry; the largest corpora have some MB.
LARGEST_READ = 2**24
PART = 16 << 20  # The number of bytes that are copied at once; larger objects than this are sent and fetched in parts.
REMEDY = "name a store that can be used (`store` in config.yaml), or go on without one: --config store_mode=off"


class StoreUnusable(UserError):
    """The store as a whole cannot be used: it is gone, full, not to be written to, or of another version."""


class EntryRefused(UserError):
    """An entry of the store, or a file of it, is not what its identity says; the rest of the store can be used."""


class EntryUntrusted(EntryRefused):
    """Nobody whom the site trusts has signed an entry; nothing else is wrong with it, so that it is not replaced."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a store. `seconds`: when it was written, in seconds since 1970. `owner`: who wrote it, if known."""

    key: str
    bytes: int  # -1 for what is no plain file.
    seconds: float
    owner: str | None = None
    is_removable: bool = True  # Whether this user may remove it, as far as that is known.

    @property
    def name(self) -> str:
        """The name without the folder: the identity of an entry, the digest of another file."""
        return self.key.rpartition("/")[2]


class Backend(Protocol):
    """A place that holds a store. All methods raise StoreUnusable where it cannot be reached, read or written to."""

    address: str
    """The address of the place, as the user states it."""
    errors: ClassVar[tuple[type[Exception], ...]] = (OSError,)
    """The exceptions that say something of the place."""

    def place(self, key: str) -> str:
        """Return the place of a file for messages."""
        return f"{self.address.rstrip('/')}/{key}"

    def read(self, key: str) -> bytes | None:
        """Return the content of a small file, or None. Raises EntryRefused for more than `LARGEST_READ` bytes."""
        data = self._or_none(key, partial(self._read, key))
        if data is not None and len(data) > LARGEST_READ:
            what, expected = "too large for a file of this kind", f"at most {LARGEST_READ:,} bytes"
            raise EntryRefused(what, where=self.place(key), expected=expected)
        return data

    def facts(self, key: str) -> StoredFile | None:
        """Return what is known of a file; None where there is none."""
        return self._or_none(key, partial(self._facts, key))

    def create(self, key: str, data: bytes) -> bool:
        """Write a small file that nobody changes later; return whether it was written, and not there before."""
        with self._usable(key):
            is_new = self.facts(key) is None
            if is_new:
                self._write(key, [data])
            return is_new

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file into the store, in the place of an older one. Raises UserError for another digest."""
        older = self.facts(key)
        # An older one of another user stays if it has the same size.
        if older is not None and not older.is_removable and older.bytes == path.stat().st_size:
            return
        other = partial(UserError, "the file differs from its manifest", where=str(path))
        with path.open("rb") as source, self._usable(key):
            self._write(key, checked(parts_of(source), sha256, other))

    def blocks(self, key: str, file: FileDigest) -> Iterator[bytes]:
        """Yield a file of the store in parts. Raises EntryRefused where it is missing or has other bytes."""
        other = partial(EntryRefused, "a file of the store has other bytes than its name says", where=self.place(key))
        return checked(self._parts(key, file.bytes), file.sha256, other)

    def download(self, key: str, path: Path, file: FileDigest) -> None:
        """Copy a file of the store to a path. Raises EntryRefused as `blocks` does; nothing is then at the path."""
        path.unlink(missing_ok=True)
        try:
            with naming(path), path.open("xb") as target:
                for block in self.blocks(key, file):
                    target.write(block)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def listed(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files below a folder such as `entries` (empty = all), also what killed writers have left."""
        with self._usable(folder):
            self._check()
            yield from self._walk(folder)

    def remove(self, key: str) -> None:
        """Remove a file; do nothing where there is none. Raises EntryRefused for a file of another user."""
        self._or_none(key, partial(self._remove, key))

    def prepare(self, folders: Iterable[str]) -> None:
        """Make the folders of a new store, where the place has folders."""

    def _check(self) -> None:
        """Raise where the place itself is gone, so that a missing file says nothing."""

    def _read(self, key: str) -> bytes:
        """Return the content of a file, of which no more is read than shows that it is too large."""
        stream, _ = self._open(key)
        with stream:
            return stream.read(LARGEST_READ + 1)

    def _open(self, key: str) -> tuple[BinaryIO, int]:
        """Open a file for reading, and return its size too."""

    def _facts(self, key: str) -> StoredFile:
        """Return what is known of a file."""

    def _write(self, key: str, blocks: Iterable[bytes]) -> None:
        """Write a file, which appears when all blocks are there, in the place of an older one."""

    def _walk(self, folder: str) -> Iterator[StoredFile]:
        """Yield the files below a folder."""

    def _remove(self, key: str) -> None:
        """Remove a file."""

    def _unusable(self, problem: Exception, where: str) -> StoreUnusable:
        """Return the message about an exception of the system or a library."""

    @contextmanager
    def _usable(self, key: str) -> Iterator[None]:
        """Raise StoreUnusable for an exception of the place in the block."""
        try:
            yield
        except UserError:
            raise
        except self.errors as problem:
            raise self._unusable(problem, self.place(key)) from problem

    def _or_none(self, key: str, ask: Callable[[], T]) -> T | None:
        """Return an answer of the place; None where the file is not there although the place is."""
        with self._usable(key):
            try:
                return ask()
            except (FileNotFoundError, NotADirectoryError):
                self._check()
                return None

    def _parts(self, key: str, size: int) -> Iterator[bytes]:
        opened = self._or_none(key, partial(self._open, key))
        if opened is None:
            raise EntryRefused("a file of an entry is missing", where=self.place(key))
        with self._usable(key), opened[0] as source:
            if opened[1] != size:
                what = "a file of an entry has another size"
                raise EntryRefused(what, where=self.place(key), found=f"{opened[1]:,} bytes", expected=f"{size:,}")
            yield from parts_of(source)


def parts_of(source: BinaryIO) -> Iterator[bytes]:
    """Yield an open file in parts."""
    while part := source.read(PART):
        yield part


def checked(blocks: Iterable[bytes], sha256: str, other: Callable[..., UserError]) -> Iterator[bytes]:
    """Yield blocks of bytes; at the end raise the error `other` where all together have another digest."""
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
        yield block
    if digest.hexdigest() != sha256:
        raise other(found=digest.hexdigest()[:DIGITS], expected=sha256[:DIGITS])
