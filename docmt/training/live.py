"""The progress of a training on the screen: a live line below the validations on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from docmt.base.screen import Minutes, say, unfailing
from docmt.training.progress import Listener, Meter, Update, Validation

READ_EVERY = 5
"""Number of updates over which the means of the live line are computed."""


def training_progress(total: int | None) -> Listener:
    """Return a live line on a terminal, and plain lines elsewhere; `total` is the limit of updates, or None."""
    return LiveLine(total) if sys.stderr.isatty() else TrainingLog(say)


class TrainingLog(Listener):
    """The lines of a log: one line per minute, and one line for each validation."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin a log; `write` is called with each line, and `clock` returns seconds."""
        self._write, self._meter, self._minutes = write, Meter(), Minutes(clock)

    def updated(self, step: Update) -> None:
        """Add an update to the means and, once a minute, write a line with the means since the last line."""
        self._meter.add(step)
        if self._minutes():
            self._write(f"update {step.update}, epoch {step.epoch + 1}: {in_words(self._meter.read()[1])}")

    def validated(self, validation: Validation) -> None:
        """Print the losses of a validation."""
        self.note(dev_line(validation))

    def note(self, text: str) -> None:
        """Print a message."""
        with unfailing():
            self._write(text)


class LiveLine(TrainingLog):
    """A line on a terminal: update, loss, target tokens per second and, where updates are limited, the time left."""

    def __init__(self, total: int | None) -> None:
        """Show the line; `total` is the limit of updates, or None without a limit."""
        console = Console(stderr=True)
        super().__init__(partial(console.print, markup=False, highlight=False))
        columns = (
            TextColumn("update {task.completed}"),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            *([TextColumn("left"), TimeRemainingColumn()] if total else []),
        )
        self._line = Progress(*columns, console=console, transient=True)
        self._task = self._line.add_task("", total=total)
        self._line.start()

    def updated(self, step: Update) -> None:
        """Show the number of the update and, every `READ_EVERY` updates, new means."""
        self._meter.add(step)
        self._line.update(self._task, completed=step.update)
        if step.update % READ_EVERY == 0:
            _, means = self._meter.read()
            text = f"loss {means['loss']:.3f}  {means['target_tokens_per_s']:,.0f} target tokens/s"
            self._line.update(self._task, description=text)

    def close(self) -> None:
        """Remove the line."""
        with unfailing():
            self._line.stop()


def in_words(means: dict[str, float]) -> str:
    """Return the means of updates as text: losses in nats per token, gradient norm, learning rates, tokens a second."""
    rates = " ".join(f"{name} {value:.3g}" for name, value in means.items() if name.startswith("lr"))
    return (
        f"loss {means['loss']:.3f}, nll {means['nll']:.3f}, gradient {means['gradient_norm']:.2f}, {rates}, "
        f"{means['source_tokens_per_s']:,.0f} / {means['target_tokens_per_s']:,.0f} source / target tokens per second"
    )


def dev_line(validation: Validation) -> str:
    """Return the losses, perplexity and BLEU of a validation as text."""
    terms = "".join(f", {name} {value:.4f}" for name, value in validation.terms.items())
    bleu = "" if validation.bleu is None else f", BLEU {validation.bleu:.2f}"
    return (
        f"update {validation.update}, epoch {validation.epoch + 1}: dev loss {validation.loss:.4f}, "
        f"nll {validation.nll:.4f}, perplexity {validation.perplexity:.2f}{bleu}{terms}"
    )
