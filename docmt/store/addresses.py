"""The addresses of stores: a folder, or a bucket of an object store."""

from pathlib import Path

from docmt.base.errors import UserError, quoted
from docmt.store.backend import Backend
from docmt.store.folder import FolderBackend
from docmt.store.signatures import Signatures, read_keys
from docmt.store.store import Store


def open_store(address: str, keys: Path | None = None) -> Store:
    """Return the store at an address, a folder.

    `keys`: the file of the keys whose owners the site trusts (`store_keys`); None = every entry is accepted. Raises
    UserError for an address of another kind, and for a file that has no keys.
    """
    backend = backend_at(address)
    return Store(backend, None if keys is None else Signatures(backend, read_keys(keys)))


def backend_at(address: str) -> Backend:
    """Return the backend of an address. Raises UserError for a scheme that docmt does not know."""
    if "://" not in address:
        return FolderBackend(address)
    raise UserError("not an address of a store", where="store", found=quoted(address), remedy="valid: a folder")
