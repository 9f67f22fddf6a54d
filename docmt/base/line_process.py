"""A process that reads lines on its standard input and writes lines on its standard output."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

from docmt.base.errors import UserError

LONGEST_LINE = 64 * 2**20
"""The largest number of bytes of a line; a program that writes more without a line end writes something else."""
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
    """A program that runs, without a shell, in a session of its own.

    Its standard error is that of this process. Threads read and write the pipes: a program may write before it has read
    all.
    """

    def __init__(self, command: Sequence[str], where: str) -> None:
        """Start a command; `where` names its setting. Raises UserError where it cannot be started."""
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
        except (OSError, ValueError) as problem:
            raise UserError(
                "the program cannot be started",
                where=where,
                found=f"{command[0]}: {getattr(problem, 'strerror', None) or problem}",
                remedy="name a program that is there and can be run, by its path or by a name in PATH",
            ) from None
        self._where = where
        self._to_send, self._received = SimpleQueue[bytes](), SimpleQueue[bytes]()
        for work in (self._write, self._read):
            Thread(target=work, daemon=True).start()

    def send(self, line: str) -> None:
        """Send a line, without waiting until the program reads it."""
        self._to_send.put(line.encode() + b"\n")

    def receive(self, seconds: float, since: float | None = None) -> bytes:
        """Return the next line of the program, without its end; `since` is when the wait began, None for now.

        Raises ProgramFailure where no line comes in this time, and where the program ends; UserError where a line is
        too long.
        """
        left = (since or time.monotonic()) + seconds - time.monotonic()
        try:
            line = self._received.get(timeout=max(0.0, left))
        except Empty:
            raise ProgramFailure(f"no answer in {seconds:g} seconds") from None
        if len(line) > LONGEST_LINE:
            raise UserError(
                "the program wrote a line without an end",
                where=self._where,
                found=f"more than {LONGEST_LINE:,} bytes",
                expected=f"answers of at most {LONGEST_LINE:,} bytes, each on a line",
                remedy="let the program write its messages to standard error",
            )
        if not line.endswith(b"\n"):
            raise ProgramFailure(self._ending(END_S))
        return line.removesuffix(b"\n")

    def _read(self) -> None:
        """Pass on the lines of the program, and last what has no end of a line: nothing, or a line that is too long."""
        with self._process.stdout as stream:
            line = b"\n"
            while line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE + 1)
                self._received.put(line)

    def _write(self) -> None:
        """Write lines until an empty one, and close the input of the program, which may have ended."""
        with suppress(OSError), self._process.stdin as stream:
            while line := self._to_send.get():
                stream.write(line)
                stream.flush()

    def _ending(self, seconds: float) -> str:
        """Return how the program ended, after the end of its output; it has this many seconds to end."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "it closed its standard output"
        return f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"

    def close(self, seconds: float = 0.0) -> None:
        """End the program: end its input, wait this long for its end, then kill it and the processes of its group."""
        self._to_send.put(b"")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
