"""The removal from a store of what nobody needs: old artifacts, files that no entry lists, and unfinished files.

Nothing younger than a day is removed but entries, whose age the user states: a process that was killed cannot be told
from one that works. Whoever writes at the same time is kept out by `turns.py`.
"""

import time
from dataclasses import dataclass

from docmt.base.errors import UserError
from docmt.base.manifest import DIGITS
from docmt.store.backend import EntryRefused, StoredFile
from docmt.store.listing import DAY_S, StoreRow, rows_of_store
from docmt.store.store import FILES, Store
from docmt.store.turns import old_marks, removing


@dataclass(frozen=True)
class Garbage:
    """What can be removed from a store.

    `rows`: the entries, which are old or damaged. `files`: the files that no other entry lists. `of_others`: the number
    of entries and files that could go too, but that only other users may remove.
    """

    rows: tuple[StoreRow, ...]
    files: tuple[StoredFile, ...]
    of_others: int

    @property
    def bytes(self) -> int:
        """The size of all files in bytes."""
        return sum(file.bytes for file in (*(row.file for row in self.rows), *self.files))


@dataclass(frozen=True)
class Removed:
    """What was removed. `leftovers`: the number of unfinished files of killed writers."""

    garbage: Garbage
    leftovers: int


def garbage_of(store: Store, older_than: float | None) -> Garbage:
    """Return what can be removed. `older_than`: the age in days of unpinned entries that go too; None = none.

    Raises UserError where a pinned entry is damaged, since it does not say which files it has.
    """
    rows = rows_of_store(store)
    _check_pinned(rows)
    old = [row for row in rows if not row.pins and _is_old(row, older_than)]
    removable = [row for row in old if row.file.is_removable]
    gone = {row.identity for row in removable}
    listed = {
        file.sha256 for row in rows if row.entry and row.identity not in gone for file in row.entry.files.values()
    }
    before = time.time() - DAY_S
    unlisted = [
        file
        for file in store.backend.listed(FILES)
        if file.key.rsplit("/", 1)[-1] not in listed and file.seconds < before
    ]
    files = tuple(file for file in unlisted if file.is_removable)
    return Garbage(tuple(removable), files, len(old) - len(removable) + len(unlisted) - len(files))


def remove_garbage(store: Store, older_than: float | None) -> Removed:
    """Remove what `garbage_of` returns, entries first, so that no entry lists a file that is gone.

    Raises UserError while somebody else writes to the store.
    """
    with removing(store.backend):
        garbage = garbage_of(store, older_than)
        of_others = garbage.of_others
        for file in (*(row.file for row in garbage.rows), *garbage.files, *old_marks(store.backend)):
            try:
                store.backend.remove(file.key)
            except EntryRefused:
                of_others += 1
        leftovers = store.backend.remove_leftovers(DAY_S)
    return Removed(Garbage(garbage.rows, garbage.files, of_others), leftovers)


def _is_old(row: StoreRow, older_than: float | None) -> bool:
    """Return whether an entry may go: it is older than `older_than` days, or damaged for a day."""
    is_older = older_than is not None and row.days > older_than
    return is_older or (row.entry is None and row.days > 1)


def _check_pinned(rows: list[StoreRow]) -> None:
    for row in rows:
        if row.pins and row.problem is not None:
            remedy = f"push the artifact again, or remove the pin: docmt store pin --remove {row.identity[:DIGITS]}"
            what = "a pinned artifact is damaged, and does not say which files it has"
            raise UserError(what, where=row.problem.where, found=row.problem.what, remedy=remedy)
