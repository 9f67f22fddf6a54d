"""The lease of a folder, `process.json`: it lets one process at a time work on the folder.

    {"host": "node7", "boot": "...", "namespace": "...", "process": 1234, "began": "88231", "token": "..."}

The holder is the process that has the lease. It gives signs of life: it sets the modification time of the file. The
operating system says whether a holder on this machine is alive. A holder on another machine counts as gone when it gave
no sign of life for `STALE_S` seconds, by the clock of the file system. Such a holder may be alive all the same, and
only silent for a long time. So a holder checks, at each sign of life and before each write, whether the lease still has
the holder's token, and ends where the token is another one. The file is removed at an ordered end. It remains where the
process is killed.
"""

import json
import os
import socket
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docmt.base.artifacts import folder_lock, write_json
from docmt.training.exit import Failure, Reason

START_FIELD = 18
"""Index of the start time among the fields of /proc/<process>/stat that follow the state of the process."""
ENDED = ("Z", "X")
"""Letters, in /proc/<process>/stat, of a process that has ended: Z (zombie: its parent has not read its exit status)
and X (dead)."""


@dataclass(frozen=True)
class Process:
    """A process of a machine; a text that the operating system does not provide is empty."""

    host: str
    boot: str
    """The identifier of a start of the machine's kernel. It differs between two machines with the same name, and
    between before and after a restart of a machine."""
    namespace: str
    """The namespace in which process numbers are unique; each container of a machine has its own namespace."""
    process: int
    """The number of the process."""
    began: str
    """The start of the process in clock ticks since the start of the machine. It differs for a later process that gets
    the same number."""

    @classmethod
    def this(cls) -> "Process":
        """Return the present process."""
        boot = _read_text(lambda: Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8"))
        namespace = _read_text(lambda: str(Path("/proc/self/ns/pid").readlink()))
        return cls(socket.gethostname(), boot, namespace, os.getpid(), _start_ticks(os.getpid()))

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Process":
        """Return the process that a lease's JSON object describes; a field that the object lacks is empty or 0."""
        texts = (str(plain.get(name, "")) for name in ("host", "boot", "namespace"))
        return cls(*texts, int(plain.get("process", 0)), str(plain.get("began", "")))

    def is_alive(self) -> bool | None:
        """Return whether the process exists, or None where this machine cannot know.

        That is so for a process of another machine or namespace, and for a process whose start is unknown.
        """
        here = Process.this()
        if not self.began or (self.host, self.boot, self.namespace) != (here.host, here.boot, here.namespace):
            return None
        return _start_ticks(self.process) == self.began

    def __str__(self) -> str:
        """Return the number of the process and the name of its machine, for messages."""
        return f"process {self.process} on {self.host or 'an unknown machine'}"


def _start_ticks(number: int) -> str:
    """Return the start of a process in clock ticks as text; it is empty for a process that has ended or is unknown."""
    stat = _read_text(lambda: Path(f"/proc/{number}/stat").read_text(encoding="utf-8"))
    if not stat:
        return ""
    # The name of the command is in parentheses and may contain any character, so the last parenthesis counts.
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in ENDED else rest[START_FIELD]


def _read_text(ask: Callable[[], str]) -> str:
    """Return the text that `ask` reads, without white space around it, or an empty text where reading fails."""
    try:
        return ask().strip()
    except OSError:
        return ""


FILE = "process.json"
"""Name of the file of the lease."""
STALE_S = 300.0
"""Seconds without a sign of life after which a holder counts as gone: longer than a batch of an update or of the dev
set should take, including the time to compile parts."""
BEAT_S = 20.0
"""Smallest number of seconds between two changes of the file's modification time."""
LOOK_S = 2.0
"""Seconds between two readings of the file by a process that waits for the lease."""
SETTLE_S = 1.0
"""Seconds to wait after writing the lease on a file system without locks. If several processes write the lease at once,
the last of them has it after this time."""


@dataclass(frozen=True)
class Holder:
    """The process that has a lease: the content of its file, and the time of its last sign of life.

    `touched` is in seconds since 1970, by the clock of the file system.
    """

    process: Process
    token: str
    touched: float


class Lease(AbstractContextManager):
    """The lease of a folder; at the end of the `with` block, the process that took the lease gives it back.

    `token` is None until the process has the lease. The first rank of a training takes it for the other ranks.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare a lease that is not yet taken; `clock` gives seconds."""
        self.folder, self._clock, self._beaten = folder, clock, clock()
        self.token: str | None = None
        self.is_lost = False
        """Whether another process had the lease at the last check."""
        self._written = False

    def __exit__(self, *problem: object) -> None:
        """Remove the file, if this process took the lease and still has it."""
        with suppress(OSError):
            if self._written and self.is_held():
                (self.folder / FILE).unlink()

    def take(self, claim: Callable[[], None], note: Callable[[str], None], give_up: Callable[[], Reason | None]) -> str:
        """Take the folder for this process alone and return the token.

        `claim` makes the folder belong to this run; it is called just before the lease is written. Where the holder is
        on another machine and may be gone, this process waits: until the holder gives a sign of life, until it has
        given none for `STALE_S` seconds, or until `give_up` returns a reason.

        Raises Failure where another process works on the folder, and for the reason to give up.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        first, since = None, self._clock()
        while (holder := self._take(claim, note, first, since)) is not None:
            # A file that has changed since the first reading shows a sign of life, or another process as its holder.
            if holder.process.is_alive() or (first and holder != first):
                raise in_use(self.folder, holder)
            if first is None:
                first, since = holder, self._clock()
                silence = f"last sign of life {silent_s(self.folder, holder):.0f} seconds ago"
                note(
                    f"{holder.process} has {self.folder}, {silence}: "
                    f"waiting for another one, or for {STALE_S:g} seconds without one"
                )
            if reason := give_up():
                raise given_up(reason, self.folder, holder)
            time.sleep(LOOK_S)
        return self.token

    def beat(self) -> None:
        """Give a sign of life, at most once in `BEAT_S` seconds, and check that this process still holds the lease."""
        if self._clock() - self._beaten >= BEAT_S:
            self._beaten = self._clock()
            if self.is_held():
                with suppress(FileNotFoundError):
                    os.utime(self.folder / FILE)

    def is_held(self) -> bool:
        """Return whether this process still holds the lease; a lost lease remains lost."""
        holder = read_holder(self.folder)
        self.is_lost = self.is_lost or holder is None or holder.token != self.token
        return not self.is_lost

    def check(self) -> None:
        """Raise Failure where this process no longer holds the lease."""
        if not self.is_held():
            raise lost(self.folder)

    def may_record(self) -> bool:
        """Return whether this process may write the reason of its end into the folder.

        It may not write while the folder belongs, or may belong, to another process.
        """
        if self.token is not None:
            return self.is_held()
        holder = read_holder(self.folder)
        return holder is None or holder.process.is_alive() is False

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Replace an exception of the block by the Failure of a lost lease, where this process has lost its lease.

        The cause of such an exception is most often the other process, which changes the folder.
        """
        try:
            yield
        except Exception:
            if self.token is not None and not self.is_held() and (self._written or read_holder(self.folder)):
                raise lost(self.folder) from None
            raise

    def _take(
        self, claim: Callable[[], None], note: Callable[[str], None], first: Holder | None, since: float
    ) -> Holder | None:
        """Take the lease and return None, or return its holder.

        `first` is the holder that this process read first, at the time `since` of its clock.
        """
        with folder_lock(self.folder.parent) as locked:
            holder = read_holder(self.folder)
            alive = holder.process.is_alive() if holder else False
            if alive is not False:
                waited = self._clock() - since if holder == first else 0.0
                # The clock of the file system may be wrong, so the time that this process has waited counts as well.
                silent = max(silent_s(self.folder, holder), waited)
                if alive or silent < STALE_S:
                    return holder
                note(f"{holder.process} gave no sign of life for {silent:.0f} seconds: this process goes on here")
            claim()
            self._write()
        # Without a lock several processes may write the file at once; the last one has the lease.
        if not locked:
            time.sleep(SETTLE_S)
        return None if locked or self.is_held() else read_holder(self.folder)

    def _write(self) -> None:
        token = uuid.uuid4().hex
        write_json(self.folder / FILE, {**asdict(Process.this()), "token": token})
        self.token, self._written = token, True


def read_holder(folder: Path) -> Holder | None:
    """Return the holder of a folder, or None where no process has the lease.

    A damaged file gives a holder whose process is unknown.
    """
    try:
        with (folder / FILE).open(encoding="utf-8") as stream:
            # The time is read from the opened file, since another process may replace the file at this path meanwhile.
            text, touched = stream.read(), os.fstat(stream.fileno()).st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        plain = json.loads(text)
    except ValueError:
        plain = {}
    return Holder(Process.from_plain(plain), plain.get("token", ""), touched)


def silent_s(folder: Path, holder: Holder) -> float:
    """Return the seconds since the holder's last sign of life.

    Both times are by the clock of the file system, which may be the clock of another machine.
    """
    with tempfile.TemporaryFile(dir=folder.parent) as probe:
        os.utime(probe.fileno())
        return os.fstat(probe.fileno()).st_mtime - holder.touched


def in_use(folder: Path, holder: Holder) -> Failure:
    """Return the failure of a process whose folder another process works on."""
    number, host = holder.process.process, holder.process.host
    return Failure(
        Reason.IN_USE,
        "another process works on this folder",
        where=str(folder),
        found=f"{holder.process}, last sign of life {max(silent_s(folder, holder), 0):.0f} seconds ago",
        remedy=f"wait until it ends, or end it with `kill {number}` on {host}; then run again",
    )


def given_up(reason: Reason, folder: Path, holder: Holder) -> Failure:
    """Return the failure of a process that gave up waiting for the lease."""
    return Failure(
        reason,
        f"{reason} while it waited for this folder",
        where=str(folder),
        found=f"{holder.process}, which may be gone",
        remedy="nothing was changed: run again",
    )


def lost(folder: Path) -> Failure:
    """Return the failure of a process that has lost its lease."""
    holder = read_holder(folder)
    return Failure(
        Reason.LEASE_LOST,
        "this folder is not this process's any more",
        where=str(folder),
        found=f"a lease of {holder.process}" if holder else "no lease",
        remedy="another process continued in its place while it was silent; it ends and changes nothing there",
    )
