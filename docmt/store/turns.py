"""Turns of those who write to a store and of those who remove files from it, so that no writer relies on a lost file.

A writer leaves out a file that is there already. If its removal began before, the writer's entry would list a file that
is gone. Where a store has locks, writers share one that a removal has alone. Elsewhere both first write a mark, and
then look for the marks of the others: of two who come at the same time, at least one sees the other, and gives way.
"""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from docmt.base.digests import indented_json
from docmt.base.errors import TRY_AGAIN, UserError
from docmt.base.machine import now
from docmt.store.backend import Backend, StoredFile, StoreUnusable

TURNS = "turns"
"""The folder of the marks in a store."""
WRITER, REMOVAL = "writer", "removal"
"""The beginnings of the names of the marks."""
DAY_S = 86_400.0
"""The age in seconds at which a mark is one of a process that was killed: no push and no removal takes so long."""


@contextmanager
def writing(backend: Backend) -> Iterator[None]:
    """Write files and an entry in the block. Raises StoreUnusable while files are removed, where there are no locks."""
    with backend.lock() as is_held:
        if is_held:
            yield
            return
        with _mark(backend, WRITER):
            if other := _other_mark(backend, (REMOVAL,)):
                what, remedy = "files are being removed from the store", "push again later, as the next run does"
                raise StoreUnusable(what, where=f"{backend.address}/{other.key}", remedy=remedy)
            yield


@contextmanager
def removing(backend: Backend) -> Iterator[None]:
    """Remove files in the block. Raises UserError, with the status for another attempt, while others write files."""
    with backend.lock(alone=True) as is_held:
        if is_held:
            # A writer that cannot wait any longer for the lock goes on without it, and looks for the mark.
            with _mark(backend, REMOVAL):
                yield
            return
    with backend.lock() as has_locks:
        if has_locks:
            raise _busy(backend.address)
    with _mark(backend, REMOVAL) as key:
        if other := _other_mark(backend, (WRITER, REMOVAL), key):
            raise _busy(f"{backend.address}/{other.key}")
        yield


def old_marks(backend: Backend) -> list[StoredFile]:
    """Return the marks of processes that were killed."""
    return [mark for mark in backend.listed(TURNS) if mark.seconds < time.time() - DAY_S]


@contextmanager
def _mark(backend: Backend, kind: str) -> Iterator[str]:
    """Keep a mark in the store during the block, and yield its key."""
    key = f"{TURNS}/{kind}-{uuid.uuid4().hex}"
    backend.create(key, indented_json({"time": now()}).encode())
    try:
        yield key
    finally:
        backend.remove(key)


def _other_mark(backend: Backend, kinds: tuple[str, ...], ignored: str = "") -> StoredFile | None:
    """Return a mark of another process that may be alive."""
    for mark in backend.listed(TURNS):
        is_kind = mark.key.removeprefix(f"{TURNS}/").split("-")[0] in kinds
        if is_kind and mark.key != ignored and mark.seconds >= time.time() - DAY_S:
            return mark
    return None


def _busy(where: str) -> UserError:
    what, remedy = "another process writes to the store, or removes files from it", "run the command again later"
    return UserError(what, where=where, remedy=remedy, status=TRY_AGAIN)
