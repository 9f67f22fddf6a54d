"""A store: artifacts go in with `push`, are found by their identity, and come out with `pull`.

A job fetches its outputs (`fetch`), or gives those that it made (`give`).

The files of a store:

    docmt-store.json         its format
    entries/<identity>       an entry (`entries.py`), written after all files that it lists
    files/<sha256>           the content of a file, once, however many artifacts have it
    signatures/<sha256>      a list of identities that a person signed (`signatures.py`)

Who pushes an artifact writes all of its files, also those that are there, and then the entry: a file of an entry is
never older than the push. So files that nobody lists can be told from those of a push that is not done by their age
(`contents.py`).
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.credentials import refuse_credentials
from docmt.base.digests import indented_json
from docmt.base.errors import UserError, in_line, quoted
from docmt.base.recipe import Recipe
from docmt.base.untrusted import inside
from docmt.store.backend import Backend, EntryRefused, EntryUntrusted, StoreUnusable
from docmt.store.bucket import LIBRARIES, BucketBackend
from docmt.store.entries import StoreEntry
from docmt.store.folder import FolderBackend
from docmt.store.signatures import SIGNATURES, Signatures, read_keys

HEAD = "docmt-store.json"
FORMAT = "docmt-store-3"
ENTRIES, FILES = "entries", "files"
# The line about a store without keys.
UNSIGNED = (
    "nobody has to sign in this store (no store_keys): a person who may write to it can give other numbers, and nothing"
    " more; pages are made here"
)
AT_ONCE = 4  # The number of files that are copied at the same time.
VALID = f"valid: a folder, or {' or '.join(f'{scheme}://BUCKET/PATH' for scheme in LIBRARIES)}"


def entry_key(identity: str) -> str:
    """Return the key of the entry of an identity."""
    return f"{ENTRIES}/{identity}"


def file_key(sha256: str) -> str:
    """Return the key of the file with a digest."""
    return f"{FILES}/{sha256}"


def open_store(address: str, keys: Path | str | None = None) -> "Store":
    """Return the store at an address: a folder, `s3://BUCKET/PATH` or `gs://BUCKET/PATH`; the path may be missing.

    `keys`: the file of the keys whose owners the site trusts (`store_keys`); None = every entry is accepted. Raises
    UserError for another address, an object store whose library is not installed, and a file that has no keys.
    """
    backend = backend_at(address)
    return Store(backend, None if keys is None else Signatures(backend, read_keys(Path(keys))))


def backend_at(address: str) -> Backend:
    """Return the backend of an address. Raises UserError as `open_store` does."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return FolderBackend(address)
    refuse_credentials(address, "store")
    root = rest.rstrip("/")
    if scheme not in LIBRARIES or not root.split("/")[0] or "//" in root or set(rest) & set("?#* "):
        raise UserError("not an address of a store", where="store", found=quoted(address), remedy=VALID)
    return BucketBackend(address, scheme, root)


class Store:
    """A store at a backend."""

    def __init__(self, backend: Backend, trusted: Signatures | None = None) -> None:
        """Use a store; by the lists `trusted` alone an entry is accepted (None = every entry is accepted)."""
        self.backend, self.trusted, self.address = backend, trusted, backend.address

    def check(self) -> bool:
        """Return whether there is a store. Raises StoreUnusable for a store of another version, or no store at all."""
        data = self.backend.read(HEAD)
        if data is None:
            # Another process may write the head now.
            if any(file.key != HEAD and not file.name.startswith(".") for file in self.backend.listed("")):
                what = "there are files, but they are no store of docmt"
                remedy = "name an empty folder, or a store (`store` in config.yaml)"
                raise StoreUnusable(what, where=self.address, expected=HEAD, remedy=remedy)
            return False
        stated = None
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            stated = str(json.loads(data)["format"])
        if stated != FORMAT:
            what = "a store of another version" if stated else "not the head of a store, or damaged"
            remedy, where = "use the version of docmt that made it, or another store", self.backend.place(HEAD)
            raise StoreUnusable(what, where=where, found=stated and in_line(stated), expected=FORMAT, remedy=remedy)
        return True

    def begin(self) -> None:
        """Make the store where there is none yet. Raises as `check` does."""
        if not self.check():
            self.backend.prepare((ENTRIES, FILES, SIGNATURES))
            self.backend.create(HEAD, indented_json({"format": FORMAT}).encode())

    def entry(self, identity: str) -> StoreEntry | None:
        """Return an identity's entry, or None. Raises EntryRefused where it is damaged, or nobody trusted signed it."""
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
        return self.backend.place(entry_key(identity))

    def is_whole(self, entry: StoreEntry) -> bool:
        """Return whether all files of an entry are there with their sizes; their bytes are not read."""
        stored = ((self.backend.facts(file_key(file.sha256)), file) for file in entry.files.values())
        return all(there is not None and there.bytes == file.bytes for there, file in stored)

    def push(self, entry: StoreEntry, folder: Path, mend: bool = False) -> bool:
        """Copy an artifact into the store; return whether the store did not have it whole already.

        `folder`: the folder of the artifact. `mend`: whether any entry is replaced. Raises UserError where a file here
        differs from its manifest.
        """
        key, names = entry_key(entry.identity), {file.sha256: name for name, file in entry.files.items()}
        if mend:
            for old in [key, *map(file_key, names)]:
                self.backend.remove(old)
        # An entry that is damaged, or whose files are missing, is replaced where this user may do so.
        elif (before := self._stored_or_none(entry.identity)) is not None and self.is_whole(before):
            return False
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda sha256: self.backend.upload(file_key(sha256), folder / names[sha256], sha256), names))
        # Another writer may have been faster, and its entry stays; a damaged one is replaced.
        if not self.backend.create(key, entry.to_json()) and self._stored_or_none(entry.identity) is None:
            self.backend.remove(key)
            self.backend.create(key, entry.to_json())
        return True

    def pull(self, entry: StoreEntry, folder: Path) -> None:
        """Copy an artifact to a folder. Raises EntryRefused where a file is missing or damaged."""
        for name in {*entry.files, *entry.texts}:
            inside(folder, name).parent.mkdir(parents=True, exist_ok=True)

        def download(name: str) -> None:
            file = entry.files[name]
            self.backend.download(file_key(file.sha256), folder / name, file)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(download, entry.files))
        # The manifest is written last. What an unfinished pull has left is replaced.
        for name, text in entry.texts.items():
            with atomic_file(folder / name, "wb") as stream:
                stream.write(text.encode())

    def _stored_or_none(self, identity: str) -> StoreEntry | None:
        """Return an entry; None where there is none, or a damaged one."""
        try:
            return self.stored(identity)
        except EntryRefused:
            return None


# The file, in a job's folder, that says why its entry in a store cannot be used; the next plan does without it.
REFUSED = "refused.json"


def fetch(recipe: Recipe, can_write: Callable[[str], bool], store: Store | None = None) -> None:
    """Copy the outputs of a job from a store, and check every byte.

    `can_write` says whether the step writes a file of a name. `store`: None = the one that the hints of the job name.
    Raises UserError where the entry cannot be used, and notes this for the next plan; StoreUnusable is not noted.
    """
    if store is None:
        store = open_store(recipe.hints["fetch"]["store"], recipe.hints["fetch"]["keys"])
    try:
        entry = store.entry(recipe.identity)
        if entry is None:
            what, remedy = "the store no longer has this artifact", "run snakemake again"
            raise EntryRefused(what, where=store.place(recipe.identity), remedy=remedy)
        for name in entry.files:
            if not can_write(name):
                raise EntryRefused("a file that its step does not write", where=entry.place, found=in_line(name))
        store.pull(entry, recipe.folder)
    except EntryRefused as problem:
        if not isinstance(problem, EntryUntrusted):  # which every plan sees for itself
            write_json(recipe.folder / REFUSED, {"problem": str(problem)})
        raise
    (recipe.folder / REFUSED).unlink(missing_ok=True)


def give(recipe: Recipe, store: Store | None = None, replace: bool = False) -> bool:
    """Copy the outputs of a job into a store, and return whether it did not have them.

    `store`: None = the one that the hints of the job name. With `replace`, an entry that is there is replaced; one that
    was refused here always is. Raises UserError where the outputs are damaged, and where the store's files belong to
    another user.
    """
    if store is None:
        store = open_store(recipe.hints["give"]["store"], recipe.hints["give"]["keys"])
        store.begin()
    note = recipe.folder / REFUSED
    is_given = store.push(StoreEntry.of_recipe(recipe), recipe.folder, mend=replace or note.exists())
    note.unlink(missing_ok=True)
    return is_given
