"""A store: artifacts go in with `push`, are found by their identity, and come out with `pull`.

The files of a store:

    docmt-store.json                  its format
    entries/<2 digits>/<identity>     an entry (`entries.py`), written after all files that it lists
    files/<2 digits>/<sha256>         the content of a file, once, however many artifacts have it
    signatures/<sha256>               a list of identities that a person signed (`signatures.py`)
    pins/<identity>.<user>            the word of a person that an entry is to stay (`pins.py`)
    turns/<kind>-<number>             a mark of who writes or removes files, where there are no locks (`turns.py`)
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import as_object
from docmt.base.digests import indented_json
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST
from docmt.base.untrusted import inside
from docmt.store.backend import Backend, EntryRefused, StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.pins import PINS
from docmt.store.signatures import SIGNATURES, Signatures
from docmt.store.turns import TURNS, writing

HEAD = "docmt-store.json"
FORMAT = "docmt-store-1"
ENTRIES, FILES = "entries", "files"
FOLDERS = (SIGNATURES, PINS, TURNS, *(f"{top}/{number:02x}" for top in (ENTRIES, FILES) for number in range(256)))
"""The folders of a new store."""
UNSIGNED = (
    "nobody has to sign in this store (no store_keys): a person who may write to it can give other numbers, and nothing"
    " more; pages are made here"
)
"""The line about a store without keys."""
AT_ONCE = 4
"""The number of files that are copied at the same time."""


def entry_key(identity: str) -> str:
    """Return the key of the entry of an identity."""
    return f"{ENTRIES}/{identity[:2]}/{identity}"


def file_key(sha256: str) -> str:
    """Return the key of the file with a digest."""
    return f"{FILES}/{sha256[:2]}/{sha256}"


@dataclass(frozen=True)
class Moved:
    """What a push or a pull has copied. `files`, `bytes`: of files that the other side did not have."""

    files: int
    bytes: int


class Store:
    """A store at a backend."""

    def __init__(self, backend: Backend, trusted: Signatures | None = None) -> None:
        """Use a store; nothing is read or written yet.

        `trusted`: the signed lists by which alone an entry is accepted; None = every entry is accepted.
        """
        self.backend, self.trusted = backend, trusted

    @property
    def address(self) -> str:
        """The address of the store."""
        return self.backend.address

    def check(self) -> bool:
        """Return whether there is a store. Raises StoreUnusable for a store of another version, or no store at all."""
        data = self.backend.read(HEAD)
        if data is None and next(self.backend.listed(""), None) is not None:
            data = self.backend.read(HEAD)  # another process may have begun the store meanwhile
            if data is None:
                what = "there are files, but they are no store of docmt"
                remedy = "name an empty folder, or a store (`store` in config.yaml)"
                raise StoreUnusable(what, where=self.address, expected=HEAD, remedy=remedy)
        if data is None:
            return False
        where = f"{self.address}/{HEAD}"
        try:
            with reading(where, "not the head of a store, or damaged"):
                value = as_object(json.loads(data), where, ("format",))
        except UserError as problem:
            remedy = "use another store (`store` in config.yaml)"
            raise StoreUnusable(problem.what, where=where, found=problem.found, remedy=remedy) from problem
        if value["format"] != FORMAT:
            what, remedy = "a store of another version", "use the version of docmt that made it, or another store"
            raise StoreUnusable(what, where=where, found=value["format"], expected=FORMAT, remedy=remedy)
        return True

    def begin(self) -> None:
        """Make the store where there is none yet. Raises as `check` does."""
        if not self.check():
            self.backend.prepare(FOLDERS)
            self.backend.create(HEAD, indented_json({"format": FORMAT}).encode())

    def has(self, identity: str) -> bool:
        """Return whether there is an entry of an identity, whole or not."""
        return self.backend.size(entry_key(identity)) is not None

    def entry(self, identity: str) -> StoreEntry | None:
        """Return the entry of an identity; None where there is none.

        Raises EntryRefused where it is damaged, or where nobody whom the site trusts has signed it.
        """
        entry = self.stored(identity)
        if entry is not None and self.trusted is not None:
            self.trusted.check(entry, self.place(identity))
        return entry

    def stored(self, identity: str) -> StoreEntry | None:
        """Return the entry of an identity as `entry` does, whoever has signed it."""
        data = self.backend.read(entry_key(identity))
        return None if data is None else StoreEntry.from_json(data, identity, self.place(identity))

    def place(self, identity: str) -> str:
        """Return the place of an entry for messages."""
        return f"{self.address}/{entry_key(identity)}"

    def is_whole(self, entry: StoreEntry) -> bool:
        """Return whether all files of an entry are there with their sizes; their bytes are not read."""
        files = {file.sha256: file.bytes for file in entry.files.values()}
        return all(self.backend.size(file_key(sha256)) == size for sha256, size in files.items())

    def push(self, entry: StoreEntry, folder: Path, mend: bool = False) -> Moved | None:
        """Copy an artifact into the store; return None where the store has it whole already.

        `folder`: the folder of the artifact. An entry that is damaged, or whose files are missing, is replaced where
        this user may do so; with `mend`, so are files with the right sizes, since a pull has found other bytes in one.
        Raises UserError where a file here differs from its manifest.
        """
        with writing(self.backend):
            before = self._stored_or_none(entry.identity)
            if before is not None and not mend and self.is_whole(before):
                return None
            if mend:
                for key in [entry_key(entry.identity), *(file_key(file.sha256) for file in entry.files.values())]:
                    self.backend.remove(key)
            moved = self._write_files(entry, folder)
            data = self._write_entry(entry)
            # A file may have been removed meanwhile, by a person or by a program that knows no turns.
            again = self._write_files(entry, folder)
            return Moved(moved.files + again.files, moved.bytes + again.bytes + len(data))

    def _write_files(self, entry: StoreEntry, folder: Path) -> Moved:
        """Copy the files of an artifact that the store lacks."""
        wanted = {file.sha256: (name, file.bytes) for name, file in entry.files.items()}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            lacking = pool.map(lambda sha256: self._needs(sha256, wanted[sha256][1]), wanted)
            new = {sha256: wanted[sha256] for sha256, is_new in zip(wanted, lacking, strict=True) if is_new}
            list(pool.map(lambda sha256: self.backend.upload(file_key(sha256), folder / new[sha256][0], sha256), new))
        if new:
            self.backend.settle()
        return Moved(len(new), sum(size for _, size in new.values()))

    def _write_entry(self, entry: StoreEntry) -> bytes:
        """Write an entry, unless another writer has been faster, and return its bytes; a damaged one is replaced."""
        key, data = entry_key(entry.identity), entry.to_json()
        if not self.backend.create(key, data) and self._stored_or_none(entry.identity) is None:
            self.backend.remove(key)
            self.backend.create(key, data)
        return data

    def pull(self, entry: StoreEntry, folder: Path) -> Moved:
        """Copy an artifact to a folder; its manifest is written last.

        Raises EntryRefused, and leaves a folder without a manifest, where a file is missing or damaged.
        """
        for name in {*entry.files, *entry.texts}:
            inside(folder, name).parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda name: self._download(entry, folder, name), entry.files))
        for name in sorted(entry.texts, key=lambda name: name == MANIFEST):
            (folder / name).write_bytes(entry.texts[name].encode())
        return Moved(len(entry.files) + len(entry.texts), entry.bytes)

    def _stored_or_none(self, identity: str) -> StoreEntry | None:
        """Return an entry; None where there is none, or a damaged one."""
        try:
            return self.stored(identity)
        except EntryRefused:
            return None

    def _needs(self, sha256: str, size: int) -> bool:
        """Return whether the store lacks a file; a file of another size is damaged and makes place."""
        present = self.backend.size(file_key(sha256))
        if present is not None and present != size:
            self.backend.remove(file_key(sha256))
        return present != size

    def _download(self, entry: StoreEntry, folder: Path, name: str) -> None:
        sha256, expected = entry.files[name].sha256, entry.files[name].bytes
        try:
            size = self.backend.size(file_key(sha256))
            if size is not None and size != expected:
                # Nothing is copied: a file of any length may be there.
                what, place = "a file of an entry has another size", f"{self.address}/{file_key(sha256)}"
                raise EntryRefused(what, where=place, found=f"{size:,} bytes", expected=f"{expected:,}")
            self.backend.download(file_key(sha256), folder / name, sha256)
        except EntryRefused as problem:
            # The message names the artifact too, since the name of the file is only its digest.
            place = f"{problem.where} ({name} of {self.place(entry.identity)})"
            raise EntryRefused(
                problem.what, where=place, found=problem.found, expected=problem.expected, remedy=problem.remedy
            ) from problem
