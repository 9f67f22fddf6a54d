"""A store in a bucket of an object store, Amazon's S3 (and servers that speak its language) or Google's, by fsspec.

Addresses of servers, keys, profiles, regions and numbers of attempts are what the libraries read from the environment
and from their own files; docmt has no settings of them.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, ClassVar, NamedTuple

from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, install
from docmt.base.foreign import first_line, library
from docmt.store import backend
from docmt.store.backend import LARGEST_READ, REMEDY, Backend, StoredFile, StoreUnusable

LIBRARIES = {"s3": "s3fs", "gs": "gcsfs.core"}
"""The library of each kind, by the first part of addresses, which is the name of the extra that has the library."""
READ_TIMEOUT = 30
"""The seconds without a byte after which a request has failed."""
UNREACHABLE = "the object store cannot be reached, or does not answer"


class Trouble(NamedTuple):
    """A message about an object store: what is wrong, what to do, and signs of it in answers and exceptions."""

    what: str
    remedy: str
    signs: str


TROUBLES = (
    Trouble(
        "there is no such bucket",
        "make the bucket first: docmt makes none",
        "NoSuchBucket 404 FileNotFoundError",
    ),
    Trouble(
        "no key that the object store accepts is known here",
        "s3://: AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; gs://: GOOGLE_APPLICATION_CREDENTIALS",
        "NoCredentialsError PartialCredentialsError ProfileNotFound CredentialRetrievalError DefaultCredentialsError "
        "InvalidAccessKeyId SignatureDoesNotMatch InvalidToken ExpiredToken 401 RefreshError UnauthorizedSSOTokenError "
        "TokenRetrievalError NonRetryableError",
    ),
    Trouble(
        "the bucket is in another region",
        "state its region (AWS_DEFAULT_REGION)",
        "PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException NoRegionError 301 307",
    ),
    Trouble(
        "no permission to use the store in this way",
        "reading needs the rights to list and to read objects, writing those to write and to remove them",
        "AccessDenied AllAccessDisabled 403 PermissionError",
    ),
    Trouble(
        UNREACHABLE,
        "see the address of the server (AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST) and the network",
        "EndpointConnectionError ConnectionClosedError ConnectTimeoutError ReadTimeoutError ClientConnectorError "
        "ServerDisconnectedError ClientPayloadError ClientOSError TimeoutError FSTimeoutError ConnectionError "
        "ProxyError ProxyConnectionError RequestTimeout 408 429 500 502 503 504 SlowDown ServiceUnavailable "
        "InternalError",
    ),
)
"""What can be wrong. The signs are codes of the servers' answers, and names of exceptions."""


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
        """Return a file from its facts in a library."""
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
        return unusable(problem, where)


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


def signs_of(problem: BaseException) -> list[str]:
    """Return what an exception of a library says, most precise first: the server's code, then the names of classes."""
    chain = [cause for cause in (problem, problem.__cause__) if cause is not None]
    answers = [getattr(cause, "response", None) for cause in chain]
    codes = [str(answer.get("Error", {}).get("Code")) for answer in answers if isinstance(answer, dict)]
    codes += [str(cause.code) for cause in chain if getattr(cause, "code", None)]
    codes += ["403"] * str(problem).startswith("Forbidden")
    return codes + [cls.__name__ for cause in chain for cls in type(cause).__mro__]


def unusable(problem: BaseException, where: str) -> StoreUnusable:
    """Return the message about an exception of a library; it has the server's words, and no keys."""
    signs = {sign: trouble for trouble in TROUBLES for sign in trouble.signs.split()}
    trouble = next((signs[sign] for sign in signs_of(problem) if sign in signs), None)
    what = trouble.what if trouble else "the object store, or its library, refuses the request"
    remedy = f"{trouble.remedy}; {REMEDY}" if trouble else REMEDY
    status = TRY_AGAIN if what == UNREACHABLE else USER_MISTAKE
    return StoreUnusable(what, where=where, found=first_line(problem), remedy=remedy, status=status)
