"""Fixtures: generated text in a corpus' own raw form, so that a scale can run every corpus from nothing.

A scale that says `fixtures` (workflow/scales) runs on these instead of on the corpora themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docmt.base.checks import need, setting
from docmt.base.names import SPLITS


def _documents() -> dict[str, int]:
    return {"train": 60, "dev": 8, "test": 8}


def _long_documents() -> dict[str, int]:
    return {"train": 4, "dev": 0, "test": 0}


@dataclass(frozen=True)
class FixtureConfig:
    """`fixtures` of a scale: how large every corpus is. A split of several files or sets is shared out among them.

    `long_documents`: so many of each file's documents, its first ones, are long.
    """

    documents: dict[str, int] = field(default_factory=_documents)
    long_documents: dict[str, int] = field(default_factory=_long_documents)
    shortest: int = setting(6, "sentences of the shortest document")
    longest: int = setting(20, "sentences of the longest document, but for the long ones")
    long_sentences: int = setting(150, "sentences of a long document")
    references: int = setting(4, "translations of each sentence in a file of several references")
    contrastive_items: int = setting(4, "items of each contrastive set at each distance; even, since they are twins")
    stop_words: int = setting(30, "instead of a corpus' own: few, since there are few words")

    def __post_init__(self) -> None:
        _need_splits("documents", self.documents, 1)
        _need_splits("long_documents", self.long_documents, 0)
        need(self.shortest >= 6, "shortest", self.shortest, "6 or more (fewer cannot hold every phenomenon)")
        for name, least in (("longest", self.shortest), ("long_sentences", self.longest)):
            need(getattr(self, name) >= least, name, getattr(self, name), f"{least} or more")
        for name, least in (("references", 1), ("stop_words", 0)):
            need(getattr(self, name) >= least, name, getattr(self, name), f"{least} or more")
        items = self.contrastive_items
        need(items >= 2 and items % 2 == 0, "contrastive_items", items, "an even number, 2 or more")


def _need_splits(name: str, numbers: Mapping[str, int], least: int) -> None:
    fits = numbers.keys() == set(SPLITS) and min(numbers.values()) >= least
    need(fits, name, dict(numbers), f"train, dev and test, each {least} or more")
