"""The folder of the results: its rights, and the room on its disk."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docmt.base.paths import RESULTS
from docmt.base.screen import two_digits
from docmt.plan.estimates import Estimates
from docmt.plan.obtain import checkpoints_of
from docmt.plan.supplies import Supplies
from docmt.preflight.finding import Level, RunFinding, told
from docmt.preflight.planned import PlannedRun


def check_place(results: Path = Path(RESULTS)) -> Iterator[RunFinding]:
    """Yield what is wrong with the folder of the results; a hidden folder is made in it for that, and removed."""
    if results.is_symlink() and not results.exists():
        what, link = "the folder of the results is a link to nowhere", f"-> {results.readlink()}"
        remedy = "make the folder that it names (mkdir -p), or mount its disk"
        yield told("error", what, where=str(results), found=link, remedy=remedy)
        return
    folder = place_of(results)
    Path(tempfile.mkdtemp(prefix=".preflight-", dir=folder)).rmdir()
    yield told("fact", f"{folder.resolve()} can be written")


def place_of(results: Path) -> Path:
    """Return the folder of the results, or the nearest folder above it that exists."""
    return next(folder for folder in (results.absolute(), *results.absolute().parents) if folder.exists())


def check_disk(run: PlannedRun, results: Path = Path(RESULTS)) -> Iterator[RunFinding]:
    """Yield a finding where the disk lacks room, and state the estimate."""
    folder, parts = place_of(results), estimated_room(run)
    free, total = shutil.disk_usage(folder).free, sum(parts.values())
    named = ", ".join(f"{name} {two_digits(size / 1e9)} GB" for name, size in parts.items() if size)
    room, needed = f"{two_digits(free / 1e9)} GB free", f"an estimate of {two_digits(total / 1e9)} GB ({named})"
    if total > 0.8 * free:  # estimates are rough
        level: Level = "error" if total > free else "warning"
        remedy = "make room (`docmt remove-results` lists what is old), link results/ to a larger disk, or ask for less"
        what = "the disk has not enough room" if total > free else "the room on the disk may not be enough"
        yield told(level, what, where=str(folder), found=room, expected=needed, remedy=remedy)
    yield told("fact", f"{needed if total else 'no job writes anything'}; {room}; quotas are not seen")


def estimated_room(run: PlannedRun) -> dict[str, float]:
    """Return the estimate of the bytes that the jobs of a run write, by what they are; text counts little."""
    needed = Supplies(run.grid).of(run.corpora, checkpoints_of(run.grid, run.jobs))
    return {
        # Corpora and their tokens and views take some sizes of the download.
        "downloads and what is made from them": 5.0 * sum(supply.bytes for supply in needed),
        "models and their checkpoints": sum(map(Estimates(run.plan).disk, run.trainings)),
        # Translations, scores or a page of each job, and its log.
        "all others": 1e6 * len(run.jobs),
    }
