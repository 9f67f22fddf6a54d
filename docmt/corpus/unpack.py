"""The unpacking of archives: tar (also compressed), zip, and single compressed files.

Each archive is unpacked into a new folder, and no member is written outside of this folder. An archive is refused
before the disk is full, and where the unpacked size is so large that the archive may be an attack (a decompression
bomb).
"""

import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from docmt.base.artifacts import atomic_folder
from docmt.base.errors import UserError
from docmt.base.foreign import first_line, free_bytes, is_of_disk, need_file
from docmt.base.untrusted import leads_out
from docmt.corpus.compression import open_bytes, opener, without_ending

CHUNK = 1 << 20

LIMIT = "DOCMT_UNPACK_LIMIT_GB"
"""The environment variable with the largest size of an unpacked archive in GB, in place of the limits below."""
GIGABYTE = 1_000_000_000
MOST_GB = 100.0  # The largest size of any unpacked archive in GB; the largest corpora have some tens of GB
SMALL_GB = 1.0
MOST_TIMES = 200
"""The largest ratio of the unpacked size to the size of the archive, for archives that unpack to more than SMALL_GB.

Compressed text has a tenth of its size or, where the text repeats itself, a fiftieth.
"""
LEFT_FREE = 100_000_000  # The number of bytes that must stay free on the disk
MOST_MEMBERS = 1_000_000


@dataclass
class Budget:
    """The limit of the unpacked bytes of an archive, and the bytes and members that were unpacked so far."""

    archive: str
    limit_bytes: int
    limit_text: str
    """The limit and its reason, for messages; `remedy` tells the user how to raise the limit."""
    remedy: str
    written_bytes: int = 0
    members: int = 0

    @classmethod
    def of(cls, archive: Path, folder: Path) -> "Budget":
        """Return the budget for the unpacking of `archive` into `folder`, which need not exist yet.

        Raises UserError where the environment variable LIMIT is no number above 0.
        """
        stated_limit, free_space = _stated_limit(), free_bytes(folder) - LEFT_FREE
        usual_limit = max(SMALL_GB * GIGABYTE, MOST_TIMES * archive.stat().st_size)
        limit = min(MOST_GB * GIGABYTE, usual_limit) if stated_limit is None else stated_limit * GIGABYTE
        if free_space < limit:
            limit_text = f"{_gb(max(free_space, 0))}, the free space on the disk of {folder.parent}"
            return cls(archive.name, free_space, limit_text, "make room there, or name a folder on a larger disk")
        limit_text = (
            f"{_gb(limit)}, the value of {LIMIT}"
            if stated_limit is not None
            else f"{_gb(limit)} for an archive of its size"
        )
        remedy = f"if this is the right archive, allow more: set {LIMIT}"
        return cls(archive.name, int(limit), limit_text, remedy)

    def add_member(self) -> None:
        """Count a file or folder of the archive. Raises UserError where the archive has more than MOST_MEMBERS."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise UserError(
                "archive holds too many files",
                where=self.archive,
                found=f"more than {MOST_MEMBERS:,}",
                expected=f"at most {MOST_MEMBERS:,}",
                remedy="unpack it by hand, and name the files of it that are needed",
            )

    def add_bytes(self, size: int) -> None:
        """Count `size` bytes that are about to be written. Raises UserError where the sum is above the limit."""
        self.written_bytes += size
        self.check_size(self.written_bytes)

    def check_size(self, size: int) -> None:
        """Raise UserError where `size`, a number of unpacked bytes, is above the limit."""
        if size > self.limit_bytes:
            raise UserError(
                "archive would unpack to more than is allowed",
                where=self.archive,
                found=f"{_gb(size)} or more",
                expected=f"at most {self.limit_text}",
                remedy=self.remedy,
            )


def unpack(archive: Path, folder: Path) -> None:
    """Unpack `archive` into the new folder `folder`; after an error the folder does not exist.

    A link in a tar archive becomes a copy of the file to which it points. Raises UserError for a path or link that
    leads out of the archive, for a link in a zip archive, for a device, for an encrypted, damaged or truncated archive,
    for an archive that would get too large (`Budget`), and for a file that is no archive.
    """
    if not archive.exists():
        raise UserError("archive not found", where=str(archive))
    need_file(archive)
    try:
        budget = Budget.of(archive, folder)
        members = _members(archive, budget)
        with atomic_folder(folder) as partial_folder:
            for name, stream, size in members:
                budget.add_member()
                if leads_out(name):
                    raise UserError("archive holds a path that leads out of it", where=archive.name, found=name)
                _write(partial_folder / name, stream, size, archive, budget)
    except UserError:
        raise
    except Exception as problem:
        # For a damaged archive the libraries raise errors of many classes, such as RecursionError for a link to itself.
        if is_of_disk(problem):
            raise
        raise _damaged(archive, first_line(problem)) from problem


def _damaged(archive: Path, problem: object) -> UserError:
    remedy = f"remove {archive} and download it again"
    return UserError("archive is damaged or truncated", where=archive.name, found=problem, remedy=remedy)


def _members(archive: Path, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    """Return an iterator of the name, the content (None for a folder) and the size (None = not stated) of members."""
    # The content shows the kind of archive, since a downloaded file may have any name. A tar whose last member is a zip
    # looks like a zip from its end.
    if not _is_tar(archive):
        if zipfile.is_zipfile(archive):
            return _zip_members(archive, budget)
        if opener(archive) is not None:
            return _single_member(archive)
    return _tar_members(archive)


def _is_tar(archive: Path) -> bool:
    with open_bytes(archive) as stream:
        head = stream.read(tarfile.BLOCKSIZE)
    try:
        tarfile.TarInfo.frombuf(head, tarfile.ENCODING, "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _tar_members(archive: Path) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with open_bytes(archive) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
        for member in tar:
            if member.isdir():
                yield member.name, None, None
                continue
            if member.issym() or member.islnk():
                _safe_link(member, archive)
            elif not member.isfile():
                raise UserError("archive holds a device", where=archive.name, found=member.name)
            try:
                contents = tar.extractfile(member)
            except KeyError:
                raise _damaged(archive, f"link to nothing: {member.name} -> {member.linkname}") from None
            yield member.name, contents, member.size if member.isreg() else None


def _safe_link(member: tarfile.TarInfo, archive: Path) -> None:
    # A symbolic link starts from its own folder, a hard link from the root of the archive.
    base = PurePosixPath(member.name).parent if member.issym() else PurePosixPath()
    if leads_out(base / member.linkname):
        link = f"{member.name} -> {member.linkname}"
        raise UserError("archive holds a link that leads out of it", where=archive.name, found=link)


def _zip_members(archive: Path, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with zipfile.ZipFile(archive) as zipped:
        budget.check_size(sum(info.file_size for info in zipped.infolist()))
        for info in zipped.infolist():
            # The upper 16 bits of `external_attr` are the Unix mode of the member; bit 0 of `flag_bits` = encrypted.
            if stat.S_ISLNK(info.external_attr >> 16):
                raise UserError("archive holds a link", where=archive.name, found=info.filename)
            if info.flag_bits & 1:
                raise UserError("archive is encrypted", where=archive.name, found=info.filename)
            if info.is_dir():
                yield info.filename, None, None
            else:
                with zipped.open(info) as contents:
                    yield info.filename, contents, info.file_size


def _single_member(archive: Path) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with open_bytes(archive) as contents:
        yield without_ending(archive.name), contents, None


def _write(path: Path, stream: IO[bytes] | None, size: int | None, archive: Path, budget: Budget) -> None:
    if stream is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # A stated size is checked before anything is written. The written bytes are counted too, since the size may be
    # false.
    budget.check_size(budget.written_bytes + (size or 0))
    with stream, path.open("wb") as out:
        while chunk := stream.read(CHUNK):
            budget.add_bytes(len(chunk))
            out.write(chunk)
    # The library may raise no error where a truncated archive ends within a member.
    if size is not None and path.stat().st_size != size:
        raise _damaged(archive, f"{path.name} ends after {path.stat().st_size} of {size} bytes")


def _stated_limit() -> float | None:
    text = os.environ.get(LIMIT)
    if not text:
        return None
    with suppress(ValueError):
        if 0 < float(text) < float("inf"):
            return float(text)
    raise UserError("not a size limit", where=LIMIT, found=text, expected="a number of GB above 0, such as 200")


def _gb(size: float) -> str:
    return f"{size / GIGABYTE:,.3g} GB"
