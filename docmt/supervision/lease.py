"""The lease of a folder, `process.json`: it lets one process at a time work on the folder.

    {"host": "node7", "boot": "...", "namespace": "...", "process": 1234, "began": "88231", "token": "..."}

The holder is the process that has the lease. It gives signs of life: it sets the modification time of the file. The
operating system says whether a holder on this machine is alive. A holder on another machine counts as gone when it gave
no sign of life for `STALE_S` seconds, by the clock of the file system. Such a holder may be alive all the same, and
only silent for a long time. So a holder checks, at each sign of life and before each write, whether the lease still has
the holder's token, and ends where the token is another one. The file is removed at an ordered end. It remains where the
process is killed.

The holder's ranks work with the holder's lease: they find its token in their environment.
"""

import json
import os
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from docmt.base.artifacts import folder_lock, write_json
from docmt.supervision.exit import Failure, Reason

FILE = "process.json"
"""Name of the file of the lease."""
TOKEN = "DOCMT_LEASE"
"""The variable of the environment with the token of the lease that a command has."""
STALE_S = 300.0
"""Seconds without a sign of life after which a holder counts as gone: longer than a file system may hang."""
BEAT_S = 20.0
"""Seconds between two signs of life, which change the file's modification time."""
LOOK_S = 2.0
"""Seconds between two readings of the file by a process that waits for the lease."""
SETTLE_S = 1.0
"""Seconds to wait after writing the lease on a file system without locks. If several processes write the lease at once,
the last of them has it after this time."""
START_FIELD = 18
"""Index of the start time among the fields of /proc/<process>/stat that follow the state of the process."""
ENDED = ("Z", "X")
"""Letters, in /proc/<process>/stat, of a process that has ended: Z (zombie: its parent has not read its exit status)
and X (dead)."""


@dataclass(frozen=True)
class Process:
    """A process of a machine; a text that the operating system does not provide is empty."""

    host: str = ""
    boot: str = ""
    """The identifier of a start of the machine's kernel. It differs between two machines with the same name, and
    between before and after a restart of a machine."""
    namespace: str = ""
    """The namespace in which process numbers are unique; each container of a machine has its own namespace."""
    process: int = 0
    """The number of the process."""
    began: str = ""
    """The start of the process in clock ticks since the start of the machine. It differs for a later process that gets
    the same number."""

    @classmethod
    def this(cls) -> "Process":
        """Return the present process."""
        boot = _read_text(lambda: Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8"))
        namespace = _read_text(lambda: str(Path("/proc/self/ns/pid").readlink()))
        return cls(socket.gethostname(), boot, namespace, os.getpid(), _start_ticks(os.getpid()))

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


@dataclass(frozen=True)
class Holder:
    """The process that has a lease: the content of its file, and the time of its last sign of life.

    `touched` is in seconds since 1970, by the clock of the file system.
    """

    process: Process
    token: str
    touched: float


class Lease(AbstractContextManager):
    """The lease of a folder; at the end of the `with` block, the process that wrote the lease gives it back.

    `token` is None until the process has the lease. The first rank of a training takes it for the other ranks.
    """

    def __init__(self, folder: Path) -> None:
        """Prepare a lease that is not yet taken."""
        self.folder = folder
        self.token: str | None = None
        self.is_lost = False
        """Whether another process had the lease at the last check."""
        self._has_taken = self._has_written = False
        self._over = threading.Event()

    def __exit__(self, *problem: object) -> None:
        """End the signs of life, and remove the file, if this process wrote it and still has the lease."""
        self._over.set()
        with suppress(OSError):
            if self._has_written and self.is_held():
                (self.folder / FILE).unlink()

    def take(self, note: Callable[[str], None], is_over: Callable[[], object] = lambda: False) -> str | None:
        """Take the folder for this process alone, give signs of life from now on, and return the token.

        Where another process works on the folder, this one waits for its end, or for its silence of `STALE_S` seconds
        where it is on another machine; `note` is told once. None is returned where `is_over` is true before. A process
        that has the token of the holder in its environment works with its lease.
        """
        seen, since = None, time.monotonic()
        while (holder := self._take(note, seen, since)) is not None:
            if seen is None:
                ago = max(self._silent_s(holder), 0)
                note(f"docmt: another process does this job: {holder.process}, last sign of life {ago:.0f} seconds ago")
            if holder != seen:
                seen, since = holder, time.monotonic()
            if is_over():
                return None
            time.sleep(LOOK_S)
        self._has_taken = True
        threading.Thread(target=self._beat, daemon=True).start()
        return self.token

    def is_held(self) -> bool:
        """Return whether this process still holds the lease; a lost lease remains lost."""
        holder = read_holder(self.folder)
        self.is_lost = self.is_lost or holder is None or holder.token != self.token
        return not self.is_lost

    def check(self) -> None:
        """Raise Failure where this process no longer holds the lease."""
        if not self.is_held():
            holder = read_holder(self.folder)
            raise Failure(
                Reason.LEASE_LOST,
                "another process has taken over this folder",
                where=str(self.folder),
                found=f"{holder.process} works on it" if holder else "no process works on it",
                remedy="this process was silent for too long: it ends, and the other one goes on",
            )

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Replace an exception of the block by the Failure of a lost lease, where this process has lost its lease.

        The cause of such an exception is most often the other process, which changes the folder.
        """
        try:
            yield
        except Exception:
            # The first rank may have given the lease back in good order.
            if self.token is not None and (self._has_taken or read_holder(self.folder)):
                self.check()
            raise

    def _take(self, note: Callable[[str], None], seen: Holder | None, since: float) -> Holder | None:
        """Take the lease and return None, or return its holder, which this process has `seen` at the time `since`."""
        with folder_lock(self.folder.parent) as locked:
            holder = read_holder(self.folder)
            if holder and holder.token == os.environ.get(TOKEN):
                self.token = holder.token
                return None
            alive = holder.process.is_alive() if holder else False
            if alive is not False:
                # The clock of the file system may be wrong, so the time without a change of the file counts as well.
                silent = max(self._silent_s(holder), time.monotonic() - since if holder == seen else 0.0)
                if alive or silent < STALE_S:
                    return holder
                note(f"{holder.process} gave no sign of life for {silent:.0f} seconds: this process goes on here")
            self.token, self.is_lost, self._has_written = uuid.uuid4().hex, False, True
            write_json(self.folder / FILE, {**asdict(Process.this()), "token": self.token})
        # Without a lock several processes may write the file at once; the last one has the lease.
        if not locked:
            time.sleep(SETTLE_S)
            if not self.is_held():
                return read_holder(self.folder) or self._take(note, seen, since)
        return None

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            # A file system that hangs is no end of the signs of life.
            with suppress(OSError):
                if self.is_held():
                    os.utime(self.folder / FILE)

    def _silent_s(self, holder: Holder) -> float:
        """Return the seconds since the holder's last sign of life.

        Both times are by the clock of the file system, which may be the clock of another machine.
        """
        with tempfile.TemporaryFile(dir=self.folder.parent) as probe:
            os.utime(probe.fileno())
            return os.fstat(probe.fileno()).st_mtime - holder.touched


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
        token = plain.pop("token")
        return Holder(Process(**plain), token, touched)
    except (ValueError, TypeError, KeyError, AttributeError):
        return Holder(Process(), "", touched)


def holder_of(folder: Path) -> Holder | None:
    """Return who works in a folder: by its signs of life where it is on another machine. None where nobody does."""
    holder = read_holder(folder)
    alive = holder.process.is_alive() if holder else False
    return holder if alive or (alive is None and time.time() - holder.touched < STALE_S) else None


@contextmanager
def leased(folder: Path, is_done: Callable[[], bool], note: Callable[[str], None]) -> Iterator[bool]:
    """Take the lease of a job's folder for the block, or wait for who has it; `note` tells a person about the wait.

    The block gets false where the job was done meanwhile by another process (`is_done`). The processes that the block
    starts have the lease too.
    """
    lease = Lease(folder)
    token = lease.take(note, is_done)
    if token is None:
        yield False
        return
    os.environ[TOKEN] = token
    try:
        with lease:
            yield True
    finally:
        os.environ.pop(TOKEN, None)
