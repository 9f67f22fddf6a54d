"""Trainings as processes of their own that wait for a test before an update; see `leased_training.py`."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from helpers.support import ROOT, environment
from helpers.toy_task import Folder

from docmt.supervision.lease import read_holder

SCRIPT = ROOT / "tests" / "helpers" / "leased_training.py"


class Job(subprocess.Popen):
    """`docmt job train` in a process group of its own.

    It waits before update `at` (0 = none), until it is to go on.
    """

    def __init__(
        self, folder: Folder, at: int = 0, ranks: int = 1, stale_s: float = 300.0, before: Sequence[str] = ()
    ) -> None:
        self.folder, self.ranks, self.gate = folder, ranks, folder.root / f"gate{time.monotonic_ns()}"
        self.attempt = folder.attempts() + 1
        command = [*before, sys.executable, str(SCRIPT), str(stale_s), str(at), str(self.gate), *folder.command()]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        super().__init__([*command, "--ranks", str(ranks)], env=environment(), start_new_session=True, **pipes)

    def until(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 120
        while not what():
            assert self.poll() is None and time.monotonic() < deadline, self.stderr.read()
            time.sleep(0.01)

    def at_work(self) -> "Job":
        """All of its ranks wait."""
        self.until(lambda: all(self.gate.with_suffix(f".{rank}").exists() for rank in range(self.ranks)))
        return self

    def said(self) -> str:
        """What its log has; it is the only process that begins the job at its time."""
        return self.folder.log(self.attempt)

    def waiting(self) -> "Job":
        """It waits for another process that does the job."""
        self.until(lambda: "another process does this job" in self.said())
        return self

    def ended(self, goes_on: bool = True) -> tuple[int, str]:
        """Its status, and what it said; it goes on before."""
        if goes_on:
            self.gate.touch()
        _, screen = self.communicate(timeout=120)
        assert "Traceback" not in screen
        return self.returncode, self.said() or screen


def checkpoints(folder: Folder) -> list[Path]:
    return sorted(folder.paths.state.glob("checkpoint-*.pt"))


def holder(folder: Folder) -> int:
    """The process that has the job."""
    return read_holder(folder.paths.output).process.process
