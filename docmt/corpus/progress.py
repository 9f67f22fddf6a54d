"""Progress of downloads, for people who watch: nothing is shown where standard error is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(name: str, done: int, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show bytes got of `total` (None = unknown); the block calls what it is given with each further number."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(name, completed=done, total=total)
        yield lambda count: bar.advance(task, count)
