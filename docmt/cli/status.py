"""`docmt status`: how every training stands."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.cli.options import input_folder
from docmt.cli.screen import ruled, show_table

if TYPE_CHECKING:
    from rich.table import Table

    from docmt.training.survey import TrainingState

NAMES, NUMBERS, LAST = (
    ("system", "corpus", "scale", "seed"),
    ("update", "loss", "dev (best)", "tokens/s", "left", "device-hours"),
    ("state",),
)
COLUMNS = NAMES + NUMBERS + LAST
"""Numbers are set flush right."""
NONE_YET = "no training yet"
COLOURS = {"running": "green", "failed": "red", "killed": "red", "stopped": "yellow", "finished": ""}


def status(
    results: Annotated[Path, input_folder("folder of the results")] = Path(RESULTS),
    follow: Annotated[bool, typer.Option("--follow", help="refresh until Ctrl-C")] = False,
    every: Annotated[float, typer.Option(min=0.1, max=86_400, help="seconds between two looks (--follow)")] = 5.0,
) -> None:
    """Show every training that runs, was stopped or is finished, a line each; nothing is written.

    loss: of the newest updates; dev: of the newest validation and of the best one (BLEU where rules go by it), nats a
    token; tokens/s: target tokens in updates alone; left: by the pace of the last lines, where max_updates is set.
    """
    from docmt.training.survey import survey

    if not results.is_dir():
        raise UserError("folder not found", where=str(results), remedy="name the folder of the results: --results DIR")
    if not follow:
        show(survey(results))
        return
    with suppress(KeyboardInterrupt):
        watch(results, every)


def watch(results: Path, every: float) -> None:
    """On a terminal one table that changes, else one after another."""
    from rich.live import Live

    from docmt.training.survey import survey

    if not sys.stdout.isatty():
        while True:
            show(survey(results))
            typer.echo()
            time.sleep(every)
    with Live(table(survey(results)), auto_refresh=False) as live:
        while True:
            time.sleep(every)
            live.update(table(survey(results)), refresh=True)


def show(trainings: "list[TrainingState]") -> None:
    """Once: in colour on a terminal, in plain columns in a file."""
    if trainings:
        show_table(COLUMNS, [*map(cells, trainings)], NUMBERS, styles(trainings))
    else:
        typer.echo(NONE_YET)


def table(trainings: "list[TrainingState]") -> "Table":
    shown = ruled(COLUMNS, [*map(cells, trainings)], NUMBERS, styles(trainings))
    shown.caption = None if trainings else NONE_YET
    return shown


def styles(trainings: "list[TrainingState]") -> list[str]:
    return [COLOURS[training.state] for training in trainings]


def cells(training: "TrainingState") -> tuple[str, ...]:
    """One text a column; `-` is what is not known."""
    total = "" if training.max_updates is None else f" / {training.max_updates}"
    dev = "-" if training.dev is None else f"{training.dev:.3f} ({training.best:.3f})"
    hours = training.device_hours
    return (
        training.system,
        training.corpus,
        training.scale,
        training.seed.removeprefix("seed"),
        f"{training.update}{total}",
        "-" if training.loss is None else f"{training.loss:.3f}",
        dev,
        "-" if training.target_tokens_per_s is None else f"{training.target_tokens_per_s:,.0f}",
        "-" if training.left_s is None else duration(training.left_s),
        "-" if hours is None else f"{hours:.2f}",
        f"{training.state}: {training.reason}" if training.reason else training.state,
    )


def duration(seconds: float) -> str:
    """`3d 04h`, `2h 05m`, `4m 09s`."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours:02}h"
    return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {seconds:02}s"
