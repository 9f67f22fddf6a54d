"""Stage 4: lexical chains of a view's segments, by pieces, a row for each segment."""

from dataclasses import asdict
from typing import Any

from docmt.base.paths import CHAINS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import workers_of
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.steps.of_grid import tokens_of, view_of
from docmt.steps.step import Inputs, Names, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the cuts of the view."""
    return {"view": asdict(view_of(grid, names, CHAINS))}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the tokens, the stop list and the view."""
    data = {"corpus": names["corpus"], "text": names["text"]}
    return Inputs({"tokens": tokens_of(names), "words": ("chain_words", data), "view": ("views", dict(names))})


def run(recipe: Recipe, resources: Resources) -> None:
    """Find the lexical chains of a view's segments, by pieces: one row for each segment."""
    from docmt.chains.segments import SegmentsSettings, build_segments

    with sealing(recipe):
        tokens, words, view = (recipe.input(role) for role in ("tokens", "words", "view"))
        job, workers = parsed(recipe, SegmentsSettings), workers_of(resources.threads)
        build_segments(job, tokens, words, view, recipe.folder, workers)


STEP = step_of(
    __name__,
    folder=CHAINS,
    version=1,
    code=("docmt/chains",),
    writes=("card.json", "stop_words.txt", "*.arrow"),
)
