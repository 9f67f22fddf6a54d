"""A store in a bucket of an object store, Amazon's S3 (and servers that speak its language) or Google's, by fsspec.

Addresses of servers, keys, profiles, regions and numbers of attempts are what the libraries read from the environment
and from their own files; docmt has no settings of them.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, ClassVar

from docmt.base.errors import install
from docmt.base.foreign import first_line, library
from docmt.store import backend
from docmt.store.backend import LARGEST_READ, REMEDY, Backend, StoredFile, StoreUnusable

# The library of each kind, by the first part of addresses, which is the name of the extra that has the library.
LIBRARIES = {"s3": "s3fs", "gs": "gcsfs.core"}
READ_TIMEOUT = 30  # The seconds without a byte after which a request has failed.
SEE = (
    "see the bucket (docmt makes none), the server, the region, your key (AWS_PROFILE or AWS_ACCESS_KEY_ID,"
    " GOOGLE_APPLICATION_CREDENTIALS) and its rights: docs/how-to/share-artifacts.md"
)


class BucketBackend(Backend):
    """The files of a store below a prefix of a bucket; several threads may use it."""

    errors: ClassVar = (Exception,)

    def __init__(self, address: str, scheme: str, root: str) -> None:
        """Use a bucket that the site has made; `root`: its name, and the beginning of all names in it."""
        self.address, self.root = address, root
        self.files, self._is_seen = filesystem(scheme), False

    def _path(self, key: str) -> str:
        return f"{self.root}/{key}"

    def _check(self) -> None:
        """Raise FileNotFoundError where there is no bucket; asks once."""
        if not self._is_seen:
            self.files.find(self.root, prefix="none")
            self._is_seen = True

    def _read(self, key: str) -> bytes:
        try:
            return self.files.cat_file(self._path(key), start=0, end=LARGEST_READ + 1)
        except FileNotFoundError:
            raise
        except Exception:  # an empty object has no first byte, which each server says in another way
            with suppress(Exception):
                if self._facts(key).bytes == 0:
                    return b""
            raise

    def _open(self, key: str) -> tuple[BinaryIO, int]:
        stream = self.files.open(self._path(key), "rb", block_size=backend.PART, cache_type="none")
        return stream, stream.size

    def _facts(self, key: str) -> StoredFile:
        return self._file(self.files.info(self._path(key)))

    def _file(self, facts: dict[str, Any]) -> StoredFile:
        seconds = facts.get("mtime") or facts["LastModified"]
        return StoredFile(facts["name"][len(self._path("")) :], int(facts["size"]), seconds.timestamp())

    def _write(self, key: str, blocks: Iterable[bytes]) -> None:
        target = self.files.open(self._path(key), "wb", block_size=backend.PART)
        try:
            for block in blocks:
                target.write(block)
            target.close()
        except BaseException:
            with suppress(Exception):
                target.discard()  # the parts, which nobody sees, although they need room
            target.closed = True  # else the library would finish the object when it forgets the file
            raise

    def _walk(self, folder: str) -> Iterator[StoredFile]:
        yield from map(self._file, self.files.find(self._path(folder).rstrip("/"), detail=True).values())

    def _remove(self, key: str) -> None:
        self.files.rm_file(self._path(key))

    def _unusable(self, problem: Exception, where: str) -> StoreUnusable:
        """Return the message about an exception of a library; it has the server's words, and no keys."""
        what, said = "the object store cannot be used", f"{type(problem).__name__}: {first_line(problem)}"
        return StoreUnusable(what, where=where, found=said, remedy=f"{SEE}; {REMEDY}")


def library_of(scheme: str, name: str | None = None) -> Any:
    """Import the library of a kind, or another one that comes with it. Raises UserError where it is not installed."""
    what = f"a store at {scheme}:// needs a library that is not installed"
    return library(name or LIBRARIES[scheme], what, install(scheme))


def filesystem(scheme: str) -> Any:
    """Return a new file system of fsspec, which remembers no listings. Raises UserError without the library."""
    module, fresh = library_of(scheme), {"use_listings_cache": False, "skip_instance_cache": True}
    if scheme == "gs":
        # The library writes a trace for each failed request, beside the exception that it raises.
        logging.getLogger("gcsfs").setLevel(logging.CRITICAL)
        timeout = library_of(scheme, "aiohttp").ClientTimeout(sock_read=READ_TIMEOUT, sock_connect=10)
        return module.GCSFileSystem(requests_timeout=timeout, **fresh)
    timeouts = {"read_timeout": READ_TIMEOUT, "connect_timeout": 10}
    # Some servers demand parts of equal sizes. With more than one request at once, each read would ask for the size.
    files = module.S3FileSystem(config_kwargs=timeouts, fixed_upload_size=True, max_concurrency=1, **fresh)
    files.retries = 2  # botocore tries again too, as often as AWS_MAX_ATTEMPTS says
    return files
