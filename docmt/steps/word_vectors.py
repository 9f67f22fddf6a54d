"""Stage 7: word vectors of the target side of a corpus' training split, where coherence needs them."""

from typing import Any

from docmt.base.paths import VECTORS
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.scored import trained_on
from docmt.steps.of_grid import tokens_input
from docmt.steps.step import Names, libraries, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of the training of word vectors, which are the same for all studies of a corpus and text."""
    where = VECTORS.at(**names)
    return {"vectors": trained_on(grid, grid.corpus_in(names["corpus"], where), names["text"], "word vectors", where)}


def run(recipe: Recipe, resources: Resources) -> None:
    """Train word2vec on the target side of a corpus' training split."""
    from docmt.scoring.word_vectors import write_corpus_vectors

    with sealing(recipe):
        write_corpus_vectors(recipe.path, recipe.input("tokens"), recipe.folder)


STEP = step_of(
    __name__,
    folder=VECTORS,
    version=8,
    code=("docmt/scoring",),
    writes=("card.json", "vectors.txt"),
    inputs=tokens_input,
    libraries=libraries("gensim"),
)
