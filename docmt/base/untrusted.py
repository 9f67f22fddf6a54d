"""The checks of what somebody else wrote, before any of it becomes a path: the one place for them.

Manifests, records, entries of stores, crates, archives and models come from other people, who may have written anything
into them: names that lead out of a folder, a digest that is a path, a size that no disk has. Names are checked where
a file is parsed (`check_names`), and once more where they become paths that are written, moved or copied (`inside`).
"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import count, pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from docmt.base.errors import UserError, in_line
from docmt.base.names import stays_inside

if TYPE_CHECKING:
    from docmt.base.digests import FileDigest

SHA256 = re.compile(r"[0-9a-f]{64}")  # The form of a SHA-256, and so of an identity.
LONGEST_PART = 255  # The largest number of bytes of a part of a path.
MOST_BYTES = 2**60  # The largest size of a file that may be stated: no disk has more.
MOST_FILES = 1_000_000  # The largest number of files that an artifact may state.
# The largest number of bytes of a line of text: no sentence has more, nor has a document on a line.
LONGEST_LINE = 16 * 2**20
LEADS_OUT = "the name of a file leads out of its folder"


def limited_lines(stream: BinaryIO, where: str) -> Iterator[bytes]:
    """Yield the lines of a stream, with their ends. Raises UserError, with the line in `where`, for one too long."""
    for number in count(1):
        line = stream.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise UserError(
                "a line is too long",
                where=f"{where}:{number}",
                found=f"more than {LONGEST_LINE:,} bytes without a line feed",
                expected="a sentence, a row or a document on each line",
                remedy="end each line by a line feed",
            )
        if not line:
            return
        yield line


def is_sha256(value: object) -> bool:
    """Return whether a value is a SHA-256 in hexadecimal digits."""
    return isinstance(value, str) and SHA256.fullmatch(value) is not None


def is_inside(name: object) -> bool:
    """Return whether a name is a plain relative path of printable parts, such as `model/weights.txt`."""
    if not isinstance(name, str) or "\\" in name or not stays_inside(name):
        return False
    fits = all(len(part.encode(errors="replace")) <= LONGEST_PART for part in name.split("/"))
    return fits and name != "." and PurePosixPath(name).as_posix() == name


def leads_out(name: str | PurePosixPath) -> bool:
    """Return whether a path of an archive, in which `./a` and `a/../b` are usual, leads out of the archive."""
    path = os.path.normpath(name)
    return path.startswith("/") or path.split("/")[0] == ".." or "\\" in path or "\0" in path


def inside(folder: Path, name: str) -> Path:
    """Return the path of a file below a folder. Raises UserError where the name, or a link on the way, leads out."""
    path = folder / name
    if not is_inside(name) or not path.resolve().is_relative_to(folder.resolve()):
        raise UserError(
            LEADS_OUT, where=str(folder), found=in_line(name), remedy="get the files again, from a better source"
        )
    return path


def check_names(names: Iterable[str], where: str) -> None:
    """Raise UserError unless each name can be a file below one folder, and none is a folder of another."""
    names = [*names]
    if len(names) > MOST_FILES:
        raise UserError("too many files", where=where, found=f"{len(names):,}", expected=f"at most {MOST_FILES:,}")
    for name in names:
        if not is_inside(name):
            raise UserError(LEADS_OUT, where=where, found=in_line(name))
    for parts, later in pairwise(sorted(name.split("/") for name in names)):
        if len(parts) < len(later) and parts == later[: len(parts)]:
            raise UserError("a file that is also a folder", where=where, found=in_line("/".join(parts)))


def check_digest(file: "FileDigest", where: str) -> None:
    """Raise UserError unless a file has a SHA-256 and a size."""
    if not is_sha256(file.sha256):
        raise UserError("not a SHA-256", where=where, found=in_line(file.sha256))
    if type(file.bytes) is not int or not 0 <= file.bytes <= MOST_BYTES:
        raise UserError("not a size in bytes", where=where, found=in_line(file.bytes))
