"""The output of commands: tables or JSON on standard output, messages and progress on standard error.

Tables are plain columns. Progress is a bar on a terminal, and a line per minute elsewhere. Messages never end a
command, even where the terminal is gone.
"""

import dataclasses
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from docmt.base.workers import Workers

# The variable of the environment with which jobs leave it to the logger of their run to print why they failed.
TOLD = "DOCMT_TOLD"
EVERY_S = 60.0  # Seconds between two lines of progress in a log.
FIRST_S = 5.0  # Seconds without a sign after which a person at a terminal wants one.


class LastSign:
    """When this process last showed a sign of life."""

    at = 0.0


def say(text: str) -> None:
    """Write a line to standard error, in one write."""
    LastSign.at = time.monotonic()
    # Processes share the screen, and `print` may write the end of a line separately, after text of another process.
    with unfailing():
        typer.echo(text, err=True)


@contextmanager
def at_work(name: str) -> Iterator[None]:
    """Say that the work `name` goes on, while the block says nothing: soon at a terminal, in a log each minute."""
    ended, start = threading.Event(), time.monotonic()

    def watch() -> None:
        wait = FIRST_S if sys.stderr.isatty() else EVERY_S
        while not ended.wait(wait):
            if time.monotonic() - max(start, LastSign.at) >= wait:
                say(f"docmt: {name} has been at work for {duration(time.monotonic() - start)}")
                wait = EVERY_S

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def tell(warnings: Iterable[str]) -> None:
    """Write warnings to standard error."""
    for text in warnings:
        say(f"docmt: warning: {text}")


def two_digits(value: float) -> str:
    """Return a number with two significant digits."""
    return f"{float(f'{value:.1e}'):,g}"


def duration(seconds: float) -> str:
    """Return a duration in seconds as a text, such as `4.2 s`, `48 s`, `12 min 05 s` or `3 h 20 min`."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s" if seconds >= 10 else f"{seconds:.1f} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s for any number but 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def first_of(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines, at most `most`, and a line with the number of the others."""
    return [*lines[:most], *([f"... and {len(lines) - most} more"] if len(lines) > most else [])]


@contextmanager
def unfailing() -> Iterator[None]:
    """Discard standard error after a failed write in the block (a closed pipe, a lost terminal, a full disk)."""
    try:
        yield
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def answer(as_json: bool, record: Any, text: str | Callable[[], object]) -> None:
    """Print the answer of a command: with --json its record, else a text, or what the function `text` prints."""
    if as_json:
        print_json(record)
    elif callable(text):
        text()
    else:
        typer.echo(text)


def print_json(value: Any, stream: IO[str] | None = None) -> None:
    """Print a value as JSON on standard output or another stream; the fields of a dataclass are keys of an object."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False, default=_as_json), file=stream)


def _as_json(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else str(value)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = ()) -> None:
    """Print a table; columns whose names are in `numbers` are aligned to the right."""
    typer.echo(fitting(aligned([columns, *rows], numbers=numbers)))


def aligned(rows: Sequence[Sequence[str]], indent: str = "", numbers: Collection[str] = ()) -> str:
    """Return rows as text, each column as wide as its widest cell; the first row has the names of the columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    flush = [str.rjust if name in numbers else str.ljust for name in rows[0]]
    texts = ("  ".join(f(cell, width) for f, cell, width in zip(flush, row, widths, strict=True)) for row in rows)
    return "\n".join(f"{indent}{text}".rstrip() for text in texts)


def fitting(text: str) -> str:
    """Return the lines of a listing cut at the width of the terminal; unchanged where they go to a file or a pipe."""
    width, lines = shutil.get_terminal_size().columns, text.splitlines()
    if not sys.stdout.isatty() or all(len(line) <= width for line in lines):
        return text
    cut = [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines]
    return "\n".join([*cut, "(… is cut at the width of the terminal: add | cat)"])


@contextmanager
def progress_display(name: str, unit: str, counted: str = "source pieces") -> Iterator[Callable[[int, int, int], None]]:
    """Yield a function that shows the progress of the work `name`.

    The function is called with three numbers: finished items, all items (each item is a `unit`), and the things so far
    whose rate per second is shown, which `counted` names.
    """
    if not sys.stderr.isatty():
        minutes = Minutes()

        def log(done: int, total: int, count: int) -> None:
            if minutes():
                rate = f"{count / (minutes.last - minutes.start):,.0f} {counted}/s"
                say(f"{name}: {done} of {total} {unit}, {rate}")

        yield log
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn(f"{{task.fields[rate]:,.0f}} {counted}/s")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit), rate)
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        task, start = bars.add_task(name, rate=0.0), time.monotonic()

        def show(done: int, total: int, count: int) -> None:
            LastSign.at = time.monotonic()
            bars.update(task, completed=done, total=total, rate=count / (time.monotonic() - start))

        yield show


# The progress display of a stage that processes a corpus in shards.
shard_progress = partial(progress_display, unit="shards", counted="sentence pairs")


class Minutes:
    """The clock of a log; a call returns whether a minute has passed since the last line."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the first minute now; `clock` returns seconds."""
        self.clock = clock
        self.start = self.last = clock()

    def __call__(self) -> bool:
        """Return whether another line is due and, if so, start the next minute."""
        now = self.clock()
        if now - self.last < EVERY_S:
            return False
        self.last = now
        return True


def workers_of(processes: int | None) -> "Workers":
    """Return worker processes that show their progress; `processes` None means one process per core."""
    from docmt.base.workers import Workers, cores

    return Workers(processes or cores(), shard_progress)
