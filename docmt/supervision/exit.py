"""The reason why the process of a training ended, in `exit.json`, for people, `docmt list-trainings` and the workflow.

    {"reason": "deadline", "status": 75, "update": 1200, "message": "...", "finished": "2026-01-31T12:00:00+00:00"}

`reason` is one of `Reason`. `status` is the exit status of the process. `update` is the number of updates so far; the
next job computes the updates after the last checkpoint again. `message` is the text that was printed. `finished` is the
time of the end in UTC.

The file is in the state folder while a training is unfinished, and in the output folder when it is finished. There is
no such file while a training runs, and none after a kill that the process cannot notice (SIGKILL, a power cut). A
training writes no such file into a state folder that another process works on.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from docmt.base.artifacts import read_object_if_there, write_json
from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError
from docmt.base.foreign import MEGABYTE, disk_full, free_bytes, reading
from docmt.base.machine import now

FILE = "exit.json"
"""Name of the file."""
CLAIM = "run.json"
"""Name of the file that makes a folder the state of a training (`docmt.training.checkpoint`)."""
HANGING = 70
"""Exit status of a training that its watchdog ended (EX_SOFTWARE); run it again to continue from the last
checkpoint."""
FAULT = 1
"""Exit status after an exception that is no known failure."""


class Reason(StrEnum):
    """The reason why the process ended."""

    FINISHED = "finished"
    STOPPED = "stopped"
    """The process got SIGTERM, SIGUSR1 or SIGINT."""
    DEADLINE = "deadline"
    OUT_OF_MEMORY = "out of memory"
    NOT_FINITE = "not finite"
    HUNG = "hung"
    DISK_FULL = "disk full"
    OTHER_RUN = "other run"
    """The state folder belongs to a run with other settings, inputs or options."""
    LEASE_LOST = "lease lost"
    """Another training has continued in place of this one. This reason is never in a file."""
    ERROR = "error"


STATUSES = {
    Reason.FINISHED: 0,
    Reason.STOPPED: TRY_AGAIN,
    Reason.DEADLINE: TRY_AGAIN,
    Reason.LEASE_LOST: TRY_AGAIN,
    Reason.HUNG: HANGING,
    Reason.ERROR: FAULT,
}
"""Exit statuses by reason. Any other reason is a mistake that a user can correct, with the status USER_MISTAKE."""


class Failure(UserError):
    """An error after which a training cannot continue; its reason decides the exit status, and checkpoints remain."""

    def __init__(self, reason: Reason, what: str, **facts: object) -> None:
        """Set the exit status by `STATUSES`, unless `facts` has a `status`.

        `what` and `facts` form the message, as in UserError.
        """
        super().__init__(what, **{"status": STATUSES.get(reason, USER_MISTAKE), **facts})
        self.reason = reason


@dataclass(frozen=True)
class Exit:
    """The content of `exit.json`."""

    reason: Reason
    status: int
    update: int
    message: str
    finished: str


def write_exit(folder: Path, reason: Reason, update: int, message: str, status: int | None = None) -> None:
    """Write `exit.json`, unless the file exists; a file with the reason `error` gives way to any other reason.

    When one rank fails, the other ranks fail with `error` because that rank is gone, and they may write the file before
    it does. So the first reason other than `error` remains. Where the file cannot be written, for example on a full
    disk, nothing happens, since the message is printed as well.
    """
    status = STATUSES.get(reason, USER_MISTAKE) if status is None else status
    earlier = read_exit(folder)
    if earlier is None or (earlier.reason is Reason.ERROR and reason is not Reason.ERROR):
        with suppress(OSError):
            write_json(folder / FILE, asdict(Exit(reason, status, update, message, now())))


def read_exit(folder: Path) -> Exit | None:
    """Read the `exit.json` of a state folder or an output folder; return None where the folder has no such file.

    Raises UserError where the file has another form.
    """
    plain = read_object_if_there(folder / FILE, "reason")
    if plain is None:
        return None
    with reading(
        folder / FILE, "not a record of how a training ended", remedy="remove it: it only says how a training ended"
    ):
        return Exit(**{**plain, "reason": Reason(plain["reason"])})


def forget_exit(folder: Path) -> None:
    """Remove `exit.json` when a training begins, since the training has then not ended."""
    (folder / FILE).unlink(missing_ok=True)


def blamed_status(statuses: Iterable[int]) -> int:
    """Return the exit status of the rank that caused a failure, in the form of a shell; 0 where no rank failed.

    Ranks that fail because another rank is gone end with the status `FAULT`, so any other status takes precedence.
    """
    failed = [status for status in statuses if status]
    blamed = next((status for status in failed if status != FAULT), FAULT if failed else 0)
    # The status of a process that a signal ended is minus the signal's number here, and 128 plus the number in shells.
    return 128 - blamed if blamed < 0 else blamed


@contextmanager
def disk_full_named(path: Path, needed: int | None = None) -> Iterator[None]:
    """Raise Failure where writing in the block fails since the disk, or the quota of the user, is full.

    `path` is the file or folder that is being written; `needed` is its size in bytes, or None where it is unknown.
    """
    try:
        yield
    except Exception as problem:
        if isinstance(problem, Failure) or disk_full(problem) is None:
            raise
        raise Failure(
            Reason.DISK_FULL,
            "the disk is full",
            where=str(path),
            found=f"{free_bytes(path) / MEGABYTE:,.1f} MB free, or a quota used up",
            expected=None if needed is None else f"{needed / MEGABYTE:,.1f} MB",
            remedy="nothing that was saved is lost: make room, and run again to go on from the last checkpoint",
        ) from None
