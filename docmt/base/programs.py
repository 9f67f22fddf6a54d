"""Programs beside docmt: requests and answers as lines of JSON. `docs/reference/programs.md` describes the protocol.

Whatever is not Python of this environment works for docmt as a program: a translation service, a metric whose library
needs other versions. docmt writes a request to the standard input of the program, a line of JSON with an `id`, and
reads the answer, a line of JSON with the same `id`, from its standard output. The program ends when its input ends.
"""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docmt.base.errors import UserError, quoted
from docmt.base.line_process import END_S, LineProcess, ProgramFailure

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON can have and no file of text."""


@dataclass(frozen=True)
class Limits:
    """The limits of a program.

    - `timeout_seconds`: the longest wait for the next answer, from the previous answer or the request.
    - `retries`: how often a request that failed is sent again.
    - `at_once`: the largest number of requests that wait for their answers.
    """

    timeout_seconds: float
    retries: int = 0
    at_once: int = 1


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

    def __init__(self, command: Sequence[str], limits: Limits, where: str) -> None:
        """Store the words of the command line; `where` names the setting in messages."""
        self.command, self.limits, self.where = command, limits, where
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
        """Send requests until the largest number of them wait for answers."""
        while len(pending) < self.limits.at_once and (request := next(waiting, None)):
            pending[request.id] = request
            self._send(request)

    def _send(self, request: Request) -> None:
        """Send a request; the first one starts the program."""
        if self._process is None:
            self._process = LineProcess(self.command, self.where)
        self._process.send(request.line)

    def _next(self, pending: dict[str, Request], done: set[str]) -> tuple[Request, dict]:
        """Return the next answer to a request that waits; an answer to an earlier request is left out, with a line.

        Raises ProgramFailure where no answer comes, or where it is not complete.
        """
        since = time.monotonic()
        while True:
            line = self._process.receive(self.limits.timeout_seconds, since)
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
        """Return the object of a line; raise UserError where the line is not an object of JSON with an id."""
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
        """End the program and send the requests that wait to a new one.

        Raises UserError where one of the requests that may have caused the failure was sent too often.
        """
        self._close()
        blamed = [failure.request] if failure.request else list(pending)
        self._failures.update(blamed)
        worst = max(blamed, key=lambda name: self._failures[name])
        if self._failures[worst] > self.limits.retries:
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
    """Return whether an item of an answer is a text, or a finite number."""
    if kind is str:
        return isinstance(item, str) and SURROGATE.search(item) is None
    return isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= sys.float_info.max
