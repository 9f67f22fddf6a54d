"""What commands print: results as tables or JSON; lines on standard error, where a screen that is gone ends nothing;
there too how far a long command is.

Tables are ruled on a terminal, and plain columns in a file or a pipe. Progress is a bar, or a line a minute.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from docmt.base.workers import Workers

EVERY_S = 60.0
"""Between two lines of progress in a log."""


def say(text: str) -> None:
    """One write, since processes share the screen: `print` may write a line's end by itself."""
    with unfailing():
        typer.echo(text, err=True)


@contextmanager
def unfailing() -> Iterator[None]:
    """Where writing fails (a closed pipe, a terminal that is gone, a full disk), all that follows goes nowhere."""
    try:
        yield
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def print_json(value: Any, stream: IO[str] | None = None) -> None:
    """Print a value as JSON, keys in the order that they have, on standard output or another stream."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False, default=str), file=stream)


def show_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = (), styles: Sequence[str] = ()
) -> None:
    """Columns named in `numbers` are set flush right; `styles`: on a terminal, of each row, if they differ."""
    if not sys.stdout.isatty():
        typer.echo(aligned([columns, *rows], numbers=numbers))
        return
    from rich.console import Console

    Console().print(ruled(columns, rows, numbers, styles))


def ruled(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = (), styles: Sequence[str] = ()
) -> "Table":
    """`styles`: of each row, if they differ."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row, style in zip(rows, styles or [""] * len(rows), strict=True):
        table.add_row(*row, style=style)
    return table


def aligned(rows: Sequence[Sequence[str]], indent: str = "", numbers: Collection[str] = ()) -> str:
    """Columns side by side, the first row being their names: two blanks between, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    flush = [str.rjust if name in numbers else str.ljust for name in rows[0]]
    texts = ("  ".join(f(cell, width) for f, cell, width in zip(flush, row, widths, strict=True)) for row in rows)
    return "\n".join(f"{indent}{text}".rstrip() for text in texts)


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
