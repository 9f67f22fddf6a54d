"""A store in a bucket of an object store.

An object appears under its name when all of its bytes are there, so that nothing is ever half. An entry is written on
the condition that no such object is there, where the server knows conditions: the first of several writers wins.
Elsewhere the last one wins, with a whole object too.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from docmt.base.errors import UserError
from docmt.store.backend import LARGEST_READ, EntryRefused, StoredFile, check_file, check_small, check_stored
from docmt.store.clouds import Cloud
from docmt.store.refusals import CONFLICT, EXISTS, NO_BYTES, NO_CONDITIONS, signs_of, unusable

T = TypeVar("T")
PART = 8 << 20
"""The number of bytes of a request for a part of an object; larger objects than this are sent and fetched in parts."""
MOST_PARTS = 10_000
"""The largest number of parts that S3 allows."""
EMPTY = hashlib.sha256().hexdigest()
"""The digest of an empty file, which has no first byte from which a part could begin."""
AHEAD = 3
"""The number of parts of an object that are fetched at the same time."""


class _Conflict(Exception):
    """Another writer came at the same time."""


class ObjectBackend:
    """The files of a store below a prefix of a bucket; several threads may use it, and processes after a fork."""

    def __init__(self, address: str, cloud: Cloud, bucket: str, prefix: str) -> None:
        """Use a bucket that the site has made; `prefix`: the beginning of all names, without a slash at its end."""
        self.address, self.cloud, self.bucket, self.prefix = address, cloud, bucket, prefix
        self._conditions = True
        self._bucket_seen = False
        self._files, self._process = cloud.filesystem(), os.getpid()

    def read(self, key: str) -> bytes | None:
        """Return the content of a small file; None where there is none."""
        data = self._or_none(key, partial(self._first_bytes, key))
        if data is not None:
            check_small(self._place(key), len(data))
        return data

    def size(self, key: str) -> int | None:
        """Return the number of bytes of a file; None where there is none."""
        return self._or_none(key, lambda: self.cloud.size(self.files, self.bucket, self._name(key)))

    def create(self, key: str, data: bytes) -> bool:
        """Write a small file that nobody changes later; return whether it was written, and not there before."""
        # A server may ignore conditions without a word, so only writers at the same time rely on them.
        return self.size(key) is None and self._write(key, partial(self._create, key, data))

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file into the store. Raises UserError where the file has not the digest `sha256`."""
        with path.open("rb") as source, self._usable(key):
            self._send(key, source, sha256)

    def download(self, key: str, path: Path, sha256: str) -> None:
        """Copy a file of the store to a path that does not exist, if it has the digest `sha256`."""
        digest = hashlib.sha256()
        with path.open("xb", buffering=0) as target:
            try:
                for block in self._blocks(key, sha256):
                    digest.update(block)
                    target.write(block)
                check_stored(self._place(key), digest.hexdigest(), sha256)
            except BaseException:
                path.unlink()
                raise

    def listed(self, prefix: str) -> Iterator[StoredFile]:
        """Yield the files below the folder `prefix`."""
        root = self._path(prefix).rstrip("/")
        with self._usable(prefix):
            self._check_bucket()
            present = self.files.find(root, detail=True)
        start = len(self._path(""))
        for name, facts in sorted(present.items()):
            yield StoredFile(name[start:], int(facts["size"]), self.cloud.seconds(facts))

    def remove(self, key: str, unless_since: float | None = None) -> None:
        """Remove a file; do nothing where there is none, or where it was written after `unless_since`."""

        def remove() -> None:
            path = self._path(key)
            if unless_since is None or self.cloud.seconds(self.files.info(path)) <= unless_since:
                self.files.rm_file(path)

        self._or_none(key, remove)

    def remove_leftovers(self, older_than_seconds: float) -> int:
        """End unfinished uploads that began longer ago; return their number."""
        with self._usable(""):
            return self.cloud.abandon_uploads(self.files, self.bucket, self._name(""), older_than_seconds)

    def settle(self) -> None:
        """Do nothing: an object that has its name is stored."""

    def prepare(self, folders: Iterable[str]) -> None:
        """Do nothing: an object store has no folders."""

    @property
    def files(self) -> Any:
        """The file system of fsspec, which a process that was forked cannot share with its parent."""
        if self._process != os.getpid():
            self._files, self._process = self.cloud.filesystem(), os.getpid()
        return self._files

    def _first_bytes(self, key: str) -> bytes:
        """Return the content of an object, of which no more is read than shows that it is too large."""
        try:
            return self.files.cat_file(self._path(key), start=0, end=LARGEST_READ + 1)
        except FileNotFoundError:
            raise
        except Exception:  # an empty object has no first byte, which each server says in another way
            with suppress(Exception):
                if self.cloud.size(self.files, self.bucket, self._name(key)) == 0:
                    return b""
            raise

    def _name(self, key: str) -> str:
        """Return the name of an object in its bucket."""
        return f"{self.prefix}/{key}" if self.prefix else key

    def _path(self, key: str) -> str:
        """Return the path of an object for fsspec."""
        return f"{self.bucket}/{self._name(key)}"

    def _place(self, key: str) -> str:
        """Return the place of an object for messages."""
        return f"{self.cloud.scheme}://{self._path(key)}"

    @contextmanager
    def _usable(self, key: str) -> Iterator[None]:
        """Raise StoreUnusable for any error of the library in the block, which does nothing else."""
        try:
            yield
        except (UserError, _Conflict):
            raise
        except Exception as problem:
            raise unusable(problem, self._place(key)) from problem

    def _or_none(self, key: str, ask: Callable[[], T]) -> T | None:
        """Return an answer of the server; None where the object is not there although the bucket is."""
        with self._usable(key):
            try:
                return ask()
            except FileNotFoundError:
                self._check_bucket()
                return None

    def _check_bucket(self) -> None:
        """Raise FileNotFoundError where there is no bucket, so that a missing object says nothing; asks once."""
        if not self._bucket_seen:
            self.cloud.check_bucket(self.files, self.bucket)
            self._bucket_seen = True

    def _write(self, key: str, write: Callable[[bool], None]) -> bool:
        """Write an object, on a condition where the server knows conditions; return whether it was not there before."""
        again = Retrying(
            retry=retry_if_exception_type(_Conflict),
            wait=wait_random_exponential(0.2, max=10),
            stop=stop_after_attempt(6),
        )
        return again(self._try_to_write, key, write)

    def _try_to_write(self, key: str, write: Callable[[bool], None]) -> bool:
        conditions = self._conditions
        with self._usable(key):
            try:
                write(conditions)
            except Exception as problem:
                signs = {*signs_of(problem)}
                if conditions and signs & EXISTS:
                    return False
                if conditions and signs & CONFLICT:
                    raise _Conflict from problem
                if not conditions or not signs & NO_CONDITIONS:
                    raise
                self._conditions = False
                write(False)
        return True

    def _create(self, key: str, data: bytes, condition: bool) -> None:
        """Write an object by one request, on the condition that there is none where the server knows conditions."""
        self.files.pipe_file(self._path(key), data, mode="create" if condition else "overwrite")

    def _send(self, key: str, source: BinaryIO, sha256: str) -> None:
        """Write an object from an open file. Raises UserError, and writes nothing, where it has another digest."""
        size = os.fstat(source.fileno()).st_size
        if size > PART:
            self._send_parts(key, source, sha256, max(PART, -(-size // MOST_PARTS)))
            return
        data = source.read()
        check_file(source.name, hashlib.sha256(data).hexdigest(), sha256)
        self.files.pipe_file(self._path(key), data)

    def _send_parts(self, key: str, source: BinaryIO, sha256: str, part: int) -> None:
        """Write an object in parts, which appears with the last of them, after the digest of all has been compared."""
        digest = hashlib.sha256()
        target = self.files.open(self._path(key), "wb", block_size=part)
        try:
            # The next part is read and digested while one is sent.
            with ThreadPoolExecutor(1) as sending:
                sent: Future | None = None
                while data := source.read(part):
                    digest.update(data)
                    if sent is not None:
                        sent.result()
                    sent = sending.submit(target.write, data)
                if sent is not None:
                    sent.result()
            check_file(source.name, digest.hexdigest(), sha256)
            target.close()
        except BaseException:
            with suppress(Exception):
                self.cloud.abandon(target)
            target.closed = True  # else the library would finish the object when it forgets the file
            raise

    def _blocks(self, key: str, sha256: str) -> Iterator[bytes]:
        """Yield an object in parts. Raises EntryRefused where there is none."""
        first = self._part(key, None if sha256 == EMPTY else 0)
        yield first
        if len(first) < PART:
            return
        pending: deque[Future[bytes]] = deque()
        with ThreadPoolExecutor(AHEAD) as pool:
            try:
                for start in range(PART, self.size(key) or 0, PART):
                    pending.append(pool.submit(self._part, key, start))
                    if len(pending) == AHEAD:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _part(self, key: str, start: int | None) -> bytes:
        """Return a part of an object (None: all of it); the library repeats requests whose connection breaks."""
        part = self._or_none(key, partial(self._range, key, start))
        if part is None:
            raise EntryRefused("a file of an entry is missing", where=self._place(key))
        return part

    def _range(self, key: str, start: int | None) -> bytes:
        """Ask for a part of an object; the end of the object ends it."""
        try:
            return self.files.cat_file(self._path(key), start=start, end=None if start is None else start + PART)
        except Exception as problem:
            if NO_BYTES & {*signs_of(problem)}:
                return b""
            raise
