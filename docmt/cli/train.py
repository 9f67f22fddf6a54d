"""`docmt train`: stage 5, one system and seed."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import Device


def train(
    settings: Annotated[Path, typer.Option(help="settings.json of the training.")],
    view: Annotated[Path, typer.Option(help="Folder of the view: train.arrow, dev.arrow.")],
    text: Annotated[Path, typer.Option(help="Folder text/ of stage 2: codes and vocabularies.")],
    output: Annotated[Path, typer.Option(help="Folder for model/, metrics.jsonl, record.json.")],
    state: Annotated[Path, typer.Option(help="Folder for checkpoints to resume from; removed at the end.")],
    init: Annotated[Path | None, typer.Option(help="Model folder to start from (init_from).")] = None,
    chains: Annotated[Path | None, typer.Option(help="Stage 4's folder of the view: train.arrow, dev.arrow.")] = None,
    pretrained: Annotated[Path | None, typer.Option(help="Folder of a pretrained checkpoint to start from.")] = None,
    device: Device = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; a resumed run needs the same.")] = None,
) -> None:
    """Train a system, or go on with an interrupted training.

    SIGTERM writes a checkpoint after the present update and ends with status 75.
    """
    from docmt.cli.live import progress
    from docmt.training.job import train as train_system
    from docmt.training.settings import Paths
    from docmt.training.signals import STOPPED

    paths = Paths(settings, view, text, output, state, init, chains, pretrained)
    listener = progress(settings)
    try:
        finished = train_system(paths, device, threads, listener)
    finally:
        listener.close()
    if not finished:
        raise typer.Exit(STOPPED)
