"""Stage 6: the score that a model gives each variant of a contrastive set, given its context (forced decoding)."""

from docmt.base.paths import TRANSLATIONS
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import progress_display
from docmt.steps.of_grid import decoding_inputs
from docmt.steps.step import Step
from docmt.steps.translate import settings

WHOLE = "contrastive.whole."
"""The prefix of the job that scores the sentences before the judged sentence too."""


def run(recipe: Recipe, resources: Resources) -> None:
    """Score the contrastive variants of a view: log-probabilities of the judged sentences, given their context."""
    from docmt.decoding import files
    from docmt.decoding.segments import View
    from docmt.steps.gpus import take_gpus
    from docmt.trained.model import TrainedModel

    job, segments = recipe.parsed(files.TranslationSettings), View(recipe.input("view"), recipe.folder_of("chains"))
    take_gpus(resources.device)
    with recipe.sealing():
        trained = TrainedModel.open(recipe.input("model"), resources.device, resources.threads)
        output = recipe.folder / f"{recipe.prefix}arrow"
        with progress_display("contrastive scores", "variants") as progress:
            files.write_contrastive(job, trained.network, segments, output, progress, recipe.prefix == WHOLE)


STEP = Step(
    name="contrastive",
    about="Score the contrastive variants of a view: log-probabilities of the judged sentences, given their context.",
    folder=TRANSLATIONS,
    version=6,
    code=("docmt/decoding", "docmt/models"),
    writes=("contrastive{whole}.arrow",),
    outputs=("contrastive{whole}.arrow",),
    prefix="contrastive{whole}.",
    run=run,
    settings=settings,
    inputs=decoding_inputs,
)
