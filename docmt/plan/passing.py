"""Whether the outputs of a job may leave this place, by the licences of the corpora that they are made from."""

from collections.abc import Iterator

from docmt.base.paths import INDEX
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.licences import STRICTEST_FIRST
from docmt.grid.items import item_of
from docmt.plan.plan import Job, Plan

WITHOUT_TEXT = {"checkpoint", "train", "scores", "compare"}
"""The steps whose outputs are models or scores. The vocabulary of a model belongs to the model. Any other step, but for
items, has outputs with text, or with words and their translations."""

# The inputs of items (`Item.reads`) without sentences; an item with any other input shows sentences.
NUMBERS = {"scores", "records", "curves", "comparisons", "cards", "human"}


def may_pass(plan: Plan, job: Job) -> str | None:
    """Return None where the outputs of a job may be passed on, else why not. Raises UserError for an unknown job."""
    # All corpora count that the outputs are made from: also those of a model from which another one starts, and those
    # on which a text was learnt. The strictest of them decides (`CorpusConfig.may_pass_on`).
    corpora = sorted(_corpora(plan, job), key=lambda each: (STRICTEST_FIRST.index(each.may_pass_on), each.corpus))
    if not corpora or corpora[0].may_pass_on == "everything":
        return None
    strictest = corpora[0]
    stated = f"passing_on: {strictest.passing_on}" if strictest.passing_on else "its file states no passing_on"
    because = f"({stated}; licence: {strictest.licence})"
    if strictest.may_pass_on == "nothing":
        return f"{job} stays here, since nothing made from {strictest.corpus} may be passed on {because}"
    if not shows_text(plan, job):
        return None
    return f"{job} stays here, since of {strictest.corpus} only models and scores may be passed on {because}"


def shows_text(plan: Plan, job: Job) -> bool:
    """Return whether the outputs of a job have text of a corpus, translations of it, or words with theirs."""
    # The page of a study shows all of its items, and examples of translations.
    if job.step == "page" and job.names["item"] != INDEX:
        return not NUMBERS.issuperset(item_of(plan.grid, job.names["study"], job.names["item"]).reads())
    return job.step not in WITHOUT_TEXT


def _corpora(plan: Plan, job: Job) -> Iterator[CorpusConfig]:
    """Yield the corpora that the outputs of a job are made from, as they are at the scale of the grid."""
    grid, seen, waiting = plan.grid, {job}, [job]
    while waiting:
        read = waiting.pop()
        if read.step == "corpus":
            yield grid.corpus_at_scale(grid.corpus_in(read.names["corpus"], read.place))
        more = [other for other in plan.inputs(read).values() if other not in seen]
        seen.update(more)
        waiting += more
