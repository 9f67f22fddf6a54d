"""What a place must be able to do to hold a store: files under keys, each written once and whole.

A key is a path of plain names with `/` between them. A file appears under its key only when all of its bytes are there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docmt.base.errors import UserError
from docmt.base.manifest import DIGITS

LARGEST_READ = 2**24
"""The largest number of bytes of a file that is read as a whole, such as an entry; the largest corpora have some MB."""


class StoreUnusable(UserError):
    """The store as a whole cannot be used: it is gone, full, not to be written to, or of another version."""


class EntryRefused(UserError):
    """An entry of the store, or a file of it, is not what its identity says; the rest of the store can be used."""


class EntryUntrusted(EntryRefused):
    """Nobody whom the site trusts has signed an entry; nothing else is wrong with it, so that it is not replaced."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a store. `seconds`: when it was written, in seconds since 1970. `owner`: who wrote it, if known.

    `is_removable`: whether this user may remove it, as far as that is known.
    """

    key: str
    bytes: int
    seconds: float
    owner: str | None = None
    is_removable: bool = True


class Backend(Protocol):
    """A place that holds a store.

    All methods raise `StoreUnusable` where the place cannot be reached, read or written to.
    """

    address: str
    """The address of the place, as the user states it."""

    def read(self, key: str) -> bytes | None:
        """Return the content of a small file; None where there is none.

        Raises EntryRefused for a file of more than `LARGEST_READ` bytes, of which nothing is read.
        """

    def size(self, key: str) -> int | None:
        """Return the number of bytes of a file; None where there is none, and -1 for what is no plain file."""

    def create(self, key: str, data: bytes) -> bool:
        """Write a small file that nobody changes later; return whether it was written, and not there before."""

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file into the store, in the place of an older one. Raises UserError for another digest than `sha256`.

        Where another user has written the older one and it cannot be replaced, it stays if it has the same size.
        A machine that loses its power may lose the file, until `settle` has returned.
        """

    def settle(self) -> None:
        """Wait until the files of earlier uploads are on the disk, so that an entry can list them."""

    def download(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file of the store to a path that does not exist.

        Raises EntryRefused where the file is missing, or has not the digest `sha256`; nothing is then at the path.
        """

    def listed(self, prefix: str) -> Iterator[StoredFile]:
        """Yield the files below a folder such as `entries` (empty = all); unfinished files are left out."""

    def remove(self, key: str, unless_since: float | None = None) -> None:
        """Remove a file; do nothing where there is none, or where it was written after `unless_since`.

        Raises EntryRefused for a file of another user.
        """

    def remove_leftovers(self, older_than_seconds: float) -> int:
        """Remove what writers that were killed have left, if it is older; return the number of unfinished files."""

    def prepare(self, folders: Iterable[str]) -> None:
        """Make the folders of a new store, where the place has folders."""


def check_file(path: Path | str, actual: str, sha256: str) -> None:
    """Raise UserError unless the digest of a file here is the one of its manifest."""
    if actual != sha256:
        what = "the file differs from its manifest"
        raise UserError(what, where=str(path), found=actual[:DIGITS], expected=sha256[:DIGITS])


def check_small(place: str, size: int) -> None:
    """Raise EntryRefused for a file that is too large to be read as a whole."""
    if size > LARGEST_READ:
        expected = f"at most {LARGEST_READ:,} bytes"
        raise EntryRefused("too large for a file of this kind", where=place, found=f"{size:,} bytes", expected=expected)


def check_stored(place: str, actual: str, sha256: str) -> None:
    """Raise EntryRefused unless the digest of a file of a store is the one that its name states."""
    if actual != sha256:
        what = "a file of the store has other bytes than its name says"
        raise EntryRefused(what, where=place, found=actual[:DIGITS], expected=sha256[:DIGITS])
