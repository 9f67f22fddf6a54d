"""Why a training's process ended, in `exit.json`: for people, for `docmt list-trainings` and for the workflow.

    {"reason": "deadline", "status": 75, "update": 1200, "message": "...", "finished": "2026-01-31T12:00:00+00:00"}

`reason` is one of `Reason`; `status` the process's exit status; `update` how many updates were made until then (those
after the last checkpoint are made again); `message` what was said on the screen; `finished` when, in UTC.

The file stands in the state folder while a training is unfinished, in the output folder when it is finished. There is
none while a training runs, and none after it was killed outright (SIGKILL, a power cut). A training that does not have
the folder, since another one works there, writes nothing.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from docmt.base.artifacts import read_object_if_there, write_json
from docmt.base.errors import TRY_AGAIN, USER_MISTAKE, UserError
from docmt.base.foreign import reading

FILE = "exit.json"
CLAIM = "run.json"
"""What makes a folder the state of a training; see `docmt.training.checkpoint`."""
RESUMABLE = TRY_AGAIN
"""Exit status of a training that stopped in good order before its end: run again to go on."""
HANGING = 70
"""Exit status of a training that its watchdog ended (EX_SOFTWARE); run again to go on from the last checkpoint."""
FAULT = 1
"""Exit status after an exception that nobody expected."""


class Reason(StrEnum):
    """Why the process ended."""

    FINISHED = "finished"
    STOPPED = "stopped"
    """By SIGTERM, SIGUSR1 or SIGINT."""
    DEADLINE = "deadline"
    OUT_OF_MEMORY = "out of memory"
    NOT_FINITE = "not finite"
    HUNG = "hung"
    DISK_FULL = "disk full"
    OTHER_RUN = "other run"
    """The state folder is that of other settings or inputs."""
    IN_USE = "in use"
    """Another training works on the state folder; never in a file."""
    LEASE_LOST = "lease lost"
    """Another training went on in its place; never in a file."""
    ERROR = "error"


STATUSES = {
    Reason.FINISHED: 0,
    Reason.STOPPED: RESUMABLE,
    Reason.DEADLINE: RESUMABLE,
    Reason.IN_USE: RESUMABLE,
    Reason.LEASE_LOST: RESUMABLE,
    Reason.HUNG: HANGING,
    Reason.ERROR: FAULT,
}
"""The others are mistakes that a user can mend, with the status of those."""


class Failure(UserError):
    """A training cannot go on, for a reason that has a name and so a status; the checkpoints stay."""

    def __init__(self, reason: Reason, what: str, **facts: object) -> None:
        super().__init__(what, **{"status": STATUSES.get(reason, USER_MISTAKE), **facts})
        self.reason = reason


@dataclass(frozen=True)
class Exit:
    """What the file holds."""

    reason: Reason
    status: int
    update: int
    message: str
    finished: str


def write_exit(folder: Path, reason: Reason, update: int, message: str, status: int | None = None) -> None:
    """Write the file, unless one is there that says more.

    When a rank fails, others fail of its absence, before or after it has written: the first reason that has a name of
    its own stays. Nothing happens where the file cannot be written, on a full disk for example; the message is on the
    screen as well.
    """
    status = STATUSES.get(reason, USER_MISTAKE) if status is None else status
    there = read_exit(folder)
    if there is None or (there.reason is Reason.ERROR and reason is not Reason.ERROR):
        with suppress(OSError):
            write_json(folder / FILE, asdict(Exit(reason, status, update, message, now())))


def read_exit(folder: Path) -> Exit | None:
    """Of a state or an output folder; none where there is no such file."""
    plain = read_object_if_there(folder / FILE, "reason")
    if plain is None:
        return None
    with reading(folder / FILE, "not the record of an ending", remedy="remove it: it only says how a training ended"):
        return Exit(**{**plain, "reason": Reason(plain["reason"])})


def now() -> str:
    """As in the file: such times are in order as texts, too."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def endings(root: Path | str, since: str) -> list[str]:
    """A line for each unfinished training below the folder of all states that ended since then."""
    folders = sorted(file.parent for file in Path(root).rglob(FILE))
    found = [(folder, ending) for folder in folders if (ending := read_exit(folder)) and ending.finished >= since]
    return [
        f"{folder}: {ending.reason} after update {ending.update} (status {ending.status}): "
        + ending.message.splitlines()[0]
        for folder, ending in found
    ]


def forget_exit(folder: Path) -> None:
    """A training begins: how the one before ended is no longer true."""
    (folder / FILE).unlink(missing_ok=True)
