"""Stage 1, at a scale with `fixtures`: small generated files in the form of a corpus' own."""

from docmt.base.paths import FIXTURE
from docmt.base.recipe import Recipe, Resources
from docmt.base.sealing import sealing
from docmt.steps.corpus import settings
from docmt.steps.step import parsed, step_of


def run(recipe: Recipe, resources: Resources) -> None:
    """Make the small generated files of a corpus, as large as the scale says."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.fixtures import write_fixture

    job = parsed(recipe, CorpusSettings)
    with sealing(recipe):
        write_fixture(job, job.fixture, recipe.folder / "downloads")


STEP = step_of(
    __name__,
    folder=FIXTURE,
    version=5,
    code=("docmt/corpus",),
    writes=("downloads/*",),
    settings=settings,
)
