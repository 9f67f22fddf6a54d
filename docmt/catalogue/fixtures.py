"""Fixtures: generated text in a corpus' own raw form, so that a scale can run every corpus from nothing.

A scale that says `fixtures` (workflow/scales) runs on these instead of on the corpora themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt.base.checks import Checked, at_least, even, need, setting
from docmt.base.names import SPLITS

story = at_least(6, " (fewer cannot hold every phenomenon)")
"""Sentences of a document of the toy grammar."""


@dataclass(frozen=True)
class FixtureConfig(Checked):
    """`fixtures` of a scale: how large every corpus is. A split of several files or sets is shared out among them.

    `long_documents`: so many of each file's documents, its first ones, are long.
    """

    documents: dict[str, int] = field(default_factory={"train": 60, "dev": 8, "test": 8}.copy)
    long_documents: dict[str, int] = field(default_factory={"train": 4, "dev": 0, "test": 0}.copy)
    shortest: int = setting(6, "sentences of the shortest document", story)
    longest: int = setting(20, "sentences of the longest document, but for the long ones")
    long_sentences: int = setting(150, "sentences of a long document")
    references: int = setting(4, "translations of each sentence in a file of several references", at_least(1))
    contrastive_items: int = setting(
        4, "items of each contrastive set at each distance; even, since they are twins", even
    )
    stop_words: int = setting(30, "instead of a corpus' own: few, since there are few words", at_least(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        _need_splits("documents", self.documents, 1)
        _need_splits("long_documents", self.long_documents, 0)
        for name, least in (("longest", self.shortest), ("long_sentences", self.longest)):
            at_least(least)(name, getattr(self, name))


def _need_splits(name: str, numbers: Mapping[str, int], least: int) -> None:
    fits = numbers.keys() == set(SPLITS) and min(numbers.values()) >= least
    need(fits, name, dict(numbers), f"train, dev and test, each {least} or more")
