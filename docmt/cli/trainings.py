"""`docmt list-trainings`: the state of every training, once or as it changes."""

import dataclasses
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.paths import RESULTS
from docmt.base.screen import print_json, ruled, show_table
from docmt.cli.options import AsJson, input_folder

if TYPE_CHECKING:
    from rich.table import Table

    from docmt.training.survey import TrainingState

NAMES, NUMBERS, LAST = (
    ("system", "corpus", "scale", "seed", "id"),
    ("update", "loss", "dev (best)", "tokens/s", "left", "device-hours"),
    ("state",),
)
COLUMNS = NAMES + NUMBERS + LAST
"""The columns of the table; the columns in NUMBERS are aligned to the right."""
NONE_YET = "no training yet"
COLOURS = {"running": "green", "failed": "red", "killed": "red", "stopped": "yellow", "finished": ""}


def list_trainings(
    results: Annotated[Path, input_folder("folder of the results")] = Path(RESULTS),
    follow: Annotated[
        bool, typer.Option("--follow", help="refresh the table until Ctrl-C; without a terminal, print what changed")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, max=86_400, help="seconds between two refreshes (--follow)")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """List every training that runs, was stopped or is finished; nothing is written.

    loss: of the newest updates; dev: of the newest validation and of the best one (BLEU where the settings select by
    it), in nats per token; tokens/s: target tokens in updates alone; left: at the pace of the last lines, where
    max_updates is set.
    """
    from docmt.api.trainings import list_trainings

    trainings = list_trainings(results)
    if as_json and not follow:
        print_json([dataclasses.asdict(training) for training in trainings])
    elif not follow:
        show(trainings)
    else:
        with suppress(KeyboardInterrupt):
            watch(results, trainings, every, as_json)


def watch(results: Path, trainings: "list[TrainingState]", every: float, as_json: bool) -> None:
    """Refresh a table on a terminal; elsewhere, or as JSON, print each training that is new or has changed."""
    from rich.live import Live

    from docmt.api.trainings import list_trainings

    if as_json or not sys.stdout.isatty():
        print_changes([], trainings, as_json)
        while True:
            time.sleep(every)
            before, trainings = trainings, list_trainings(results)
            print_changes(before, trainings, as_json)
    with Live(table(trainings), auto_refresh=False) as live:
        while True:
            time.sleep(every)
            live.update(table(list_trainings(results)), refresh=True)


def print_changes(before: "list[TrainingState]", now: "list[TrainingState]", as_json: bool) -> None:
    """Print a line for each training that is new or has changed: a JSON object, or text with the time of day."""
    changed = [training for training in now if training not in before]
    for training in changed:
        if as_json:
            # Each line is an object, since a program that reads the stream cannot wait for the end of a list.
            typer.echo(json.dumps(dataclasses.asdict(training), ensure_ascii=False))
        else:
            facts = zip(COLUMNS[len(NAMES) :], cells(training)[len(NAMES) :], strict=True)
            text = ", ".join(f"{name} {value}" for name, value in facts if value != "-")
            typer.echo(f"{time.strftime('%H:%M:%S')} {'/'.join(cells(training)[: len(NAMES)])}: {text}")
    sys.stdout.flush()


def show(trainings: "list[TrainingState]") -> None:
    """Print the table once: in colour on a terminal, in plain columns in a file."""
    if trainings:
        show_table(COLUMNS, [*map(cells, trainings)], NUMBERS, styles(trainings))
    else:
        typer.echo(NONE_YET)


def table(trainings: "list[TrainingState]") -> "Table":
    """Return the table for a terminal, with a caption where there is no training."""
    rows = ruled(COLUMNS, [*map(cells, trainings)], NUMBERS, styles(trainings))
    rows.caption = None if trainings else NONE_YET
    return rows


def styles(trainings: "list[TrainingState]") -> list[str]:
    """Return the colour of each training's row; the colour shows the state of the training."""
    return [COLOURS[training.state] for training in trainings]


def cells(training: "TrainingState") -> tuple[str, ...]:
    """Return the cell of each column; `-` stands for a value that is not known."""
    total = "" if training.max_updates is None else f" / {training.max_updates}"
    dev = "-" if training.dev is None else f"{training.dev:.3f} ({training.best:.3f})"
    hours = training.device_hours
    return (
        training.system,
        training.corpus,
        training.scale,
        training.seed,
        training.id,
        f"{training.update}{total}",
        "-" if training.loss is None else f"{training.loss:.3f}",
        dev,
        "-" if training.target_tokens_per_s is None else f"{training.target_tokens_per_s:,.0f}",
        "-" if training.left_s is None else duration(training.left_s),
        "-" if hours is None else f"{hours:.2f}",
        f"{training.state}: {training.reason}" if training.reason else training.state,
    )


def duration(seconds: float) -> str:
    """Return seconds as text: `3d 04h`, `2h 05m` or `4m 09s`."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours:02}h"
    return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {seconds:02}s"
