"""The check of every byte of a store: of the entries, and of the files that they list."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.store.backend import EntryRefused
from docmt.store.entries import StoreEntry
from docmt.store.store import Store, file_key


@dataclass(frozen=True)
class Damage:
    """A file or an entry of a store that is not what it should be. `name`: the file in the artifact, if it is one."""

    identity: str
    name: str
    problem: UserError


def damages(store: Store, identities: Iterable[str], tell: Callable[[str], None]) -> list[Damage]:
    """Return what is damaged, missing or of another identity. A file of several artifacts is read once.

    `tell` gets a line for each artifact that was read. Files are read through a temporary folder.
    """
    checked: dict[str, UserError | None] = {}
    result = []
    for identity in identities:
        try:
            entry = store.stored(identity)
        except EntryRefused as problem:
            result.append(Damage(identity, "", problem))
            continue
        if entry is not None:
            result += _damaged_files(store, entry, checked)
            tell(f"{identity}: {entry.place}, {len(entry.files)} files")
    return result


def _damaged_files(store: Store, entry: StoreEntry, checked: dict[str, UserError | None]) -> list[Damage]:
    """Return the damaged files of an artifact. `checked`: the problems of the files that were read."""
    result = []
    for name, file in entry.files.items():
        if file.sha256 not in checked:
            checked[file.sha256] = _problem_of(store, file.sha256, file.bytes)
        problem = checked[file.sha256]
        if problem is not None:
            result.append(Damage(entry.identity, name, problem))
    return result


def _problem_of(store: Store, sha256: str, size: int) -> UserError | None:
    """Return what is wrong with a file of a store; None where all of its bytes are right."""
    actual = store.backend.size(file_key(sha256))
    if actual is not None and actual != size:
        what = "a file of an entry has another size"
        return EntryRefused(what, where=f"{store.address}/{file_key(sha256)}", found=actual, expected=size)
    with tempfile.TemporaryDirectory() as folder:
        try:
            store.backend.download(file_key(sha256), Path(folder) / "file", sha256)
        except EntryRefused as problem:
            return problem
    return None
