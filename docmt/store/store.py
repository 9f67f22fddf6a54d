"""A store: artifacts go in with `push`, are found by their identity, and come out with `pull`.

The files of a store:

    docmt-store.json                  its format
    entries/<2 digits>/<identity>     an entry (`entries.py`), written after all files that it lists
    files/<2 digits>/<sha256>         the content of a file, once, however many artifacts have it
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import as_object
from docmt.base.digests import indented_json
from docmt.base.foreign import reading
from docmt.store.backend import Backend, EntryRefused, StoreUnusable
from docmt.store.entries import StoreEntry

HEAD = "docmt-store.json"
FORMAT = "docmt-store-1"
ENTRIES, FILES = "entries", "files"
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

    def __init__(self, backend: Backend) -> None:
        """Use a store; nothing is read or written yet."""
        self.backend = backend

    @property
    def address(self) -> str:
        """The address of the store."""
        return self.backend.address

    def check(self) -> bool:
        """Return whether there is a store. Raises StoreUnusable for a store of another version, or no store at all."""
        data = self.backend.read(HEAD)
        if data is None:
            if next(self.backend.listed(""), None) is not None:
                what = "there are files, but they are no store of docmt"
                remedy = "name an empty folder, or a store (`store` in config.yaml)"
                raise StoreUnusable(what, where=self.address, expected=HEAD, remedy=remedy)
            return False
        where = f"{self.address}/{HEAD}"
        with reading(where, "not the head of a store, or damaged"):
            value = as_object(json.loads(data), where, ("format",))
        if value["format"] != FORMAT:
            what, remedy = "a store of another version", "use the version of docmt that made it, or another store"
            raise StoreUnusable(what, where=where, found=value["format"], expected=FORMAT, remedy=remedy)
        return True

    def begin(self) -> None:
        """Make the store where there is none yet. Raises as `check` does."""
        if not self.check():
            self.backend.create(HEAD, indented_json({"format": FORMAT}).encode())

    def has(self, identity: str) -> bool:
        """Return whether there is an entry of an identity, whole or not."""
        return self.backend.size(entry_key(identity)) is not None

    def entry(self, identity: str) -> StoreEntry | None:
        """Return the entry of an identity; None where there is none. Raises EntryRefused where it is damaged."""
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
        before = self._entry_or_none(entry.identity)
        if before is not None and not mend and self.is_whole(before):
            return None
        if mend:
            for key in [entry_key(entry.identity), *(file_key(file.sha256) for file in entry.files.values())]:
                self.backend.remove(key)
        wanted = {file.sha256: (name, file.bytes) for name, file in entry.files.items()}
        new = {sha256: named for sha256, named in wanted.items() if self._needs(sha256, named[1])}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda sha256: self._upload(sha256, folder / new[sha256][0]), new))
        key, data = entry_key(entry.identity), entry.to_json()
        if not self.backend.create(key, data) and self._entry_or_none(entry.identity) is None:
            self.backend.remove(key)
            self.backend.create(key, data)
        return Moved(len(new), sum(size for _, size in new.values()) + len(data))

    def pull(self, entry: StoreEntry, folder: Path) -> Moved:
        """Copy an artifact to a folder that does not exist yet; its manifest is written last.

        Raises EntryRefused, and leaves an incomplete folder without a manifest, where a file is missing or damaged.
        """
        for name in {*entry.files, *entry.texts}:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda name: self._download(entry, folder, name), entry.files))
        for name in sorted(entry.texts, key=lambda name: name == entry.manifest_name):
            (folder / name).write_bytes(entry.texts[name].encode())
        return Moved(len(entry.files) + len(entry.texts), entry.bytes)

    def _entry_or_none(self, identity: str) -> StoreEntry | None:
        """Return an entry; None where there is none, or a damaged one."""
        try:
            return self.entry(identity)
        except EntryRefused:
            return None

    def _needs(self, sha256: str, size: int) -> bool:
        """Return whether the store lacks a file; a file of another size is damaged and makes place."""
        present = self.backend.size(file_key(sha256))
        if present is not None and present != size:
            self.backend.remove(file_key(sha256))
        return present != size

    def _upload(self, sha256: str, path: Path) -> None:
        self.backend.upload(file_key(sha256), path, sha256)

    def _download(self, entry: StoreEntry, folder: Path, name: str) -> None:
        sha256 = entry.files[name].sha256
        try:
            self.backend.download(file_key(sha256), folder / name, sha256)
        except EntryRefused as problem:
            # The message names the artifact too, since the name of the file is only its digest.
            place = f"{problem.where} ({name} of {self.place(entry.identity)})"
            raise EntryRefused(
                problem.what, where=place, found=problem.found, expected=problem.expected, remedy=problem.remedy
            ) from problem
