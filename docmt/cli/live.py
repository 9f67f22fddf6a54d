"""Progress of a training on a terminal: one live line, with the validations above it."""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from docmt.cli.screen import say, unfailing
from docmt.training.listeners import Listener, LogLines, dev_line
from docmt.training.status import Meter, Step, Validation

READ_EVERY = 5
"""Updates between two readings of the live line's means."""


def progress(settings: Path) -> Listener:
    """A live line on a terminal, plain lines on standard error otherwise; `settings` tells the number of updates."""
    if not sys.stderr.isatty():
        return LogLines(say)
    return LiveLine(max_updates(settings))


def max_updates(settings: Path) -> int | None:
    """None where there is no such limit, or no such file: that is for the training to complain about."""
    try:
        return json.loads(settings.read_text(encoding="utf-8"))["train"]["max_updates"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


class LiveLine:
    """Update, loss, target tokens a second and, where the number of updates is known, the time left."""

    def __init__(self, total: int | None) -> None:
        self._meter, self._console = Meter(), Console(stderr=True)
        columns = (
            TextColumn("update {task.completed}"),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            *([TextColumn("left"), TimeRemainingColumn()] if total else []),
        )
        self._line = Progress(*columns, console=self._console, transient=True)
        self._task = self._line.add_task("", total=total)
        self._line.start()

    def updated(self, step: Step) -> None:
        self._meter.add(step)
        self._line.update(self._task, completed=step.update)
        if step.update % READ_EVERY == 0:
            _, means = self._meter.read()
            text = f"loss {means['loss']:.3f}  {means['target_tokens_per_s']:,.0f} target tokens/s"
            self._line.update(self._task, description=text)

    def validated(self, validation: Validation) -> None:
        self.note(dev_line(validation))

    def note(self, text: str) -> None:
        with unfailing():
            self._console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        with unfailing():
            self._line.stop()
