"""Signals that end a job when its workflow has ended.

A job that ran on after its workflow would disturb the next run of the same job.
"""

import ctypes
import os
import signal
from contextlib import suppress

# The environment variable that is 1 in the workflow's jobs: a command then ends when its workflow ends.
VARIABLE = "DOCMT_END_WITH_PARENT"
# The option PR_SET_PDEATHSIG of Linux; other systems have no such option, and their jobs get no signal.
SIGNAL_AT_PARENTS_END = 1


def signal_at_parents_end(number: signal.Signals, parent: int | None = None) -> None:
    """Ask the system to send this process a signal when its parent ends, in whatever way the parent ends.

    `parent` is the process id of the parent, where the caller knows it; if this parent has ended already, the process
    sends the signal to itself at once.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SIGNAL_AT_PARENTS_END, number)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_with_workflow() -> None:
    """Let SIGTERM end this job when its workflow ends, so that a training writes a checkpoint and stops."""
    # The ranks of a training end with their launcher.
    if os.environ.get(VARIABLE) == "1" and "RANK" not in os.environ:
        signal_at_parents_end(signal.SIGTERM, os.getppid())
