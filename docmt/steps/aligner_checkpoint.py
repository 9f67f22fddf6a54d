"""Stage 0: a small random checkpoint in the place of the model of awesome-align, which has other files."""

from dataclasses import replace

from docmt.steps import checkpoint
from docmt.steps.checkpoint import run

STEP = replace(
    checkpoint.STEP,
    name="aligner_checkpoint",
    about="Make a small random checkpoint in the place of the model of awesome-align.",
    writes=("*.json", "pytorch_model.bin", "vocab.txt"),
    outputs=("pytorch_model.bin",),
    run=run,
)
