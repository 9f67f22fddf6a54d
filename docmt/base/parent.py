"""A job that outlives its workflow is in the way of whoever does its work again: it is told to end."""

import ctypes
import os
import signal
from contextlib import suppress

VARIABLE = "DOCMT_END_WITH_PARENT"
"""In the environment of the workflow's jobs: a command is then told when the workflow is gone."""
SIGNAL_AT_PARENTS_END = 1
"""PR_SET_PDEATHSIG of Linux; elsewhere there is no such thing, and nothing happens."""


def signal_at_parents_end(number: signal.Signals, parent: int | None = None) -> None:
    """Have the system send this process a signal when its parent ends, however that does.

    `parent`: its number, where the caller knew it before; if it is gone already, the signal comes at once.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SIGNAL_AT_PARENTS_END, number)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_with_workflow() -> None:
    """In a job of the workflow: SIGTERM when the workflow is gone, so that a training writes a checkpoint and stops.

    Ranks of a training have their launcher for a parent, and end with that.
    """
    if os.environ.get(VARIABLE) == "1" and "RANK" not in os.environ:
        signal_at_parents_end(signal.SIGTERM, os.getppid())
