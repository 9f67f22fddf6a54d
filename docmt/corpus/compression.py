"""Compressed files: gzip, bzip2, xz and Zstandard, known by their first bytes whatever the name of the file is."""

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO

HEAD_BYTES = 10  # The number of first bytes that show how a file is compressed.
ENDINGS = (".gz", ".bz2", ".xz", ".zst")
"""The endings of the names of compressed files, as they are usually named; fixtures are compressed by them."""


class ZstdFile(io.RawIOBase):
    """The decompressed bytes of a Zstandard file. Reading raises OSError for a damaged or truncated file."""

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self._path = path
        self._open()

    def _open(self) -> None:
        # Imported late, since few corpora need it. pyarrow reads all frames of a file, and refuses one that ends early.
        import pyarrow as pa

        self._stream, self._at = pa.CompressedInputStream(pa.OSFile(str(self._path)), "zstd"), 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true: a tar archive is read with its links, which lead back."""
        return True

    def readinto(self, buffer: bytearray) -> int:
        """Fill the buffer, and return the number of bytes; 0 = the end."""
        count = self._stream.readinto(buffer)
        self._at += count
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place from the start or from here; a place before this one is reached from the start."""
        place = offset + (self._at if whence == io.SEEK_CUR else 0)
        if place < self._at:
            self._stream.close()
            self._open()
        while self._at < place and self.read(min(place - self._at, io.DEFAULT_BUFFER_SIZE)):
            pass
        return self._at

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._at

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()


OPENERS: tuple[tuple[re.Pattern[bytes], Callable[[Path], IO[bytes]]], ...] = (
    (re.compile(rb"\x1f\x8b"), gzip.open),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.open),  # The second: a file without any bytes.
    (re.compile(rb"\xfd7zXZ\x00"), lzma.open),
    (re.compile(rb"\x28\xb5\x2f\xfd"), lambda path: io.BufferedReader(ZstdFile(path), 1 << 16)),
)
"""The first bytes of each kind of compressed file, and the function that opens its decompressed bytes."""


def opener(path: Path) -> Callable[[Path], IO[bytes]] | None:
    """Return the function that opens the decompressed bytes of a file; None for a file that is not compressed.

    Raises OSError for a file that cannot be read.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    return next((open_file for magic, open_file in OPENERS if magic.match(head)), None)


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed. Raises OSError for a file that cannot be read."""
    return (opener(path) or (lambda plain: plain.open("rb")))(path)


def without_ending(name: str) -> str:
    """Return the name of a file without the ending that says how it is compressed."""
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def compressed(content: bytes, ending: str) -> bytes:
    """Return compressed bytes, always the same for the same content; `ending` is one of ENDINGS."""
    if ending == ".gz":
        # Without mtime=0 the file would contain the current time.
        return gzip.compress(content, mtime=0)
    if ending == ".zst":
        import pyarrow as pa

        return pa.compress(content, codec="zstd", asbytes=True)
    return {".bz2": bz2.compress, ".xz": lzma.compress}[ending](content)
