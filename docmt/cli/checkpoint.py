"""`docmt made-checkpoint`: stage 0, small random checkpoints instead of pretrained ones."""

from pathlib import Path
from typing import Annotated

from docmt.cli.options import input_file, output_folder


def made_checkpoint(
    settings: Annotated[Path, input_file("settings.json of the job")],
    output: Annotated[Path, output_folder("folder for config.json, model.safetensors, tokenizer.json")],
) -> None:
    """Make a small random checkpoint, of mBART's or BERT's form, whose pieces are those of generated text."""
    from docmt.base.artifacts import read_object
    from docmt.base.parse import parse
    from docmt.corpus.fixtures.stock import fixture_lines
    from docmt.models.random_checkpoint import write_random_checkpoint
    from docmt.settings.made_checkpoints import MadeCheckpoint
    from docmt.text.random_pieces import write_tokenizer

    job = read_object(settings)
    job.pop("version", None)
    made = parse(MadeCheckpoint, job, str(settings))
    write_random_checkpoint(made, write_tokenizer(made.kind, fixture_lines(), output), output)
