"""Folders of a user's that stand for an archive of the catalogue: each is packed as a tar, always in the same bytes."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.digests import BYTES_AT_ONCE, full_digest
from docmt.base.errors import UserError

ENDING = ".tar"
"""The ending of the name of a file whose source may be a folder."""
BLOCK = 512
"""The number of bytes to whose multiple a tar fills up each file."""


def files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, sorted by their paths. Raises UserError where there is none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise UserError("the folder has no files", where=str(folder), expected="the files of a corpus")
    return files


def tar_chunks(folder: Path) -> Iterator[bytes]:
    """Yield the bytes of a tar with the files of a folder.

    They depend on the paths and contents of the files alone, and not on times, owners or rights.
    """
    # Imported late, since planning imports this module and rarely meets a folder.
    import tarfile

    for path in files_below(folder):
        member = tarfile.TarInfo(path.relative_to(folder).as_posix())
        member.size = path.stat().st_size
        yield member.tobuf(tarfile.PAX_FORMAT)
        yield from _content(path, member.size)
        yield bytes(-member.size % BLOCK)
    yield bytes(2 * BLOCK)


def _content(path: Path, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file. Raises UserError where it changes meanwhile."""
    with path.open("rb") as stream:
        read = 0
        while chunk := stream.read(BYTES_AT_ONCE):
            read += len(chunk)
            yield chunk
    if read != size:
        raise UserError("the file changed while it was read", where=str(path), remedy="run the command again")


def version_of(folder: Path) -> str:
    """Return a text that changes when a file of the folder is added, removed or replaced; no file is read."""
    facts = []
    for path in files_below(folder):
        status = path.stat()
        facts.append([str(path.relative_to(folder)), status.st_size, status.st_mtime_ns, status.st_ino])
    return full_digest(facts)
