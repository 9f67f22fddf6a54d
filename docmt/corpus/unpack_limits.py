"""How large an archive may get: refused before the disk is full, and where it looks like a bomb."""

import os
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import free_bytes

LIMIT = "DOCMT_UNPACK_LIMIT_GB"
"""Environment variable: so many GB an archive may unpack to, instead of what follows."""
GIGABYTE = 1_000_000_000
MOST_GB = 100.0
"""The largest corpora have some tens."""
SMALL_GB = 1.0
MOST_TIMES = 200
"""Larger than its archive, above SMALL_GB; text is compressed to a tenth or, where it repeats itself, a fiftieth."""
LEFT_FREE = 100_000_000
"""Bytes of the disk that stay free."""
MOST_MEMBERS = 1_000_000


@dataclass
class Budget:
    """What is left of the bytes and members that an archive may have."""

    archive: str
    bytes: int
    why: str
    """What the limit is, and what to do where it is too small."""
    remedy: str
    taken: int = 0
    members: int = 0

    @classmethod
    def of(cls, archive: Path, folder: Path) -> "Budget":
        """For unpacking into `folder`, which need not be there yet. Raises UserError for a limit that is no number."""
        stated, free = _stated_limit(), free_bytes(folder) - LEFT_FREE
        growth = max(SMALL_GB * GIGABYTE, MOST_TIMES * archive.stat().st_size)
        limit = min(MOST_GB * GIGABYTE, growth) if stated is None else stated * GIGABYTE
        if free < limit:
            why = f"the disk of {folder.parent} has {_gb(max(free, 0))} to spare"
            return cls(archive.name, free, why, "make room there, or name a folder on a larger disk")
        why = f"{_gb(limit)}, {LIMIT}" if stated is not None else f"{_gb(limit)} for one of its size"
        remedy = f"if it is the archive that you mean, allow more: set {LIMIT}"
        return cls(archive.name, int(limit), why, remedy)

    def member(self) -> None:
        """Count a file or folder. Raises UserError where there are too many."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise UserError(
                "archive holds too many files",
                where=self.archive,
                found=f"more than {MOST_MEMBERS:,}",
                expected=f"at most {MOST_MEMBERS:,}",
                remedy="unpack it by hand, and name the files of it that are needed",
            )

    def take(self, size: int) -> None:
        """Count bytes that are about to be written. Raises UserError where there are too many."""
        self.taken += size
        self.check(self.taken)

    def check(self, size: int) -> None:
        """Raises UserError where the archive has `size` bytes and that is too many."""
        if size > self.bytes:
            raise UserError(
                "archive would unpack to more than is allowed",
                where=self.archive,
                found=f"{_gb(size)} or more",
                expected=f"at most {self.why}",
                remedy=self.remedy,
            )


def _stated_limit() -> float | None:
    text = os.environ.get(LIMIT)
    if not text:
        return None
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit < float("inf"):
        raise UserError("not a limit", where=LIMIT, found=text, expected="a number of GB above 0, such as 200")
    return limit


def _gb(size: float) -> str:
    return f"{size / GIGABYTE:,.3g} GB"
