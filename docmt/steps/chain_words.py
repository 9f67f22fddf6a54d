"""Stage 4: lexical chains of whole documents, by words, and the stop list."""

from typing import Any

from docmt.base.paths import CHAIN_WORDS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import workers_of
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.steps.of_grid import corpus_of, tokens_input
from docmt.steps.step import Names, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the length of the stop list."""
    return {"stop_words": corpus_of(grid, names).stop_words}


def run(recipe: Recipe, resources: Resources) -> None:
    """Find the lexical chains of whole documents, by words, and the stop list."""
    from docmt.chains.documents import WordsSettings, build_words

    with sealing(recipe):
        job, workers = parsed(recipe, WordsSettings), workers_of(resources.threads)
        build_words(job, recipe.input("tokens"), recipe.folder, workers)


STEP = step_of(
    __name__,
    folder=CHAIN_WORDS,
    version=1,
    code=("docmt/chains",),
    writes=("card.json", "stop_words.txt", "*.arrow"),
    inputs=tokens_input,
)
