"""Passages: sentences that a study states, beside their translations by its systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, Files, Item, Runs, Shown, Standing


@dataclass(frozen=True)
class PassageDocument:
    """Sentences that no corpus need have; published translations by the label of a system."""

    source: tuple[str, ...]
    reference: tuple[str, ...] = ()
    published: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(bool(self.source) and all(map(str.strip, self.source)), "source", self.source, "sentences, none empty")


@dataclass(frozen=True)
class PassageConfig(Item):
    """Passages that systems of a corpus translate."""

    kind: ClassVar[str] = "passage"

    title: str
    corpus: str
    systems: tuple[Shown, ...]
    documents: tuple[PassageDocument, ...]
    caption: str = setting("", "below the passages")
    paper: str = setting("", "where the published translations stand")
    note: str = setting("", "a footnote")

    def standing(self, corpora: Sequence[str]) -> Iterator[Standing]:
        return ((self.corpus, shown.system) for shown in self.systems)

    def files(self, runs: Runs) -> Files:
        return {"passages": runs.passages()}

    def check(self, checks: Checks, path: tuple) -> None:
        checks.corpus(self.corpus, (*path, "corpus"))
        checks.shown(self.systems, self.corpus, (*path, "systems"))
        labels = [shown.name for shown in self.systems]
        for number, document in enumerate(self.documents):
            for label in document.published:
                checks.known("label", label, labels, (*path, "documents", number, "published", label))
