"""Fixtures: generated text in the raw form of a corpus' files, so that a scale can run every corpus without downloads.

A scale with `fixtures` (workflow/scales) runs on fixtures instead of the corpora themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt.base.checks import Checked, at_least, even, need, setting
from docmt.base.names import SPLITS

# The check of the number of sentences of a document that the toy grammar generates.
story = at_least(6, " (fewer cannot hold every phenomenon)")


@dataclass(frozen=True)
class FixtureConfig(Checked):
    """The `fixtures` of a scale: the size of every generated corpus.

    Where a split has several files or sets, its documents are distributed over them. `long_documents` is the number of
    long documents of each file; the long documents come first.
    """

    documents: dict[str, int] = field(default_factory={"train": 60, "dev": 8, "test": 8}.copy)
    long_documents: dict[str, int] = field(default_factory={"train": 4, "dev": 0, "test": 0}.copy)
    shortest: int = setting(6, "sentences of the shortest document", story)
    longest: int = setting(20, "sentences of the longest document that is not a long one")
    long_sentences: int = setting(150, "sentences of a long document")
    references: int = setting(4, "translations of each sentence in a file of several references", at_least(1))
    contrastive_items: int = setting(
        4, "items of each contrastive set at each distance; an even number, since they come in pairs", even
    )
    stop_words: int = setting(
        30, "number of stop words in place of the corpus' own; few, since the generated text has few words", at_least(0)
    )

    def __post_init__(self) -> None:
        """Check that each split has its numbers, and that no length is below that of shorter documents."""
        super().__post_init__()
        _need_splits("documents", self.documents, 1)
        _need_splits("long_documents", self.long_documents, 0)
        for name, least in (("longest", self.shortest), ("long_sentences", self.longest)):
            at_least(least)(name, getattr(self, name))


def _need_splits(name: str, numbers: Mapping[str, int], least: int) -> None:
    fits = numbers.keys() == set(SPLITS) and min(numbers.values()) >= least
    need(fits, name, dict(numbers), f"train, dev and test, each {least} or more")
