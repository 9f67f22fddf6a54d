"""Copies of files whose digest is computed from the very bytes that are written."""

import errno
import fcntl
import hashlib
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, BinaryIO

FICLONE = 0x40049409
"""The request of Linux for a copy that shares the blocks of a file (a reflink), of `linux/fs.h`."""
BYTES_AT_ONCE = 1 << 20
PART = 8 << 20
"""The number of bytes whose digest is computed while the next ones are copied."""
CANNOT = (errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
"""The error numbers of a system that cannot copy between these files by itself."""


def copy(source: BinaryIO, target: BinaryIO) -> str:
    """Copy an open file to an empty one and return the SHA-256 of the copy, which is read back for this.

    `target` can be read too. The copy shares its blocks with the source where the file system can do so (Btrfs, XFS);
    elsewhere the system copies it, where it can, so that its bytes do not pass through this process.
    """
    digest = hashlib.sha256()
    if _share_blocks(source, target):
        _add_bytes(digest, target, 0, os.fstat(target.fileno()).st_size)
    elif os.fstat(source.fileno()).st_size <= PART:
        _add_bytes(digest, target, 0, _copy_rest(source, target))  # a thread would cost more than it saves
    else:
        _copy_and_digest(source, target, digest)
    return digest.hexdigest()


def write_whole(target: BinaryIO, data: bytes | memoryview) -> None:
    """Write all of some bytes to an unbuffered file: where the disk gets full, the system writes a part of them."""
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) :]


def _copy_and_digest(source: BinaryIO, target: BinaryIO, digest: Any) -> None:
    """Copy a file in parts, and add the bytes of each part to a digest while the next one is copied."""
    # Both the digest and the system calls leave other threads alone, so that they share the cores.
    with ThreadPoolExecutor(1) as digesting:
        pending: list[Future] = []
        start = 0
        while size := _copy_part(source, target):
            pending.append(digesting.submit(_add_bytes, digest, target, start, start + size))
            start += size
        for part in pending:
            part.result()


def _copy_rest(source: BinaryIO, target: BinaryIO) -> int:
    """Copy all bytes, and return their number."""
    total = 0
    while size := _copy_part(source, target):
        total += size
    return total


def _copy_part(source: BinaryIO, target: BinaryIO) -> int:
    """Copy the next bytes, at most `PART`, and return their number; 0 at the end of the source."""
    try:
        size = os.copy_file_range(source.fileno(), target.fileno(), PART)
    except OSError as problem:
        if problem.errno not in CANNOT:
            raise
        size = 0
    if size:
        return size
    data = source.read(BYTES_AT_ONCE)  # some file systems claim that there is nothing to copy
    write_whole(target, data)
    return len(data)


def _add_bytes(digest: Any, target: BinaryIO, start: int, end: int) -> None:
    """Add the bytes of a file from `start` to `end` to a digest; the place where it is written stays."""
    buffer = memoryview(bytearray(min(BYTES_AT_ONCE, end - start)))
    while start < end:
        size = os.preadv(target.fileno(), [buffer[: end - start]], start)
        if not size:
            return  # somebody has cut the file, whose digest is then another one
        digest.update(buffer[:size])
        start += size


def _share_blocks(source: BinaryIO, target: BinaryIO) -> bool:
    """Make the target share the blocks of the source; return whether the file system has done so."""
    with suppress(OSError):
        fcntl.ioctl(target.fileno(), FICLONE, source.fileno())
        os.lseek(target.fileno(), 0, os.SEEK_END)
        return True
    return False
