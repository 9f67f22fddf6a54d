"""Progress of a long command on standard error: a bar on a terminal, a line a minute in a log file."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from docmt.cli.screen import say

if TYPE_CHECKING:
    from docmt.base.workers import Workers

EVERY_S = 60.0


@contextmanager
def shown_progress(name: str, unit: str, counted: str = "source pieces") -> Iterator[Callable[[int, int, int], None]]:
    """Something to be told of items done, items in all, and how much else was done: `counted`, shown as a rate."""
    if not sys.stderr.isatty():
        yield LogLines(name, unit, counted)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn(f"{{task.fields[rate]:,.0f}} {counted}/s")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), rate)
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        task, start = bars.add_task(name, rate=0.0), time.monotonic()

        def show(done: int, total: int, count: int) -> None:
            bars.update(task, completed=done, total=total, rate=count / (time.monotonic() - start))

        yield show


shown_shards = partial(shown_progress, unit="shards", counted="sentence pairs")
"""Of a stage that goes through a corpus, by the name of what it does."""


class Minutes:
    """Says, when it is called, whether another line of a log is due; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start = self.last = clock()

    def __call__(self) -> bool:
        now = self.clock()
        if now - self.last < EVERY_S:
            return False
        self.last = now
        return True


class LogLines:
    """A line a minute; the clock gives seconds."""

    def __init__(
        self, name: str, unit: str, counted: str = "source pieces", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name, self.unit, self.counted, self.minutes = name, unit, counted, Minutes(clock)

    def __call__(self, done: int, total: int, count: int) -> None:
        if self.minutes():
            rate = f"{count / (self.minutes.last - self.minutes.start):,.0f} {self.counted}/s"
            say(f"{self.name}: {done} of {total} {self.unit}, {rate}")


def workers_of(processes: int | None) -> "Workers":
    """So many, or one for each core, and what shows how far they are."""
    from docmt.base.workers import Workers, cores

    return Workers(processes or cores(), shown_shards)
