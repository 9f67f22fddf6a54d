"""Stage 6: the score that a model gives each variant of a contrastive set, given its context (forced decoding)."""

from docmt.base.paths import CONTRASTIVE
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import progress_display
from docmt.steps.of_grid import decoding_inputs
from docmt.steps.step import opened_model, parsed, step_of
from docmt.steps.translate import knobs, settings

FILE = "contrastive.arrow"  # The file of the scores.


def run(recipe: Recipe, resources: Resources, whole: bool = False) -> None:
    """Score the contrastive variants of a view: log-probabilities of the judged sentences, given their context."""
    from docmt.decoding import files
    from docmt.decoding.segments import View

    job, segments = parsed(recipe, files.TranslationSettings), View(recipe.input("view"), recipe.folder_of("chains"))
    progress_bar = progress_display("contrastive scores", "variants")
    with opened_model(recipe, resources) as (_, trained), progress_bar as progress:
        files.write_contrastive(job, trained.network, segments, recipe.folder / FILE, progress, whole)


STEP = step_of(
    __name__,
    folder=CONTRASTIVE,
    version=6,
    code=("docmt/decoding", "docmt/models", "docmt/trained/model.py"),
    writes=(FILE,),
    settings=settings,
    inputs=decoding_inputs,
    knobs=knobs,
)
