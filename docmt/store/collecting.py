"""The removal from a store of what nobody needs: old artifacts, files that no entry lists, and unfinished files.

Nothing younger than a day is removed but entries, whose age the user states. This keeps the files of somebody who is
pushing: a push writes all of its files, also those that are there, and then the entry, so that within a day its files
are young or listed. Files are listed before the entries are read, and the age of each is looked at again when it is
removed. What goes wrong all the same, as with an old file of another user that a push cannot write again, is mended: an
entry whose file is missing is refused by whoever pulls it, and the next push of the artifact writes the file.
"""

import time
from dataclasses import dataclass

from docmt.store.backend import EntryRefused, StoredFile
from docmt.store.listing import DAY_S, StoreRow, rows_of_store
from docmt.store.store import FILES, Store


@dataclass(frozen=True)
class Garbage:
    """What can be removed from a store, or was removed.

    `rows`: the entries, which are old or damaged. `files`: the files that no other entry lists. `of_others`: the number
    of entries and files that could go too, but that only other users may remove. `leftovers`: the number of unfinished
    files of killed writers that were removed.
    """

    rows: tuple[StoreRow, ...]
    files: tuple[StoredFile, ...]
    of_others: int
    leftovers: int = 0

    @property
    def bytes(self) -> int:
        """The size of all files in bytes."""
        return sum(file.bytes for file in (*(row.file for row in self.rows), *self.files))


def garbage_of(store: Store, older_than: float | None) -> Garbage:
    """Return what can be removed. `older_than`: the age in days of entries that go too; None = none."""
    before = time.time() - DAY_S
    # The files first: an entry that is written meanwhile is then read.
    files = [file for file in store.backend.listed(FILES) if file.seconds < before]
    rows = rows_of_store(store)
    old = [row for row in rows if _is_old(row, older_than)]
    removable = [row for row in old if row.file.is_removable]
    gone = {row.identity for row in removable}
    there = [row.entry for row in rows if row.entry and row.identity not in gone]
    listed = {file.sha256 for entry in there for file in entry.files.values()}
    unlisted = [file for file in files if file.key.rsplit("/", 1)[-1] not in listed]
    removable_files = tuple(file for file in unlisted if file.is_removable)
    return Garbage(tuple(removable), removable_files, len(old) - len(removable) + len(unlisted) - len(removable_files))


def remove_garbage(store: Store, older_than: float | None) -> Garbage:
    """Remove what `garbage_of` returns, entries first, so that no entry lists a file that is gone; return it."""
    garbage = garbage_of(store, older_than)
    of_others = garbage.of_others
    for file in (*(row.file for row in garbage.rows), *garbage.files):
        try:
            store.backend.remove(file.key, unless_since=file.seconds)
        except EntryRefused:
            of_others += 1
    return Garbage(garbage.rows, garbage.files, of_others, store.backend.remove_leftovers(DAY_S))


def _is_old(row: StoreRow, older_than: float | None) -> bool:
    """Return whether an entry may go: it is older than `older_than` days, or damaged for a day."""
    is_older = older_than is not None and row.days > older_than
    return is_older or (row.entry is None and row.days > 1)
