"""Folders of a user's that stand for an archive of the catalogue: each is packed as a tar, always in the same bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from docmt.base.digests import BYTES_AT_ONCE, full_digest
from docmt.base.errors import UserError

ENDING = ".tar"  # The ending of the name of a file whose source may be a folder.
BLOCK = 512  # The number of bytes to whose multiple a tar fills up each file.


def files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, sorted by their paths. Raises UserError where there is none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise UserError("the folder has no files", where=str(folder), expected="the files of a corpus")
    return files


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Return an iterator of the bytes of a stream, some at a time."""
    return iter(lambda: stream.read(BYTES_AT_ONCE), b"")


def tar_chunks(folder: Path) -> Iterator[bytes]:
    """Yield the bytes of a tar with the files of a folder."""
    # Imported late, since planning imports this module and rarely meets a folder.
    import tarfile

    # They depend on the paths and contents of the files alone, and not on times, owners or rights.
    for path in files_below(folder):
        member = tarfile.TarInfo(path.relative_to(folder).as_posix())
        member.size = path.stat().st_size
        yield member.tobuf(tarfile.PAX_FORMAT)
        with path.open("rb") as stream:
            yield from chunks_of(stream)
        yield bytes(-member.size % BLOCK)
    yield bytes(2 * BLOCK)


def version_of(folder: Path) -> str:
    """Return a text that changes when a file of the folder is added, removed or replaced; no file is read."""
    facts = []
    for path in files_below(folder):
        status = path.stat()
        facts.append([str(path.relative_to(folder)), status.st_size, status.st_mtime_ns, status.st_ino])
    return full_digest(facts)
