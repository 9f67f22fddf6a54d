"""Programs beside docmt: requests and answers as lines of JSON. `docs/reference/programs.md` describes the protocol.

Whatever is not Python of this environment works for docmt as a program: a translation service, a metric whose library
needs other versions. docmt writes a request to the standard input of the program, a line of JSON with an `id`, and
reads the answer, a line of JSON with the same `id`, from its standard output. The program ends when its input ends.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from docmt.base.errors import UserError, quoted

# The largest number of bytes of a line; a program that writes more without a line end writes something else.
LONGEST_LINE = 64 * 2**20
END_S = 5.0  # Seconds that a program has to end by itself after its standard input was closed.


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


SURROGATE = re.compile("[\ud800-\udfff]")  # Half of a character, which JSON can have and no file of text.


@dataclass(frozen=True)
class Request:
    """A request to a program, and the form of its answer.

    `content` has the fields of the request beside its id. The answer has a list in `field`, with `count` items: texts
    of one line where `kind` is str, finite numbers where it is float.
    """

    id: str
    content: dict[str, Any]
    field: str
    kind: type[str] | type[float]
    count: int

    @property
    def line(self) -> str:
        """The request as a line of JSON; characters outside ASCII are escaped, whatever encoding the program reads."""
        return json.dumps({"id": self.id, **self.content})


class Program:
    """A program that answers requests. It is started with the first request, and again after a failure."""

    def __init__(
        self, command: Sequence[str], where: str, timeout_seconds: float, retries: int = 0, at_once: int = 1
    ) -> None:
        """Store the words of the command line; `where` names the setting in messages.

        - `timeout_seconds`: the longest wait for the next answer, from the previous answer or the request.
        - `retries`: how often a request that failed is sent again.
        - `at_once`: the largest number of requests that wait for their answers.
        """
        self.command, self.where = command, where
        self.timeout_seconds, self.retries, self.at_once = timeout_seconds, retries, at_once
        self._process: LineProcess | None = None
        self._failures: Counter[str] = Counter()

    def answers(self, requests: Iterable[Request]) -> Iterator[tuple[Request, dict]]:
        """Yield each request with its answer, in the order of the answers.

        No request is sent between an answer and the moment when the caller asks for the next one. Raises UserError
        where the program cannot be started, where a line is no answer to a request, and where a request has failed more
        often than it may be sent again.
        """
        waiting, pending, done = iter(requests), {}, set()
        try:
            while True:
                self._fill(waiting, pending)
                if not pending:
                    break
                try:
                    request, answer = self._next(pending, done)
                except ProgramFailure as failure:
                    self._again(failure, pending)
                    continue
                del pending[request.id]
                done.add(request.id)
                yield request, answer
            self._close(END_S)
        finally:
            self._close()

    def _fill(self, waiting: Iterator[Request], pending: dict[str, Request]) -> None:
        while len(pending) < self.at_once and (request := next(waiting, None)):
            pending[request.id] = request
            self._send(request)

    def _send(self, request: Request) -> None:
        if self._process is None:
            self._process = LineProcess(self.command, self.where)
        self._process.send(request.line)

    def _next(self, pending: dict[str, Request], done: set[str]) -> tuple[Request, dict]:
        """Return the next answer to a request that waits. Raises ProgramFailure where no whole answer comes."""
        since = time.monotonic()
        while True:
            line = self._process.receive(self.timeout_seconds, since)
            answer = self._parse(line)
            if answer["id"] in pending:
                request = pending[answer["id"]]
                self._check(request, answer, line)
                return request, answer
            if answer["id"] not in done:
                raise self._refusal("an answer to no request, or the third to one", line)
            done.remove(answer["id"])
            self.tell(f"a second answer to {answer['id']!r} was ignored")

    def _parse(self, line: bytes) -> dict:
        try:
            answer = json.loads(line.decode())
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
            raise self._refusal("not a line of JSON with the id of a request", line)
        return answer

    def _check(self, request: Request, answer: dict, line: bytes) -> None:
        """Raise ProgramFailure for an error or a wrong number of items, and UserError for items of another form."""
        if "error" in answer:
            raise ProgramFailure(f"the program says: {quoted(answer['error'])}", request.id)
        items = answer.get(request.field)
        if not isinstance(items, list) or not all(_is_item(item, request.kind) for item in items):
            kind = "finite numbers" if request.kind is float else "texts"
            raise self._refusal(f"an answer without {request.field!r}, a list of {kind}", line)
        if len(items) != request.count:
            raise ProgramFailure(f"{len(items)} {request.field}, where {request.count} were asked for", request.id)
        if request.kind is str and any(mark in item for item in items for mark in "\r\n"):
            raise ProgramFailure(f"{request.field} with a line break", request.id)

    def _again(self, failure: ProgramFailure, pending: dict[str, Request]) -> None:
        """Send the requests that wait to a new program. Raises UserError where one of them was sent too often."""
        self._close()
        blamed = [failure.request] if failure.request else list(pending)
        self._failures.update(blamed)
        worst = max(blamed, key=lambda name: self._failures[name])
        if self._failures[worst] > self.retries:
            raise UserError(
                "the program gave no usable answer",
                where=self.where,
                found=f"{failure}, for the request {worst!r}, which was sent {self._failures[worst]} times",
                expected="an answer to each request (docs/reference/programs.md)",
                remedy="the messages of the program stand above, or in the log of the job",
            )
        self.tell(f"{failure}; the program is started again")
        for request in pending.values():
            self._send(request)

    def _refusal(self, what: str, line: bytes) -> UserError:
        """Return the error of a line that a program of this protocol never writes."""
        return UserError(
            f"the program wrote {what}",
            where=self.where,
            found=quoted(line.decode(errors="replace")),
            expected='{"id": the id of the request, ...}, and nothing else on standard output',
            remedy="let the program write its messages to standard error",
        )

    def tell(self, message: str) -> None:
        """Write a line to the log of the job."""
        print(f"docmt: {self.where}: {message}", file=sys.stderr, flush=True)

    def _close(self, seconds: float = 0.0) -> None:
        """End the program, if it runs; it has this many seconds to end by itself."""
        process, self._process = self._process, None
        if process:
            process.close(seconds)


def _is_item(item: object, kind: type) -> bool:
    if kind is str:
        return isinstance(item, str) and SURROGATE.search(item) is None
    return isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= sys.float_info.max
