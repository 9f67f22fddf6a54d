"""Stage 1, at a scale with `fixtures`: small generated files in the form of a corpus' own."""

from docmt.base.errors import UserError
from docmt.base.paths import CORPUS
from docmt.base.recipe import Recipe, Resources
from docmt.steps.corpus import settings
from docmt.steps.step import Step


def run(recipe: Recipe, resources: Resources) -> None:
    """Generate the files, as many and as long as the scale says."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.fixtures import write_fixture

    job = recipe.parsed(CorpusSettings)
    if job.fixture is None:
        description = f"settings of the corpus {job.corpus} itself"
        raise UserError("not the settings of a fixture", where=str(recipe.settings), found=description)
    with recipe.sealing():
        write_fixture(job, job.fixture, recipe.folder / "downloads")


STEP = Step(
    name="fixture",
    about="Make the small generated files of a corpus, as large as the scale says.",
    folder=CORPUS,
    version=5,
    code=("docmt/corpus",),
    writes=("downloads/*",),
    outputs=("downloads",),
    prefix="downloads.",
    run=run,
    settings=settings,
)
