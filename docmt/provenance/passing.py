"""Which files of a run may be given to others, by the licences of the corpora whose text is in them."""

from docmt.base.manifest import RECORD, SETTINGS
from docmt.catalogue.corpus import CorpusConfig
from docmt.plan.grid import Grid
from docmt.plan.jobs import Job

WITHOUT_TEXT = {
    "checkpoint": ("*",),
    "aligner_checkpoint": ("*",),
    "corpus": ("card.json",),
    "tokens": ("card.json",),
    "views": ("card.json",),
    "chain_words": ("card.json",),
    "chain_segments": ("card.json",),
    "train": ("*",),
    "word_vectors": ("card.json",),
    "aligner": ("card.json",),
    "scores": ("scores.json", "details.arrow"),
    "compare": ("comparisons.json",),
    "item": ("*",),
}
"""The files of each rule that quote no text of a corpus: `*` stands for all of them. Others may quote some."""
QUOTING = ("attention", "cases", "human", "latent", "passages")
"""The kinds of items that quote text of a corpus."""


def reason_to_withhold(grid: Grid, corpora: list[str], job: Job, name: str) -> str | None:
    """Return why a file of a job is not given to others; None where it may be.

    `corpora`: the corpora from whose text the file is made. `name`: its name in the folder of the job.
    """
    closed = [corpus for corpus in corpora if not may_pass_on(grid.corpus_at_scale(corpus))]
    if not closed or name.endswith((RECORD, SETTINGS)) or not _quotes(grid, job, name):
        return None
    return f"the licence of {', '.join(closed)} forbids to pass text on"


def may_pass_on(corpus: CorpusConfig) -> bool:
    """Return whether the text of a corpus may be given to others: each of its files is public."""
    return all(file.licence is None for file in corpus.files)


def _quotes(grid: Grid, job: Job, name: str) -> bool:
    """Return whether a file of a job may quote text of a corpus."""
    if job.rule == "item" and grid.studies[job.names["study"]].items[job.names["item"]].kind in QUOTING:
        return True
    names = WITHOUT_TEXT.get(job.rule, ())
    return "*" not in names and name not in names
