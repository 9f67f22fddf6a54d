"""What a store has: a row for each entry, on which its lists, its check and the removal of what nobody needs are built.

Nothing younger than a day is removed but entries, whose age the user states. This keeps the files of somebody who is
pushing: a push writes all of its files, also those that are there, and then the entry, so that within a day its files
are young or listed. Files are listed before the entries are read, and the age of each is looked at again when it is
removed. What goes wrong all the same, as with an old file of another user that a push cannot write again, is mended: an
entry whose file is missing is refused by whoever pulls it, and the next push of the artifact writes the file.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.base.untrusted import is_sha256
from docmt.store.backend import EntryRefused, StoredFile, StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.signatures import Signatures
from docmt.store.store import ENTRIES, FILES, Store, file_key

AT_ONCE = 16  # The number of entries that are read at the same time.
DAY_S = 86_400.0
# The identity of a damaged artifact, the name of the file if it is one, and what is wrong.
Damage = tuple[str, str, UserError]
FEWEST_DIGITS = 4  # The smallest number of digits by which an artifact is named.


@dataclass(frozen=True)
class StoreRow:
    """An entry of a store with what the store knows of it."""

    file: StoredFile  # The file of the entry.
    entry: StoreEntry | None  # None where it is damaged; `problem` then says how.
    problem: UserError | None = None
    signers: tuple[str, ...] = ()  # Who has signed its bytes.

    @property
    def identity(self) -> str:
        """The identity under which the entry is."""
        return self.file.name

    @property
    def maker(self) -> str:
        """Who gave the artifact: the owner of the file; `-` in a bucket, where files have no owners."""
        return self.file.owner or "-"

    @property
    def days(self) -> float:
        """The age in days."""
        return max(0.0, time.time() - self.file.seconds) / DAY_S

    @property
    def place(self) -> str:
        """The place of the artifact below `results/`."""
        return self.entry.place.removeprefix(f"{RESULTS}/") if self.entry else "damaged"

    def to_json(self) -> dict[str, Any]:
        """Return the facts of a line of a list."""
        return {
            "identity": self.identity,
            "step": self.entry.step if self.entry else None,
            "place": self.place,
            "bytes": self.entry.bytes if self.entry else None,
            "maker": self.maker,
            "days": round(self.days, 3),
            "signed_by": list(self.signers),
            "problem": str(self.problem) if self.problem else None,
        }


def rows_of_store(store: Store, names: Iterable[str] | None = None) -> list[StoreRow]:
    """Return the entries of a store, the newest first. `names`: the first digits of those that are read (None = all).

    Raises StoreUnusable where nobody has begun the store, and UserError unless each name is that of one artifact.
    """
    if not store.check():
        raise StoreUnusable("nobody has pushed anything to this store yet", where=store.address)
    files = {file.name: file for file in store.backend.listed(ENTRIES) if is_sha256(file.name)}
    chosen = files if names is None else [_named(name, files) for name in names]
    signatures = store.trusted or Signatures(store.backend)

    def row(identity: str) -> StoreRow:
        try:
            entry = store.stored(identity)
        except EntryRefused as problem:
            return StoreRow(files[identity], None, problem)
        return StoreRow(files[identity], entry, None, tuple(signatures.signers(entry)) if entry else ())

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = [*pool.map(row, chosen)]
    # An entry that was removed while they were read is no entry any more.
    there = [row for row in rows if row.entry is not None or row.problem is not None]
    return sorted(there, key=lambda row: (-row.file.seconds, row.identity))


def facts_of(store: Store, row: StoreRow) -> dict[str, Any]:
    """Return what an artifact is, how it was made, with which settings, from what, and who says so."""
    entry = row.entry
    if entry is None:
        raise row.problem or EntryRefused("the store no longer has this artifact", where=store.place(row.identity))
    return {
        **row.to_json(),
        **{key: entry.asked.get(key) for key in ("version", "settings", "libraries")},
        **{key: entry.record.get(key) for key in ("finished", "seconds", "device_hours", "hardware", "commit")},
        "content": entry.content,
        "inputs": {role: content.identity for role, content in entry.manifest.inputs.items()},
        "files": {name: file.bytes for name, file in sorted(entry.files.items())},
    }


def usage_of(store: Store) -> dict[str, Any]:
    """Return the bytes of a store.

    `bytes`: of all files, each once. `shared`: what is spared since files that several artifacts have are there once.
    `unlisted`: of the files that no entry lists. `by_step`: the bytes of the artifacts of each step.
    """
    rows = rows_of_store(store)
    there = {file.name: file.bytes for file in store.backend.listed(FILES)}
    listed, by_step = _listed(rows), Counter[str]()
    for row in rows:
        for file in row.entry.files.values() if row.entry else ():
            by_step[row.entry.step] += file.bytes
    return {
        "artifacts": len(rows),
        "bytes": sum(there.values()),
        "shared": by_step.total() - sum(listed.values()),
        "unlisted": sum(size for sha256, size in there.items() if sha256 not in listed),
        "by_step": dict(by_step.most_common()),
    }


def damages(store: Store, rows: Iterable[StoreRow], tell: Callable[[str], None]) -> Iterator[Damage]:
    """Yield what is damaged, missing or of another identity; a file of several artifacts is read once.

    `tell` gets a line for each artifact that was read.
    """

    @cache
    def problem_of(sha256: str, size: int) -> UserError | None:
        try:
            for _ in store.backend.blocks(file_key(sha256), FileDigest(sha256, size)):
                pass
        except EntryRefused as problem:
            return problem
        return None

    for row in rows:
        if row.problem is not None:
            yield row.identity, "", row.problem
        if row.entry is not None:
            problems = {name: problem_of(file.sha256, file.bytes) for name, file in row.entry.files.items()}
            yield from ((row.identity, name, problem) for name, problem in problems.items() if problem)
            tell(f"{row.identity}: {row.entry.place}, {len(problems)} files")


def garbage_of(store: Store, older_than: float | None) -> tuple[list[StoreRow], list[StoredFile]]:
    """Return what this user can remove: old and damaged entries, the files that no other entry lists, and leftovers.

    `older_than`: the age in days of entries that go too; None = none.
    """
    before = time.time() - DAY_S
    # The files first: an entry that is written meanwhile is then read. A killed writer may leave half of an entry too.
    half = (file for file in store.backend.listed(ENTRIES) if file.name.startswith("."))
    files = [file for file in (*store.backend.listed(FILES), *half) if file.seconds < before and file.is_removable]
    rows = rows_of_store(store)
    least = float("inf") if older_than is None else older_than
    old = [row for row in rows if row.days > (least if row.entry else min(1, least)) and row.file.is_removable]
    gone = {row.identity for row in old}
    listed = _listed(row for row in rows if row.identity not in gone)
    return old, [file for file in files if file.name not in listed]


def remove_garbage(store: Store, files: Iterable[StoredFile]) -> None:
    """Remove files, those of entries first, so that no entry lists a file that is gone."""
    for file in files:
        present = store.backend.facts(file.key)
        # What was written again since it was listed stays.
        if present is not None and present.seconds <= file.seconds:
            store.backend.remove(file.key)


def _named(name: str, known: Iterable[str]) -> str:
    """Return the identity that begins with some digits. Raises UserError unless it is one."""
    fits = [identity for identity in known if identity.startswith(name)] if len(name) >= FEWEST_DIGITS else []
    if len(fits) != 1:
        expected = f"the first digits of one identity, at least {FEWEST_DIGITS}"
        what = f"{'several' if fits else 'no'} identities in the store begin with these digits"
        raise UserError(what, where="IDENTITY", found=name, expected=expected)
    return fits[0]


def _listed(rows: Iterable[StoreRow]) -> dict[str, int]:
    return {file.sha256: file.bytes for row in rows if row.entry for file in row.entry.files.values()}
