"""A process that reads lines on its standard input and writes lines on its standard output."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError

LONGEST_LINE = 64 * 2**20
"""The largest number of bytes of a line; a program that writes more without a line end writes something else."""
AT_ONCE = 2**16
"""The number of bytes that are read or written at once."""
END_S = 5.0
"""Seconds that a program has to end by itself after its standard input was closed."""


SUPERVISOR = Path(__file__).with_name("supervisor.py")


def supervised(command: Sequence[str], **options: Any) -> subprocess.Popen:
    """Start a command under a supervisor, with the options of Popen, and return the supervisor.

    It ends with the status of the command, or 128 and the number of the signal that ended the command. Before it ends,
    it ends the command and all that the command has started, in whatever session: when the command ends, after SIGTERM,
    and when this process ends, in whatever way. Raises OSError and ValueError as Popen does.
    """
    reader, writer = os.pipe()
    words = [sys.executable, "-I", "-S", str(SUPERVISOR), str(os.getpid()), str(writer), *command]
    with os.fdopen(reader, "rb") as report:
        try:
            process = subprocess.Popen(words, pass_fds=(writer,), start_new_session=True, **options)
        finally:
            os.close(writer)
        number = report.read()
    if number:
        process.communicate()
        raise OSError(int(number), os.strerror(int(number)))
    return process


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

    Its standard error is that of this process. `close` ends it and all that it has started; so does the end of this
    process, in whatever way it ends.
    """

    def __init__(self, command: Sequence[str], where: str) -> None:
        """Start a command; `where` names its setting. Raises UserError where it cannot be started."""
        try:
            self._process = supervised(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (OSError, ValueError) as problem:
            raise UserError(
                "the program cannot be started",
                where=where,
                found=f"{command[0]}: {getattr(problem, 'strerror', None) or problem}",
                remedy="name a program that is there and can be run, by its path or by a name in PATH",
            ) from None
        self._where = where
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

    def receive(self, seconds: float, since: float | None = None) -> bytes:
        """Return the next line of the program, without its end; `since` is when the wait began, None for now.

        Raises ProgramFailure where no line comes in this time, and where the program ends; UserError where a line is
        too long.
        """
        deadline = (since or time.monotonic()) + seconds
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if searched > LONGEST_LINE:
                raise UserError(
                    "the program wrote a line without an end",
                    where=self._where,
                    found=f"more than {LONGEST_LINE:,} bytes",
                    expected=f"answers of at most {LONGEST_LINE:,} bytes, each on a line",
                    remedy="let the program write its messages to standard error",
                )
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
                raise ProgramFailure(self._ending(min(seconds, END_S)))
            self._unread += part

    def _write(self) -> None:
        """Write a part of the unsent bytes; the reader of the pipe may have ended, which `receive` reports."""
        try:
            del self._unsent[: os.write(self._process.stdin.fileno(), self._unsent[:AT_ONCE])]
        except BrokenPipeError:
            self._unsent.clear()
        if not self._unsent:
            self._selector.unregister(self._process.stdin)

    def _ending(self, seconds: float) -> str:
        """Return how the program ended, after the end of its output; it has this many seconds to end."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "it closed its standard output"
        number = abs(status) % 128
        return f"it was ended by signal {number}" if status < 0 or status > 128 else f"it ended with status {status}"

    def close(self, seconds: float = 0.0) -> None:
        """End the program: close its standard input, wait this long for its end, then kill it with all its children."""
        self._selector.close()
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        for number in (signal.SIGTERM, signal.SIGCONT):  # the program may have stopped its supervisor
            self._process.send_signal(number)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the supervisor waits for a process that the system cannot end
        self._process.wait()
        self._process.stdout.close()
