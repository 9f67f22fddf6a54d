"""Signals to a job whose workflow has ended.

A job that outlives its workflow would be in the way of the next run of the same job, so it is signalled to end.
"""

import ctypes
import os
import signal
from contextlib import suppress

VARIABLE = "DOCMT_END_WITH_PARENT"
"""Set to 1 in the environment of the workflow's jobs: a command then ends when its workflow ends."""
SIGNAL_AT_PARENTS_END = 1
"""PR_SET_PDEATHSIG of Linux; other systems have no such option, and there nothing happens."""


def signal_at_parents_end(number: signal.Signals, parent: int | None = None) -> None:
    """Ask the system to send this process a signal when its parent ends, in whatever way the parent ends.

    `parent` is the number of the parent's process, where the caller knew it before; if the parent has ended already,
    the signal is sent at once.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SIGNAL_AT_PARENTS_END, number)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_with_workflow() -> None:
    """Let SIGTERM end this job when its workflow ends, so that a training writes a checkpoint and stops.

    Outside a workflow nothing happens. The parent of a training's ranks is their launcher, and they end with it.
    """
    if os.environ.get(VARIABLE) == "1" and "RANK" not in os.environ:
        signal_at_parents_end(signal.SIGTERM, os.getppid())
