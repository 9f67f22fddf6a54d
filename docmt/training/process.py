"""Which process it is, over all machines, and whether it is still there."""

import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
        number = os.getpid()
        return cls(socket.gethostname(), _boot(), _namespace(), number, _began(number))

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Process":
        """What is missing is not known."""
        texts = (str(plain.get(name, "")) for name in ("host", "boot", "namespace"))
        return cls(*texts, int(plain.get("process", 0)), str(plain.get("began", "")))

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

    def is_alive(self) -> bool | None:
        """Whether it is there; none where this process cannot know, since it runs elsewhere."""
        here = Process.this()
        if not self.began or (self.host, self.boot, self.namespace) != (here.host, here.boot, here.namespace):
            return None
        return _began(self.process) == self.began

    def __str__(self) -> str:
        return f"process {self.process} on {self.host or 'an unknown machine'}"


def _began(number: int) -> str:
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    # The command's name stands in parentheses, and may have any character.
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in ENDED else rest[BEGAN]


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
