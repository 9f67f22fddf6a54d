"""The addresses of stores: a folder, or a bucket of an object store."""

from docmt.base.errors import UserError, quoted
from docmt.store.backend import Backend
from docmt.store.clouds import CLOUDS
from docmt.store.folder import FolderBackend
from docmt.store.objects import ObjectBackend
from docmt.store.store import Store

VALID = f"valid: a folder, or {' or '.join(f'{scheme}://BUCKET/PREFIX' for scheme in CLOUDS)}"


def open_store(address: str) -> Store:
    """Return the store at an address: a folder, `s3://BUCKET/PREFIX` or `gs://BUCKET/PREFIX`; a prefix may be missing.

    Raises UserError for another address, or where the library of an object store is not installed.
    """
    return Store(backend_at(address))


def backend_at(address: str) -> Backend:
    """Return the backend of an address. Raises UserError as `open_store` does."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return FolderBackend(address)
    what = "not an address of a store"
    if scheme not in CLOUDS:
        raise UserError(what, where="store", found=quoted(scheme + mark), remedy=VALID)
    if "@" in rest:  # the message leaves out what may be a key
        raise UserError("an address of a store has no keys", where="store", found=f"{scheme}://...@...", remedy=VALID)
    bucket, _, prefix = rest.rstrip("/").partition("/")
    if not bucket or "//" in rest.rstrip("/") or set(rest) & set("?#* "):
        raise UserError(what, where="store", found=quoted(address), remedy=VALID)
    return ObjectBackend(address, CLOUDS[scheme](), bucket, prefix)
