"""The folder of the results: whether it can be written, and whether its file system has what docmt relies on."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import explained
from docmt.base.paths import RESULTS
from docmt.preflight.finding import Area, RunFinding

AREA = Area("place")
MOST_SKEW_S = 5.0
"""Seconds by which the clock of a file system may differ from that of this machine."""


def check_place(results: Path = Path(RESULTS)) -> Iterator[RunFinding]:
    """Yield what is wrong with the folder of the results; a hidden folder is made in it for that, and removed."""
    if results.is_symlink() and not results.exists():
        yield AREA.error(
            "the folder of the results is a link to nowhere",
            where=str(results),
            found=f"-> {results.readlink()}",
            remedy="make the folder that it names (mkdir -p), or mount its disk",
        )
        return
    folder = place_of(results)
    try:
        trial = Path(tempfile.mkdtemp(prefix=".preflight-", dir=folder))
    except OSError as problem:
        yield AREA.of(explained(problem) or UserError(str(problem), where=str(folder)))
        return
    try:
        yield from _locks(trial, folder)
        yield from _moves(trial, folder)
        yield from _clock(trial, folder)
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    yield AREA.fact(f"{folder.resolve()} can be written; tried: locks, moves, the clock")


def place_of(results: Path) -> Path:
    """Return the folder of the results, or the nearest folder above it that exists."""
    return next(folder for folder in (results.absolute(), *results.absolute().parents) if folder.exists())


def _locks(trial: Path, folder: Path) -> Iterator[RunFinding]:
    """Yield a warning where the file system has no locks: jobs that write one file could then disturb each other."""
    handle = os.open(trial, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        yield AREA.warning(
            "the file system has no locks (flock)",
            where=str(folder),
            found=str(problem),
            remedy="mount it with locks (Lustre: -o flock), or put results/ on another one",
        )
    finally:
        os.close(handle)


def _moves(trial: Path, folder: Path) -> Iterator[RunFinding]:
    """Yield an error where a file or folder cannot replace another one in one step, as all files are written."""
    remedy = "put results/ on another file system"
    try:
        for name in ("new", "old"):
            (trial / name).write_text(name, encoding="utf-8")
        (trial / "new").replace(trial / "old")
        if (trial / "old").read_text(encoding="utf-8") != "new":
            yield AREA.error("a file that replaces another one is not seen", where=str(folder), remedy=remedy)
        (trial / "folder").mkdir()
        (trial / "folder").replace(trial / "moved")
    except OSError as problem:
        what = "files and folders cannot be moved into their place"
        yield AREA.error(what, where=str(folder), found=str(problem), remedy=remedy)


def _clock(trial: Path, folder: Path) -> Iterator[RunFinding]:
    """Yield a warning where the file system has another time than this machine, by which leases and ages go wrong."""
    before = time.time()
    (trial / "clock").write_text("", encoding="utf-8")
    with suppress(OSError):
        written, after = (trial / "clock").stat().st_mtime, time.time()
        skew = max(before - written, written - after)
        if skew > MOST_SKEW_S:
            yield AREA.warning(
                "the clock of the file system differs from that of this machine",
                where=str(folder),
                found=f"{skew:.0f} s",
                expected=f"at most {MOST_SKEW_S:g} s",
                remedy="set both by the same time server (NTP): files would seem to be from the future, or old",
            )
