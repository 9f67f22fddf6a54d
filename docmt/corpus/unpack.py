"""Unpacking of archives inside a folder of their own: tar (also compressed), zip, and single gzip files.

No member is written outside of the folder. An archive that would get too large, or that looks like a decompression
bomb, is refused before the disk is full.
"""

import gzip
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
from docmt.base.foreign import first_line, free_bytes, is_of_disk

GZIP_MAGIC = b"\x1f\x8b"
CHUNK = 1 << 20

LIMIT = "DOCMT_UNPACK_LIMIT_GB"
"""The environment variable with the number of GB that an archive may unpack to, instead of the limits below."""
GIGABYTE = 1_000_000_000
MOST_GB = 100.0
"""The limit in GB of any archive; the largest corpora have some tens of GB."""
SMALL_GB = 1.0
MOST_TIMES = 200
"""The limit of the unpacked size as a multiple of the archive's, above SMALL_GB.

Text is compressed to a tenth of its size or, where it repeats itself, to a fiftieth."""
LEFT_FREE = 100_000_000
"""The number of bytes of the disk that stay free."""
MOST_MEMBERS = 1_000_000


@dataclass
class Budget:
    """The bytes and members that an archive may unpack to, and those that were unpacked so far."""

    archive: str
    limit_bytes: int
    limit_text: str
    """The limit and its reason, for messages; `remedy` says how to allow more."""
    remedy: str
    written_bytes: int = 0
    members: int = 0

    @classmethod
    def of(cls, archive: Path, folder: Path) -> "Budget":
        """Return the budget for unpacking `archive` into `folder`, which need not exist yet.

        Raises UserError where the limit of the environment variable is no number.
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
        """Count a file or folder of the archive. Raises UserError where there are too many."""
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
        """Count bytes that are about to be written. Raises UserError where there are too many."""
        self.written_bytes += size
        self.check_size(self.written_bytes)

    def check_size(self, size: int) -> None:
        """Raise UserError where `size` unpacked bytes are more than the limit."""
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

    Links inside the archive become copies of the files that they point to. Raises UserError for a path or link that
    leads out of the archive, for a device, for a damaged or truncated archive, for an archive that would get too large
    (`Budget`), and for a file that is no archive.
    """
    if not archive.exists():
        raise UserError("archive not found", where=str(archive))
    try:
        budget = Budget.of(archive, folder)
        members = _members(archive, budget)
        with atomic_folder(folder) as partial_folder:
            for name, stream, size in members:
                budget.add_member()
                if _leads_out(PurePosixPath(name)) or "\\" in name:
                    raise UserError("archive holds a path that leads out of it", where=archive.name, found=name)
                _write(partial_folder / name, stream, size, archive, budget)
    except UserError:
        raise
    except Exception as problem:
        # The libraries raise anything for broken archives; a link to itself is followed until the recursion ends.
        if is_of_disk(problem):
            raise
        raise _damaged(archive, first_line(problem)) from problem


def _damaged(archive: Path, problem: object) -> UserError:
    remedy = f"remove {archive} and download it again"
    return UserError("archive is damaged or truncated", where=archive.name, found=problem, remedy=remedy)


def _members(archive: Path, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    """Return the name, the content (None for a folder) and the size (None = not stated) of each member."""
    with archive.open("rb") as stream:
        magic = stream.read(2)
    # The content decides, since a downloaded file may have any name; only .gz is told from .tar.gz by its name.
    if zipfile.is_zipfile(archive):
        return _zip_members(archive, budget)
    if archive.name.endswith(".gz") and magic == GZIP_MAGIC and not archive.name.endswith(".tar.gz"):
        return _gzip_members(archive)
    return _tar_members(archive)


def _tar_members(archive: Path) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with tarfile.open(archive) as tar:
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
    if _leads_out(base / member.linkname):
        link = f"{member.name} -> {member.linkname}"
        raise UserError("archive holds a link that leads out of it", where=archive.name, found=link)


def _zip_members(archive: Path, budget: Budget) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with zipfile.ZipFile(archive) as zipped:
        budget.check_size(sum(info.file_size for info in zipped.infolist()))
        for info in zipped.infolist():
            # The upper 16 bits are the Unix mode of the member; bit 0 of the flags says that it is
            # encrypted.
            if stat.S_ISLNK(info.external_attr >> 16):
                raise UserError("archive holds a link", where=archive.name, found=info.filename)
            if info.flag_bits & 1:
                raise UserError("archive is encrypted", where=archive.name, found=info.filename)
            if info.is_dir():
                yield info.filename, None, None
            else:
                with zipped.open(info) as contents:
                    yield info.filename, contents, info.file_size


def _gzip_members(archive: Path) -> Iterator[tuple[str, IO[bytes] | None, int | None]]:
    with gzip.open(archive) as contents:
        yield archive.name.removesuffix(".gz"), contents, None


def _leads_out(path: PurePosixPath) -> bool:
    return path.is_absolute() or os.path.normpath(path).split("/")[0] == ".."


def _write(path: Path, stream: IO[bytes] | None, size: int | None, archive: Path, budget: Budget) -> None:
    if stream is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # A stated size is checked before anything is written. It may be false, so the written bytes are counted as
    # well.
    budget.check_size(budget.written_bytes + (size or 0))
    with stream, path.open("wb") as out:
        while chunk := stream.read(CHUNK):
            budget.add_bytes(len(chunk))
            out.write(chunk)
    # A truncated archive may end a member early without an error of the library.
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
