"""`docmt list-trainings`: the state of every training."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.api import trainings
from docmt.base.paths import RESULTS
from docmt.base.screen import aligned, answer, duration, fitting
from docmt.cli.options import AsJson, input_folder
from docmt.supervision.survey import TrainingState

# The columns that are aligned to the right.
NUMBERS = ("update", "loss", "dev (best)", "tokens/s", "left", "device-hours")
COLUMNS = ("system", "corpus", "scale", "seed", "id", *NUMBERS, "state")


def list_trainings(
    results: Annotated[Path, input_folder("folder of the results")] = Path(RESULTS), as_json: AsJson = False
) -> None:
    """List every training that runs, was stopped or is finished.

    Nothing is written. loss: of the newest updates; dev: of the newest validation and of the best one (BLEU where the
    settings select by it), in nats per token; tokens/s: target tokens in updates alone; left: at the pace of the last
    lines, where max_updates is set. `watch docmt list-trainings` shows it again and again.
    """
    listed = trainings.list_trainings(results)
    answer(as_json, listed, lambda: show(listed) if listed else print("no training yet"))


def show(listed: list[TrainingState]) -> None:
    """Print the table."""
    typer.echo(fitting(aligned([COLUMNS, *map(cells, listed)], numbers=NUMBERS)))


def cells(training: TrainingState) -> tuple[str, ...]:
    """Return the cell of each column; `-` stands for a value that is not known."""
    total = "" if training.max_updates is None else f" / {training.max_updates}"
    return (
        training.system,
        training.corpus,
        training.scale,
        training.seed,
        training.id,
        f"{training.update}{total}",
        "-" if training.loss is None else f"{training.loss:.3f}",
        "-" if training.dev is None else f"{training.dev:.3f} ({training.best:.3f})",
        "-" if training.target_tokens_per_s is None else f"{training.target_tokens_per_s:,.0f}",
        "-" if training.left_s is None else duration(training.left_s),
        "-" if training.device_hours is None else f"{training.device_hours:.2f}",
        f"{training.state}: {training.reason}" if training.reason else training.state,
    )
