"""Stage 4: lexical chains of whole documents, by words, and the stop list."""

from typing import Any

from docmt.base.paths import CHAIN_WORDS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import workers_of
from docmt.grid.grid import Grid
from docmt.steps.of_grid import tokens_input
from docmt.steps.step import Names, Step


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the length of the stop list."""
    corpus = grid.corpus_in(names["corpus"], CHAIN_WORDS.at(**names))
    return {"stop_words": grid.corpus_at_scale(corpus).stop_words}


def run(recipe: Recipe, resources: Resources) -> None:
    """Count the stop list, and find the repeated words of each document."""
    from docmt.chains.documents import WordsSettings, build_words

    with recipe.sealing():
        job, workers = recipe.parsed(WordsSettings), workers_of(resources.threads)
        build_words(job, recipe.input("tokens"), recipe.folder, workers)


STEP = Step(
    name="chain_words",
    about="Find the lexical chains of whole documents, by words, and the stop list.",
    folder=CHAIN_WORDS,
    version=1,
    code=("docmt/chains",),
    writes=("card.json", "stop_words.txt", "*.arrow"),
    outputs=("card.json",),
    run=run,
    settings=settings,
    inputs=tokens_input,
)
