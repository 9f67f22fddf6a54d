"""The addresses of stores: a folder, or a bucket of an object store."""

from pathlib import Path

from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError, quoted
from docmt.store.backend import Backend
from docmt.store.clouds import CLOUDS
from docmt.store.folder import FolderBackend
from docmt.store.objects import ObjectBackend
from docmt.store.signatures import Signatures, read_keys
from docmt.store.store import Store

VALID = f"valid: a folder, or {' or '.join(f'{scheme}://BUCKET/PATH' for scheme in CLOUDS)}"


def open_store(address: str, keys: Path | None = None) -> Store:
    """Return the store at an address: a folder, `s3://BUCKET/PATH` or `gs://BUCKET/PATH`; the path may be missing.

    `keys`: the file of the keys whose owners the site trusts (`store_keys`); None = every entry is accepted. Raises
    UserError for another address, an object store whose library is not installed, and a file that has no keys.
    """
    backend = backend_at(address)
    return Store(backend, None if keys is None else Signatures(backend, read_keys(keys)))


def backend_at(address: str) -> Backend:
    """Return the backend of an address. Raises UserError as `open_store` does."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return FolderBackend(address)
    what = "not an address of a store"
    refuse_credentials(address, "store")
    if scheme not in CLOUDS:
        raise UserError(what, where="store", found=quoted(scheme + mark), remedy=VALID)
    bucket, _, prefix = rest.rstrip("/").partition("/")
    if not bucket or "//" in rest.rstrip("/") or set(rest) & set("?#* "):
        raise UserError(what, where="store", found=quoted(address), remedy=VALID)
    return ObjectBackend(address, CLOUDS[scheme](), bucket, prefix)
