"""The addresses of stores: a folder, or a bucket of an object store."""

from docmt.base.errors import UserError, quoted
from docmt.store.backend import Backend
from docmt.store.folder import FolderBackend
from docmt.store.store import Store


def open_store(address: str) -> Store:
    """Return the store at an address, a folder. Raises UserError for an address of another kind."""
    return Store(backend_at(address))


def backend_at(address: str) -> Backend:
    """Return the backend of an address. Raises UserError for a scheme that docmt does not know."""
    if "://" not in address:
        return FolderBackend(address)
    raise UserError("not an address of a store", where="store", found=quoted(address), remedy="valid: a folder")
