"""The process beside a run that pushes each artifact as soon as it is finished.

A run that is killed has therefore given what it made. The driver starts the process, and closes its standard input when
the jobs have ended; the process then pushes the rest, and says what it has done. It ends with the driver, after the
artifact that it is copying.
"""

import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.parent import signal_at_parents_end
from docmt.plan.planning import Plan, Planner
from docmt.plan.pushing import TO_PUSH, Awaited, Pusher, awaited_of, read_awaited, write_awaited
from docmt.store.addresses import open_store
from docmt.store.backend import StoreUnusable

PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
"""Least and largest number of seconds between two looks at the manifests of a run."""
SHARE = 0.05
"""Largest share of the time that the process looks at manifests: a shared file system answers slowly."""
RETRY_S = 300.0
"""Seconds until a store that could not be used is tried again."""
PATIENCE_S = 5.0
"""Seconds after which the driver says that it waits for the process."""


@dataclass
class PushProcess:
    """The process of a run, as the driver has it."""

    process: subprocess.Popen[str]

    @classmethod
    def start(cls, planner: Planner, plan: Plan) -> "PushProcess | None":
        """Start the process of a run; return None where nothing is to be pushed.

        No process is started where the run has found that the store cannot be used.
        """
        grid, root = planner.jobs.grid, planner.digests.root
        awaited = awaited_of(planner, plan) if grid.pushes and planner.stored.problem is None else []
        if not awaited or grid.store is None:
            return None
        write_awaited(root, grid.store, awaited)
        # Beside this Python, as for jobs; in a session of its own, so that Ctrl-C does not reach it before the driver.
        command = [str(Path(sys.executable).parent / "docmt"), "job", "push-finished", "--awaited", TO_PUSH]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=root, stdin=pipe, stdout=nowhere, stderr=pipe, text=True, start_new_session=True
        )
        return cls(process)

    def end(self, tell: Callable[[str], None]) -> None:
        """Wait until all that is finished was pushed, and show what the process says."""
        try:
            _, said = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            tell("waiting until the store has what this run has made")
            _, said = self.process.communicate()
        for line in said.splitlines():
            tell(line)
        if self.process.returncode != 0:
            tell(f"the push to the store has failed (status {self.process.returncode}); the next run pushes the rest")


class PushWatch:
    """The work of the process: it looks at the manifests of a run, and pushes what is finished."""

    def __init__(self, pusher: Pusher, waiting: list[Awaited]) -> None:
        """Wait for the artifacts `waiting`."""
        self.pusher, self.waiting = pusher, waiting
        self.problem: UserError | None = None
        self.is_stopped = False

    def stop(self, *_: object) -> None:
        """End after the artifact that is being copied."""
        self.is_stopped = True

    def run(self, is_over: Callable[[float], bool]) -> None:
        """Push until the run is over, and then what is left; `is_over` waits some seconds, or until that is known."""
        over = False
        while not over and not self.is_stopped:
            began = time.monotonic()
            self.sweep()
            pause = min(max(PAUSE_S, (time.monotonic() - began) / SHARE), LONGEST_PAUSE_S)
            over = is_over(RETRY_S if self.problem else pause)
        self.sweep()

    def sweep(self) -> None:
        """Push each artifact that is finished. A store that cannot be used ends the sweep."""
        self.problem, left = None, []
        for awaited in self.waiting:
            try:
                if self.problem or self.is_stopped or not self.pusher.push(awaited):
                    left.append(awaited)
            except StoreUnusable as problem:
                self.problem = problem
                left.append(awaited)
        self.waiting = left

    def lines(self) -> list[str]:
        """Return the lines about what was pushed and what was not."""
        left = [awaited for awaited in self.waiting if self.pusher.finished(awaited)]
        return self.pusher.lines(len(left), self.problem)


def push_until_over(awaited: Path) -> list[str]:
    """Push what a file names until standard input ends; return the lines about it.

    Raises UserError for a damaged file, and for an address that is no store.
    """
    address, waiting = read_awaited(awaited)
    watch = PushWatch(Pusher(open_store(address), Path()), waiting)
    signal.signal(signal.SIGTERM, watch.stop)
    signal_at_parents_end(signal.SIGTERM)
    watch.run(standard_input_ends)
    return watch.lines()


def standard_input_ends(seconds: float) -> bool:
    """Return whether standard input ends within some seconds, or a signal comes."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return bool(ready)
