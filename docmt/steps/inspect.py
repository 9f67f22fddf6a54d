"""Stage 6: a model's attention to repeated words in a dev document, for figures."""

from docmt.base.paths import INSIDE
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.steps.of_grid import decoding_inputs
from docmt.steps.step import step_of
from docmt.steps.translate import knobs, settings


def run(recipe: Recipe, resources: Resources) -> None:
    """Inspect a model's attention to repeated words in a dev document, as `docmt inspect` does."""
    from docmt.steps.gpus import take_gpus
    from docmt.trained.inspecting import write_inspection
    from docmt.trained.model import TrainedModel

    take_gpus(resources.device)
    with sealing(recipe):
        trained = TrainedModel.open(recipe.input("model"), resources.device, resources.threads)
        output = recipe.folder / "inside.arrow"
        write_inspection(trained, recipe.input("view"), recipe.input("chains"), output, "dev")


STEP = step_of(
    __name__,
    folder=INSIDE,
    version=6,
    code=("docmt/decoding", "docmt/models", "docmt/trained/inspecting.py"),
    writes=("inside.arrow",),
    settings=settings,
    inputs=decoding_inputs,
    knobs=knobs,
)
