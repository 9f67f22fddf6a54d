"""Copies of files whose digest is computed from the very bytes that are written."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import BinaryIO

FICLONE = 0x40049409
"""The request of Linux for a copy that shares the blocks of a file (a reflink), of `linux/fs.h`."""
BYTES_AT_ONCE = 1 << 20


def copy(source: BinaryIO, target: BinaryIO) -> str:
    """Copy an open file to an empty one and return the SHA-256 of the copy.

    The copy shares its blocks with the source where the file system can do so (Btrfs, XFS); it is then read once, for
    its digest.
    """
    if _share_blocks(source, target):
        return hashlib.file_digest(source, "sha256").hexdigest()
    result = hashlib.sha256()
    # Both the digest and the system calls leave other threads alone, so that the digest costs no time of its own.
    with ThreadPoolExecutor(1) as digesting:
        pending: Future | None = None
        for block in _blocks(source):
            if pending is not None:
                pending.result()
            pending = digesting.submit(result.update, block)
            write_whole(target, block)
    return result.hexdigest()


def write_whole(target: BinaryIO, data: bytes | memoryview) -> None:
    """Write all of some bytes to an unbuffered file: where the disk gets full, the system writes a part of them."""
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) :]


def _blocks(source: BinaryIO) -> Iterator[memoryview]:
    """Yield the blocks of a file. A block is overwritten two blocks later, so that it can be digested meanwhile."""
    buffers, number = (bytearray(BYTES_AT_ONCE), bytearray(BYTES_AT_ONCE)), 0
    while size := source.readinto(buffers[number]):  # type: ignore[attr-defined]
        yield memoryview(buffers[number])[:size]
        number = 1 - number


def _share_blocks(source: BinaryIO, target: BinaryIO) -> bool:
    """Make the target share the blocks of the source; return whether the file system has done so."""
    with suppress(OSError):
        fcntl.ioctl(target.fileno(), FICLONE, source.fileno())
        os.lseek(target.fileno(), 0, os.SEEK_END)
        return True
    return False
