"""Stage 6: a model's attention to repeated words in a dev document, for figures."""

from docmt.base.paths import INSIDE
from docmt.base.recipe import Recipe, Resources
from docmt.steps.of_grid import decoding_inputs
from docmt.steps.step import opened_model, step_of
from docmt.steps.translate import knobs, settings


def run(recipe: Recipe, resources: Resources) -> None:
    """Inspect a model's attention to repeated words in a dev document, as `docmt inspect` does."""
    from docmt.trained.inspecting import write_inspection

    with opened_model(recipe, resources) as (_, trained):
        output = recipe.folder / "inside.arrow"
        write_inspection(trained, recipe.input("view"), recipe.input("chains"), output, "dev")


STEP = step_of(
    __name__,
    folder=INSIDE,
    version=6,
    code=("docmt/decoding", "docmt/models", "docmt/trained/inspecting.py", "docmt/trained/model.py"),
    writes=("inside.arrow",),
    settings=settings,
    inputs=decoding_inputs,
    knobs=knobs,
)
