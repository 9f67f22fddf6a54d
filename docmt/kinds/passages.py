"""Passages: sentences that a study states itself, with the translations of its systems."""

from dataclasses import dataclass, field
from typing import ClassVar

from docmt.base.checks import need, setting
from docmt.kinds.item import Checks, Item, LabelledSystem


@dataclass(frozen=True)
class PassageDocument:
    """A document of a passage: its source sentences, which need not be in any corpus.

    `published` has the sentences of each published translation, by the label of the system that translated them.
    """

    source: tuple[str, ...]
    reference: tuple[str, ...] = ()
    published: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise BadValue where there is no source sentence, or an empty one."""
        need(bool(self.source) and all(map(str.strip, self.source)), "source", self.source, "sentences, none empty")


@dataclass(frozen=True, kw_only=True)
class PassageConfig(Item):
    """A passage: documents that several systems, all trained on one corpus, translate."""

    kind: ClassVar[str] = "passage"

    corpus: str
    systems: tuple[LabelledSystem, ...]
    documents: tuple[PassageDocument, ...]
    note: str = setting("", "a footnote")

    def reads(self) -> list[str]:
        """Return the one input of a passage, its translations."""
        return ["passages"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the base class does, and where a published translation has the label of no system.

        A system without a model is refused too, since it cannot translate sentences of a study.
        """
        super().check(checks, path)
        for number, labelled in enumerate(self.systems):
            checks.model(labelled.system, (*path, "systems", number, "system"))
        labels = [system.name for system in self.systems]
        for number, document in enumerate(self.documents):
            for label in document.published:
                checks.known("label", label, labels, (*path, "documents", number, "published", label))
