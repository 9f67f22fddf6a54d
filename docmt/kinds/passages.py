"""Passages: sentences that a study states, beside their translations by its systems."""

from dataclasses import dataclass, field
from typing import ClassVar

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, Item, LabelledSystem


@dataclass(frozen=True)
class PassageDocument:
    """Sentences that no corpus need have; published translations by the label of a system."""

    source: tuple[str, ...]
    reference: tuple[str, ...] = ()
    published: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(bool(self.source) and all(map(str.strip, self.source)), "source", self.source, "sentences, none empty")


@dataclass(frozen=True, kw_only=True)
class PassageConfig(Item):
    """Passages that systems of a corpus translate."""

    kind: ClassVar[str] = "passage"

    corpus: str
    systems: tuple[LabelledSystem, ...]
    documents: tuple[PassageDocument, ...]
    note: str = setting("", "a footnote")

    def reads(self) -> list[str]:
        return ["passages"]

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        labels = [shown.name for shown in self.systems]
        for number, document in enumerate(self.documents):
            for label in document.published:
                checks.known("label", label, labels, (*path, "documents", number, "published", label))
