"""Whether the outputs of a job may leave this place, by the licences of the corpora that they are made from."""

from collections.abc import Iterator

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.licences import STRICTEST_FIRST
from docmt.grid.items import item_of
from docmt.plan.jobs import GridJobs, Job

WITHOUT_TEXT = {"checkpoint", "aligner_checkpoint", "train", "scores", "compare"}
"""The rules whose outputs are models or scores. The vocabulary of a model belongs to the model. Any other rule, but for
items, has outputs with text, or with words and their translations."""

NUMBERS = {"scores", "records", "curves", "comparisons", "cards", "human"}
"""The inputs of items (`Item.reads`) without sentences; an item with any other input shows sentences."""


def may_pass(jobs: GridJobs, job: Job) -> str | None:
    """Return None where the outputs of a job may be passed on, and else the reason as a sentence.

    All corpora count that the outputs are made from, in any number of steps: those of a model from which another one
    starts, and those on which a text was learnt. The strictest of them decides (`CorpusConfig.may_pass_on`).
    Raises UserError where the grid has no such job.
    """
    corpora = sorted(_corpora(jobs, job), key=lambda corpus: (_strictness(corpus), corpus.corpus))
    if not corpora or corpora[0].may_pass_on == "everything":
        return None
    strictest = corpora[0]
    stated = f"passing_on: {strictest.passing_on}" if strictest.passing_on else "its file states no passing_on"
    because = f"({stated}; licence: {strictest.licence})"
    if strictest.may_pass_on == "nothing":
        return f"{job} stays here, since nothing made from {strictest.corpus} may be passed on {because}"
    if not shows_text(jobs, job):
        return None
    return f"{job} stays here, since of {strictest.corpus} only models and scores may be passed on {because}"


def shows_text(jobs: GridJobs, job: Job) -> bool:
    """Return whether the outputs of a job have text of a corpus, translations of it, or words and their translations.

    The page of a study shows all of its items, and examples of translations.
    """
    if job.rule == "item":
        return not NUMBERS.issuperset(item_of(jobs.grid, job.names["study"], job.names["item"]).reads())
    return job.rule not in WITHOUT_TEXT


def _strictness(corpus: CorpusConfig) -> int:
    """Return the place of a corpus among the values from the strictest on."""
    return STRICTEST_FIRST.index(corpus.may_pass_on)


def _corpora(jobs: GridJobs, job: Job) -> Iterator[CorpusConfig]:
    """Yield the corpora that the outputs of a job are made from, as they are at the scale of the grid."""
    grid, seen, waiting = jobs.grid, {job}, [job]
    while waiting:
        read = waiting.pop()
        if read.rule == "corpus":
            yield grid.corpus_at_scale(grid.corpus_in(read.names["corpus"], read.folder))
        more = [other for other in jobs.inputs(read).values() if other not in seen]
        seen.update(more)
        waiting += more
