"""The kinds of object stores, Amazon's S3 (and servers that speak its language) and Google's, by libraries of fsspec.

Addresses of servers, keys, profiles, regions and numbers of attempts are what these libraries read from the environment
and from their own files; docmt has no settings of them.
"""

import errno
import logging
import time
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

from docmt.base.errors import install
from docmt.base.foreign import library

READ_TIMEOUT = 30
"""The seconds without a byte after which a request has failed."""


class Cloud(Protocol):
    """A kind of object stores. The methods raise what the libraries raise."""

    scheme: ClassVar[str]
    """The first part of addresses, and the name of the extra that has the library."""

    def filesystem(self) -> Any:
        """Return a new file system of fsspec, which remembers no listings. Raises UserError without the library."""

    def size(self, files: Any, bucket: str, key: str) -> int:
        """Return the number of bytes of an object, in one request. Raises FileNotFoundError where there is none."""

    def check_bucket(self, files: Any, bucket: str) -> None:
        """Raise FileNotFoundError where there is no such bucket."""

    def seconds(self, facts: dict[str, Any]) -> float:
        """Return when an object was written, in seconds since 1970, from its facts in a listing."""

    def abandon(self, target: Any) -> None:
        """Remove the parts that were written to an open file of the file system."""

    def abandon_uploads(self, files: Any, bucket: str, prefix: str, older_than_seconds: float) -> int:
        """Remove the parts of unfinished uploads below a prefix that began longer ago; return the number of uploads."""


class S3:
    """Stores that speak the language of Amazon's S3."""

    scheme = "s3"

    def filesystem(self) -> Any:
        """Return a new file system; parts have equal sizes, as some servers demand."""
        module = _library("s3fs", self.scheme)
        config = {"read_timeout": READ_TIMEOUT, "connect_timeout": 10}
        # With more than one request at once, each reading of a whole object would first ask for its size.
        once = {"max_concurrency": 1, "use_listings_cache": False, "skip_instance_cache": True}
        files = module.S3FileSystem(config_kwargs=config, fixed_upload_size=True, **once)
        # botocore tries again too, as often as AWS_MAX_ATTEMPTS says, so the attempts of s3fs would multiply these.
        files.retries = 2
        return files

    def size(self, files: Any, bucket: str, key: str) -> int:
        """Return the number of bytes of an object."""
        return int(files.call_s3("head_object", Bucket=bucket, Key=key)["ContentLength"])

    def check_bucket(self, files: Any, bucket: str) -> None:
        """Raise FileNotFoundError where there is no such bucket."""
        files.call_s3("list_objects_v2", Bucket=bucket, MaxKeys=1)

    def seconds(self, facts: dict[str, Any]) -> float:
        """Return when an object was written."""
        return facts["LastModified"].timestamp()

    def abandon(self, target: Any) -> None:
        """Remove the parts that were written to an open file, which nobody sees, although they need room."""
        target.discard()

    def abandon_uploads(self, files: Any, bucket: str, prefix: str, older_than_seconds: float) -> int:
        """Remove the parts of unfinished uploads; a server that cannot list these is left as it is."""
        latest = time.time() - older_than_seconds
        try:
            uploads = [*_uploads(files, bucket, prefix)]
        except OSError as problem:
            if problem.errno != errno.ENOSYS:
                raise
            return 0
        old = [upload for upload in uploads if upload["Initiated"].timestamp() <= latest]
        for upload in old:
            files.call_s3("abort_multipart_upload", Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
        return len(old)


class Gs:
    """Google's store of objects."""

    scheme = "gs"

    def filesystem(self) -> Any:
        """Return a new file system."""
        module = _library("gcsfs.core", self.scheme)
        # The library writes a trace for each failed request, beside the exception that it raises.
        logging.getLogger("gcsfs").setLevel(logging.CRITICAL)
        return module.GCSFileSystem(requests_timeout=_timeout(), use_listings_cache=False, skip_instance_cache=True)

    def size(self, files: Any, bucket: str, key: str) -> int:
        """Return the number of bytes of an object."""
        return int(files.call("GET", "b/{}/o/{}", bucket, key, json_out=True)["size"])

    def check_bucket(self, files: Any, bucket: str) -> None:
        """Raise FileNotFoundError where there is no such bucket."""
        files.call("GET", "b/{}/o", bucket, maxResults=1, json_out=True)

    def seconds(self, facts: dict[str, Any]) -> float:
        """Return when an object was written."""
        return facts["mtime"].timestamp()

    def abandon(self, target: Any) -> None:
        """Do nothing: Google removes the parts of unfinished uploads itself after a week."""

    def abandon_uploads(self, files: Any, bucket: str, prefix: str, older_than_seconds: float) -> int:
        """Return 0: Google removes the parts of unfinished uploads itself, and lists none."""
        return 0


CLOUDS: dict[str, type[Cloud]] = {cloud.scheme: cloud for cloud in (S3, Gs)}
"""The kinds by the first part of their addresses."""


def _library(name: str, extra: str) -> Any:
    return library(name, f"a store at {extra}:// needs a library that is not installed", install(extra))


def _timeout() -> Any:
    """Return the limits of a request to Google's store."""
    return library("aiohttp", "aiohttp is not installed").ClientTimeout(sock_read=READ_TIMEOUT, sock_connect=10)


def _uploads(files: Any, bucket: str, prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the unfinished uploads of several parts below a prefix."""
    after: dict[str, str] = {}
    while True:
        page = files.call_s3("list_multipart_uploads", Bucket=bucket, Prefix=prefix, **after)
        yield from page.get("Uploads", [])
        if not page.get("IsTruncated"):
            return
        after = {"KeyMarker": page["NextKeyMarker"], "UploadIdMarker": page["NextUploadIdMarker"]}
