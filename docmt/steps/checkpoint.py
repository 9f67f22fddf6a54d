"""Stage 0: small random checkpoints, which replace the pretrained ones that a scale lists; these are not read."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.base.errors import check_known
from docmt.base.parse import parse
from docmt.base.paths import CHECKPOINT
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.steps.step import Names, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the kind and the sizes of a random checkpoint. Raises UserError where the scale has no such checkpoint."""
    name = names["checkpoint"]
    check_known("checkpoint that this scale makes", name, grid.checkpoints, CHECKPOINT.at(checkpoint=name))
    random = grid.checkpoints[name]
    return {**dataclasses.asdict(random), "stands_for": Path(random.stands_for).name}


def run(recipe: Recipe, resources: Resources) -> None:
    """Make a small random checkpoint, of mBART's or BERT's form, whose pieces are those of generated text."""
    from docmt.corpus.stock import fixture_lines
    from docmt.models.random_checkpoint import write_random_checkpoint
    from docmt.settings.pretrained import RandomCheckpoint
    from docmt.text.random_pieces import write_tokenizer

    checkpoint = parse(RandomCheckpoint, dict(recipe.settings), str(recipe.path))
    with sealing(recipe):
        pieces = write_tokenizer(checkpoint.kind, fixture_lines(), recipe.folder)
        write_random_checkpoint(checkpoint, pieces, recipe.folder)


STEP = step_of(
    __name__,
    folder=CHECKPOINT,
    version=2,
    code=(
        "docmt/models/random_checkpoint.py",
        "docmt/text/random_pieces.py",
        "docmt/corpus/stock.py",
    ),
    writes=("*.json", "*.safetensors", "*.bin", "vocab.txt"),
)
