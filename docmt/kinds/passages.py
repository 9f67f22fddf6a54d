"""Passages: sentences that a study states itself, with the translations of its systems."""

from dataclasses import dataclass
from typing import ClassVar

from docmt.base.checks import Checked, in_schema, need, needed, section, setting
from docmt.reporting.item import Checks, Item, LabelledSystem


@in_schema(minItems=1, items={"pattern": r"\S"})
def need_sentences(name: str, value: tuple[str, ...]) -> None:
    """Raise BadValue where there is no sentence, or an empty one."""
    need(bool(value) and all(map(str.strip, value)), name, value, "sentences, none empty")


@dataclass(frozen=True)
class PassageDocument(Checked):
    """A document of a passage: its source sentences, which need not be in any corpus.

    `published` has the sentences of each published translation, by the label of the system that translated them.
    """

    source: tuple[str, ...] = needed("source sentences, which need not be in any corpus", need_sentences)
    reference: tuple[str, ...] = setting((), "sentences of the reference")
    published: dict[str, tuple[str, ...]] = section(
        dict, "by the label of a system, the sentences of its published translation"
    )


@dataclass(frozen=True, kw_only=True)
class PassageConfig(Item):
    """A passage: documents that several systems, all trained on one corpus, translate."""

    kind: ClassVar[str] = "passage"

    corpus: str = needed("corpus on which the systems are trained")
    systems: tuple[LabelledSystem, ...] = needed("systems that translate the documents")
    documents: tuple[PassageDocument, ...] = needed("documents of source sentences")
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
