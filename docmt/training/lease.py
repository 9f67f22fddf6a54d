"""Who works on a state folder: one training at a time holds its lease, `process.json`.

    {"host": "node7", "boot": "...", "namespace": "...", "process": 1234, "began": "88231", "token": "..."}

Signs of life touch the file. Of a holder on this machine the system says whether it is there; one elsewhere is taken
for gone when it gave no sign of life for `STALE_S`, by the file system's clock. It may live all the same, silent for
long: so a holder looks, with each sign of life and before each write, whether the lease still has its own token, and
ends where it has not. The file is removed at an ordered end, and stays where a process is killed.
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

BEGAN = 18
"""Place of the start among what /proc/<process>/stat says after the process's state."""
ENDED = ("Z", "X")
"""States of a process that has ended and whose parent has not asked how."""


@dataclass(frozen=True)
class Process:
    """A process of a machine; what the system does not tell is empty."""

    host: str
    boot: str
    """Of the machine's kernel, so that two machines of one name, or a name before and after a restart, differ."""
    namespace: str
    """Within which process numbers count: containers of a machine have their own."""
    process: int
    began: str
    """When, in ticks since the machine's start, so that another process of the same number is not taken for it."""

    @classmethod
    def this(cls) -> "Process":
        boot = _told(lambda: Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8"))
        namespace = _told(lambda: str(Path("/proc/self/ns/pid").readlink()))
        return cls(socket.gethostname(), boot, namespace, os.getpid(), _began(os.getpid()))

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Process":
        """What is missing is not known."""
        texts = (str(plain.get(name, "")) for name in ("host", "boot", "namespace"))
        return cls(*texts, int(plain.get("process", 0)), str(plain.get("began", "")))

    def is_alive(self) -> bool | None:
        """Whether it is there; none where this process cannot know, since it runs elsewhere."""
        here = Process.this()
        if not self.began or (self.host, self.boot, self.namespace) != (here.host, here.boot, here.namespace):
            return None
        return _began(self.process) == self.began

    def __str__(self) -> str:
        return f"process {self.process} on {self.host or 'an unknown machine'}"


def _began(number: int) -> str:
    stat = _told(lambda: Path(f"/proc/{number}/stat").read_text(encoding="utf-8"))
    if not stat:
        return ""
    # The command's name stands in parentheses, and may have any character.
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in ENDED else rest[BEGAN]


def _told(ask: Callable[[], str]) -> str:
    """What the system says; nothing where it does not."""
    try:
        return ask().strip()
    except OSError:
        return ""


FILE = "process.json"
STALE_S = 300.0
"""Longer than a batch of an update or of dev should take, parts to be compiled included."""
BEAT_S = 20.0
"""At most so often a sign of life touches the file."""
LOOK_S = 2.0
"""Between two looks of one that waits."""
SETTLE_S = 1.0
"""Where the file system has no locks: after which of several that took a lease at once the last one has it."""


@dataclass(frozen=True)
class Holder:
    """What the file says, and when the last sign of life was, in seconds of the file system's clock."""

    process: Process
    token: str
    touched: float


class Lease(AbstractContextManager):
    """That of a state folder. While entered, it is given back at the end, if this process took it.

    `token` is none until the training has it; ranks but the first are given that of the first.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self._clock, self._beaten = folder, clock, clock()
        self.token: str | None = None
        self.is_lost = False
        """By the last look."""
        self._taken = False

    def __exit__(self, *problem: object) -> None:
        with suppress(OSError):
            if self._taken and self.is_held():
                (self.folder / FILE).unlink()

    def take(self, claim: Callable[[], None], note: Callable[[str], None], give_up: Callable[[], Reason | None]) -> str:
        """Have the folder for this training alone: its token. `claim` makes the folder this run's, before it is ours.

        Waits where the holder is elsewhere and may be gone, until `give_up` has a reason.
        Raises Failure where another training works on it, and for the reason to give up.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        first, since = None, self._clock()
        while (holder := self._take(claim, note, first, since)) is not None:
            if holder.process.is_alive() or (first and holder != first):
                raise in_use(self.folder, holder)
            if first is None:
                first, since = holder, self._clock()
                silence = f"last sign of life {silent_s(self.folder, holder):.0f} seconds ago"
                note(f"{holder.process} has {self.folder}, {silence}: waiting for the next, or {STALE_S:g} without one")
            if reason := give_up():
                raise given_up(reason, self.folder, holder)
            time.sleep(LOOK_S)
        return self.token

    def beat(self) -> None:
        """A sign of life, and a look whether the lease is still ours."""
        if self._clock() - self._beaten >= BEAT_S:
            self._beaten = self._clock()
            if self.is_held():
                with suppress(FileNotFoundError):
                    os.utime(self.folder / FILE)

    def is_held(self) -> bool:
        """Whether the lease is still ours."""
        holder = read_holder(self.folder)
        self.is_lost = self.is_lost or holder is None or holder.token != self.token
        return not self.is_lost

    def check(self) -> None:
        """Raises Failure where the lease is not ours any more."""
        if not self.is_held():
            raise lost(self.folder)

    def may_record(self) -> bool:
        """Whether the folder is ours to say how this training ended: not while it is, or may be, another one's."""
        if self.token is not None:
            return self.is_held()
        holder = read_holder(self.folder)
        return holder is None or holder.process.is_alive() is False

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Whatever fails within since the folder is another training's, fails for that. Raises Failure."""
        try:
            yield
        except Exception:
            if self.token is not None and not self.is_held() and (self._taken or read_holder(self.folder)):
                raise lost(self.folder) from None
            raise

    def _take(
        self, claim: Callable[[], None], note: Callable[[str], None], first: Holder | None, since: float
    ) -> Holder | None:
        """Take the lease, or say who has it; `first` was seen at `since`."""
        with folder_lock(self.folder.parent) as locked:
            holder = read_holder(self.folder)
            alive = holder.process.is_alive() if holder else False
            if alive is not False:
                waited = self._clock() - since if holder == first else 0.0
                silent = max(silent_s(self.folder, holder), waited)
                if alive or silent < STALE_S:
                    return holder
                note(f"{holder.process} gave no sign of life for {silent:.0f} seconds: training goes on here")
            claim()
            self._write()
        if not locked:
            time.sleep(SETTLE_S)
        return None if locked or self.is_held() else read_holder(self.folder)

    def _write(self) -> None:
        token = uuid.uuid4().hex
        write_json(self.folder / FILE, {**asdict(Process.this()), "token": token})
        self.token, self._taken = token, True


def read_holder(folder: Path) -> Holder | None:
    """None where no training has the folder; an unknown one where the file is damaged."""
    try:
        with (folder / FILE).open(encoding="utf-8") as stream:
            text, touched = stream.read(), os.fstat(stream.fileno()).st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        plain = json.loads(text)
    except ValueError:
        plain = {}
    return Holder(Process.from_plain(plain), plain.get("token", ""), touched)


def silent_s(folder: Path, holder: Holder) -> float:
    """Seconds since the last sign of life: between two times of the file system, which may be another machine's."""
    with tempfile.TemporaryFile(dir=folder.parent) as probe:
        os.utime(probe.fileno())
        return os.fstat(probe.fileno()).st_mtime - holder.touched


def in_use(folder: Path, holder: Holder) -> Failure:
    number, host = holder.process.process, holder.process.host
    return Failure(
        Reason.IN_USE,
        "another training works on this state folder",
        where=str(folder),
        found=f"{holder.process}, last sign of life {max(silent_s(folder, holder), 0):.0f} seconds ago",
        remedy=f"wait until it ends, or end it with `kill {number}` on {host}; then run again",
    )


def given_up(reason: Reason, folder: Path, holder: Holder) -> Failure:
    return Failure(
        reason,
        f"{reason} while it waited for this state folder",
        where=str(folder),
        found=f"{holder.process}, which may be gone",
        remedy="nothing was changed: run again",
    )


def lost(folder: Path) -> Failure:
    holder = read_holder(folder)
    return Failure(
        Reason.LEASE_LOST,
        "this state folder is not this training's any more",
        where=str(folder),
        found=f"that of {holder.process}" if holder else "none that has it",
        remedy="another one went on in its place while this one was silent; this one ends and changes nothing there",
    )
