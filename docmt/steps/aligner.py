"""Stage 7: the word aligner of LTCR and HHI, trained on the training split of a corpus (minutes for a real one)."""

from typing import Any

from docmt.base.paths import ALIGNER
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.grid.grid import Grid
from docmt.grid.scored import trained_on
from docmt.steps.of_grid import tokens_input
from docmt.steps.step import Names, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the unit of the source text that the aligner links: words or pieces, as in the scored lexical chains."""
    where = ALIGNER.at(**names)
    trained = trained_on(grid, grid.corpus_in(names["corpus"], where), names["text"], "an aligner", where)
    return {"source": trained["chains"]}


def run(recipe: Recipe, resources: Resources) -> None:
    """Train the default aligner on the training split of a corpus."""
    from docmt.scoring.corpus_aligner import write_aligner

    with sealing(recipe):
        write_aligner(recipe.path, recipe.input("tokens"), recipe.folder)


STEP = step_of(
    __name__,
    folder=ALIGNER,
    version=8,
    code=("docmt/scoring",),
    writes=("jumps.json", "lexicon.arrow"),
    inputs=tokens_input,
)
