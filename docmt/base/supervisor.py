"""A process between docmt and a program, which ends the program together with everything that the program has started.

A program may start others that leave its process group and lose their parent (setsid, a daemon). Linux gives such
orphans to the nearest ancestor that takes them, a subreaper, and here this is the supervisor, which has no other
children. docmt itself takes no orphans: it may be a library inside a process with children of its own.

`docmt.base.line_process.supervised` runs this file as a program that starts fast: it imports nothing of docmt.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress

SIGNAL_AT_PARENTS_END, TAKE_ORPHANS = 1, 36
"""The options PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of Linux; elsewhere only the process group is ended."""
AWAITED = (signal.SIGTERM, signal.SIGCHLD)
LOOK_S = 0.005
"""Seconds until the supervisor looks again for processes that it has killed."""


def main(parent: int, report: int, command: list[str]) -> int:
    """Run a command, and return its status, or 128 and the number of the signal that ended it.

    `parent` is the process that asks for it; at its end, and after SIGTERM, the command is ended. `report` is a
    descriptor for the error number where the command cannot be started.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    _ask_system(TAKE_ORPHANS, 1)
    _ask_system(SIGNAL_AT_PARENTS_END, signal.SIGTERM)
    if os.getppid() != parent:
        return 1
    os.set_inheritable(report, False)
    program = os.fork()
    if program == 0:
        _become(command, report, before)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (report, 0, 1):  # docmt waits for the ends of these, which the program alone holds from now on
        os.dup2(nowhere, stream)
    status = None
    while status is None and signal.sigwait(AWAITED) == signal.SIGCHLD:
        status = _status(program)
    _end_all(program)
    return 128 - status if status is not None and status < 0 else status or 0


def _become(command: list[str], report: int, mask: set[signal.Signals]) -> None:
    """Become the program, in a session of its own."""
    try:
        os.setsid()
        _ask_system(SIGNAL_AT_PARENTS_END, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.execvp(command[0], command)
    except OSError as problem:
        os.write(report, str(problem.errno).encode())
    finally:
        os._exit(127)


def _status(program: int) -> int | None:
    """Return the status of the program if it has ended, after all processes that have ended were waited for."""
    status = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                status = os.waitstatus_to_exitcode(ended[1])
    return status


def _end_all(program: int) -> None:
    """Kill all children until there are none: those of a killed process become children of this one."""
    with suppress(ChildProcessError):
        while True:
            for child in _children(program):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(LOOK_S)


def _children(program: int) -> list[int]:
    """Return the children of this process, or the process group of the program where the system lists no children."""
    with suppress(OSError), os.fdopen(os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY)) as numbers:
        return [*map(int, numbers.read().split())]
    return [-program]


def _ask_system(option: int, value: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
