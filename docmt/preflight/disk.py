"""The room on the disk of the results against an estimate of what the jobs will write there."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.base.paths import RESULTS
from docmt.plan.estimates import Estimates
from docmt.plan.sizes import Sizes
from docmt.plan.supplies import Supplies
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.place import place_of
from docmt.preflight.planned import PlannedRun

AREA = Area("disk")
FILES_OF_JOB = 8
"""Assumed number of files of a job, with its manifest, record, settings and log."""
BYTES_OF_JOB = 1_000_000
"""Assumed size of translations, scores or a page, and of the log."""
UNPACKED = 4.0
"""Assumed size of documents.parquet and of what an archive unpacks to, in sizes of the download."""
BYTES_OF_PIECE = {"tokens": 24, "views": 8, "chain_words": 2, "chain_segments": 1}
"""Bytes of a source or target piece of training text in the output of each rule, rounded up from those of the demo."""
SHARE = 0.8
"""The share of the free room above which an estimate is a warning: estimates are rough."""


@dataclass(frozen=True)
class Room:
    """An estimate of the bytes that jobs write, by what they are."""

    downloads: float
    corpora: float
    text: float
    trainings: float
    others: float

    @property
    def total(self) -> float:
        """All bytes."""
        return self.downloads + self.corpora + self.text + self.trainings + self.others

    def __str__(self) -> str:
        """Return the parts in GB."""
        names = {
            "downloads and checkpoints": self.downloads,
            "corpora": self.corpora,
            "tokens, views and chains": self.text,
            "models and their checkpoints": self.trainings,
            "translations, scores and pages": self.others,
        }
        return ", ".join(f"{name} {gigabytes(size)}" for name, size in names.items() if size)


def check_disk(run: PlannedRun, results: Path = Path(RESULTS)) -> Iterator[RunFinding]:
    """Yield a finding where the disk lacks room or files, and state the estimate."""
    folder = place_of(results)
    room, status = estimated_room(run), os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    remedy = "make room, link results/ to a larger disk, or run fewer targets; `docmt remove-results` lists what is old"
    if room.total > SHARE * free:
        make = AREA.error if room.total > free else AREA.warning
        what = "the disk has not enough room" if room.total > free else "the room on the disk may not be enough"
        yield make(what, where=str(folder), found=f"{gigabytes(free)} free", expected=_estimate(room), remedy=remedy)
    files = FILES_OF_JOB * len(run.jobs)
    if status.f_files and files > status.f_favail:
        possible, expected = f"{status.f_favail:,} more files are possible", f"some {files:,}"
        yield AREA.error(
            "the file system has not enough inodes", where=str(folder), found=possible, expected=expected, remedy=remedy
        )
    needs = _estimate(room) if room.total else "no job writes anything"
    yield AREA.fact(f"{needs}; free: {gigabytes(free)}; quotas are not seen")


def estimated_room(run: PlannedRun) -> Room:
    """Return the estimate of what the jobs of a run write; corpora of unknown size are left out."""
    grid, supplies = run.grid, Supplies(run.grid)
    needed = supplies.of([name for name in run.corpora if name not in grid.not_run], run.checkpoints)
    of_corpora = sum(supply.bytes for supply in needed if supply.name in grid.corpora)
    # A seed has no entry of its own, and a training that several studies share is one job.
    trainings = {job: grid.find(job.names["corpus"], job.names["system"]) for job in run.jobs if job.is_training}
    estimates, pieces = Estimates(run.plan), _pieces(run)
    return Room(
        downloads=sum(supply.bytes for supply in needed if supply.state == "to-fetch"),
        corpora=UNPACKED * of_corpora,
        text=sum(BYTES_OF_PIECE.get(job.step, 0) * pieces.get(job.names.get("corpus", ""), 0.0) for job in run.jobs),
        trainings=sum(estimates.disk(entry) for entry in trainings.values()),
        others=BYTES_OF_JOB * len(run.jobs),
    )


def _pieces(run: PlannedRun) -> dict[str, float]:
    """Return the number of pieces of the training text of each corpus on both sides, by its folder of data."""
    sizes, pieces = Sizes(run.plan), {}
    for entry in run.grid.entries:
        folder = run.grid.data_folder(entry.corpus)
        if entry.has_model and folder not in pieces:
            epoch = sizes.epoch(entry)
            pieces[folder] = 0.0 if epoch is None else epoch.source + epoch.target
    return pieces


def _estimate(room: Room) -> str:
    """Return the estimate for messages."""
    return f"an estimate of {gigabytes(room.total)} ({room})"


def gigabytes(size: float) -> str:
    """Return a size in GB with two significant digits."""
    digits = max(0, 1 - math.floor(math.log10(size / 1e9))) if size > 0 else 0
    return f"{size / 1e9:,.{digits}f} GB"
