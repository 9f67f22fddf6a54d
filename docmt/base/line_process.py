"""A process that reads lines on its standard input and writes lines on its standard output."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from docmt.base.errors import UserError
from docmt.base.parent import signal_at_parents_end

LONGEST_LINE = 256 * 2**20
"""The largest number of bytes of a line; a program that writes more without a line end writes something else."""
AT_ONCE = 2**16
"""The number of bytes that are read or written at once."""
END_S = 5.0
"""Seconds that a program has to end by itself after its standard input was closed."""


class ProgramFailure(Exception):
    """A program gave no usable answer: the message says how it failed. Another attempt may succeed.

    `request` is the id of the request that failed; None where the failure may be due to any open request.
    """

    def __init__(self, message: str, request: str | None = None) -> None:
        """Store the message and the request."""
        super().__init__(message)
        self.request = request


class LineProcess:
    """A program that runs, without a shell, in a process group of its own.

    Its standard error is that of this process. The system kills the program when this process ends, in whatever way
    it ends; `close` ends it and all processes of its group.
    """

    def __init__(self, command: Sequence[str], where: str) -> None:
        """Start a command; `where` names its setting. Raises UserError where it cannot be started."""
        die_with_parent = partial(signal_at_parents_end, signal.SIGKILL, os.getpid())
        try:
            self._process = subprocess.Popen(
                [*command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        except (OSError, ValueError) as problem:
            raise UserError(
                "the program cannot be started",
                where=where,
                found=f"{command[0]}: {getattr(problem, 'strerror', None) or problem}",
                remedy="name a program that is there and can be run, by its path or by a name in PATH",
            ) from None
        self._unsent, self._unread = bytearray(), bytearray()
        self._selector = selectors.DefaultSelector()
        for stream, event in (
            (self._process.stdout, selectors.EVENT_READ),
            (self._process.stdin, selectors.EVENT_WRITE),
        ):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, event)

    def send(self, line: str) -> None:
        """Add a line to those that `receive` sends while it waits: a program may write before it has read all."""
        self._unsent += line.encode() + b"\n"
        if self._process.stdin not in self._selector.get_map() and not self._process.stdin.closed:
            self._selector.register(self._process.stdin, selectors.EVENT_WRITE)

    def receive(self, seconds: float) -> bytes:
        """Return the next line of the program, without its end.

        Raises ProgramFailure where no line comes in this time, where the program ends, and where a line is too long.
        """
        deadline = time.monotonic() + seconds
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > LONGEST_LINE:
                raise ProgramFailure(f"a line of more than {LONGEST_LINE:,} bytes")
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProgramFailure(f"no answer in {seconds:g} seconds")
            self._exchange(left)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def _exchange(self, seconds: float) -> None:
        """Read or write what the pipes allow, and wait at most this time for it."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._process.stdin:
                self._write()
                continue
            part = os.read(key.fd, AT_ONCE)
            if not part:
                raise ProgramFailure(self._ending())
            self._unread += part

    def _write(self) -> None:
        """Write a part of the unsent bytes; the reader of the pipe may have ended, which `receive` reports."""
        try:
            del self._unsent[: os.write(self._process.stdin.fileno(), self._unsent[:AT_ONCE])]
        except BrokenPipeError:
            self._unsent.clear()
        if not self._unsent:
            self._selector.unregister(self._process.stdin)

    def _ending(self) -> str:
        """Return how the program ended, after the end of its output."""
        try:
            status = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return "it closed its standard output"
        return f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"

    def close(self, seconds: float = 0.0) -> None:
        """End the program: close its standard input, wait this long for its end, then kill its process group."""
        self._selector.close()
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        # The group may have other processes even where the program itself has ended.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()
