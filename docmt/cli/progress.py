"""Progress of a long command on standard error: a bar on a terminal, a line a minute in a log file."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_S = 60.0


@contextmanager
def shown_progress(name: str, unit: str) -> Iterator[Callable[[int, int, int], None]]:
    """Something to be told of items done, items in all, and source pieces done."""
    if not sys.stderr.isatty():
        yield LogLines(name, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]:,.0f} source pieces/s")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), rate)
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        task, start = bars.add_task(name, rate=0.0), time.monotonic()

        def show(done: int, total: int, pieces: int) -> None:
            bars.update(task, completed=done, total=total, rate=pieces / (time.monotonic() - start))

        yield show


class LogLines:
    """A line a minute; the clock gives seconds."""

    def __init__(self, name: str, unit: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self.unit, self.clock = name, unit, clock
        self.start = self.last = clock()

    def __call__(self, done: int, total: int, pieces: int) -> None:
        now = self.clock()
        if now - self.last >= EVERY_S:
            self.last = now
            rate = f"{pieces / (now - self.start):,.0f} source pieces/s"
            print(f"{self.name}: {done} of {total} {self.unit}, {rate}", file=sys.stderr, flush=True)
