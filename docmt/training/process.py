"""Which process works on a state folder, in `process.json`: so that `docmt status` can tell a killed training.

    {"host": "node7", "process": 1234, "began": "88231"}

`began` is when the process did, in ticks since the machine's start, so that another process of the same number is not
taken for it; empty where the system does not tell.
"""

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from docmt.core.artifacts import write_json

FILE = "process.json"
EVERY_S = 60.0
BEGAN = 18
"""Place of the start among what /proc/<process>/stat says after the process's state."""
ENDED = ("Z", "X")
"""States of a process that has ended and whose parent has not asked how."""


def claim(folder: Path) -> None:
    """This process works on the folder."""
    number = os.getpid()
    write_json(folder / FILE, {"host": socket.gethostname(), "process": number, "began": _began(number)})


class Heartbeat:
    """Touches the file while there is progress, for those who look from another machine."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._file, self._clock, self._last = folder / FILE, clock, clock()

    def beat(self) -> None:
        """At a sign of life; the file is touched once a minute."""
        if self._clock() - self._last >= EVERY_S:
            self._last = self._clock()
            os.utime(self._file)


def is_alive(folder: Path) -> bool | None:
    """Whether the process that works on the folder is there; none where this machine cannot know."""
    try:
        claimed = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if claimed["host"] != socket.gethostname() or not claimed["began"]:
        return None
    return _began(claimed["process"]) == claimed["began"]


def _began(number: int) -> str:
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    # The command's name stands in parentheses, and may have any character.
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in ENDED else rest[BEGAN]
