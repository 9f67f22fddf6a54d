"""What a store has: a row for each entry, and facts about one of them."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.store.backend import EntryRefused, StoredFile
from docmt.store.chosen import all_entries
from docmt.store.entries import StoreEntry
from docmt.store.signatures import Signatures
from docmt.store.store import Store, file_key

AT_ONCE = 16
"""The number of entries that are read at the same time."""
DAY_S = 86_400.0


@dataclass(frozen=True)
class StoreRow:
    """An entry of a store with what the store knows of it.

    `entry`: None where it is damaged; `problem` then says how. `file`: the file of the entry. `signers`: who has signed
    its bytes.
    """

    identity: str
    file: StoredFile
    entry: StoreEntry | None
    problem: UserError | None
    signers: tuple[str, ...] = ()

    @property
    def maker(self) -> str:
        """Who gave the artifact: the owner of the file where files have owners, else whom the entry names, if anybody.

        It is `-` for nobody.
        """
        stated = self.entry.maker.get("user") if self.entry else None
        return self.file.owner or stated or "-"

    @property
    def days(self) -> float:
        """The age in days."""
        return max(0.0, time.time() - self.file.seconds) / DAY_S

    @property
    def step(self) -> str:
        """The step of the job; `?` where the entry is damaged."""
        return self.entry.step if self.entry else "?"

    @property
    def place(self) -> str:
        """The place of the artifact below `results/`."""
        return self.entry.place.removeprefix(f"{RESULTS}/") if self.entry else "damaged"

    def fits(self, text: str | None, maker: str | None) -> bool:
        """Return whether a text is in the place of the artifact, and whether a person gave it; None = any."""
        return (text is None or text in self.place) and maker in (None, self.maker)

    def to_json(self) -> dict[str, Any]:
        """Return the facts of a line of a list."""
        return {
            "identity": self.identity,
            "step": self.step,
            "place": self.place,
            "bytes": self.entry.bytes if self.entry else None,
            "maker": self.maker,
            "days": round(self.days, 3),
            "signed_by": list(self.signers),
            "problem": str(self.problem) if self.problem else None,
        }


def rows_of_store(store: Store) -> list[StoreRow]:
    """Return all entries of a store, the newest first. Raises StoreUnusable where nobody has begun it."""
    files, signatures = all_entries(store), signatures_of(store)

    def row(identity: str) -> StoreRow:
        try:
            entry = store.stored(identity)
        except EntryRefused as problem:
            return StoreRow(identity, files[identity], None, problem)
        return StoreRow(identity, files[identity], entry, None, tuple(signatures.signers(entry)) if entry else ())

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = [*pool.map(row, files)]
    # An entry that was removed while they were read is no entry any more.
    there = [row for row in rows if row.entry is not None or row.problem is not None]
    return sorted(there, key=lambda row: (-row.file.seconds, row.identity))


def signatures_of(store: Store) -> Signatures:
    """Return the signed lists of a store, with the keys that the site allows."""
    return store.trusted or Signatures(store.backend)


def facts_of(store: Store, entry: StoreEntry, file: StoredFile) -> dict[str, Any]:
    """Return what an artifact is, how it was made, with which settings, from what, and who says so."""
    record = entry.record
    row = StoreRow(entry.identity, file, entry, None, tuple(signatures_of(store).signers(entry)))
    return {
        **row.to_json(),
        **{key: entry.asked.get(key) for key in ("version", "settings", "libraries")},
        "given": dict(entry.maker),
        "finished": record.get("finished"),
        "seconds": record.get("seconds"),
        "device_hours": record.get("device_hours"),
        "hardware": record.get("hardware"),
        "commit": record.get("commit"),
        "content": entry.content,
        "inputs": {role: content.identity for role, content in entry.manifest.inputs.items()},
        "files": [*files_of(store, entry)],
    }


def files_of(store: Store, entry: StoreEntry) -> Iterator[dict[str, Any]]:
    """Yield the files of an entry with their sizes in bytes, and whether they are there with this size."""
    for name, file in sorted(entry.files.items()):
        present = store.backend.size(file_key(file.sha256)) == file.bytes
        yield {"name": name, "bytes": file.bytes, "sha256": file.sha256, "is_there": present}
