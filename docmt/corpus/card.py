"""The card of a corpus: what a person wants to know before using it, and what made it."""

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

from docmt.base.names import SPLITS
from docmt.catalogue.corpus import CorpusSettings, Counts
from docmt.corpus.inputs import ContrastiveItem, Document


class Statistics:
    """Counts of one split, added up document by document."""

    def __init__(self) -> None:
        self.lengths: Counter[int] = Counter()
        """How many documents have so many sentences."""
        self.references: Counter[int] = Counter()
        """How many sentences have so many references, the target among them."""
        self.characters = {"source": 0, "target": 0}

    def add(self, document: Document) -> None:
        self.lengths[len(document.source.sentences)] += 1
        if document.references:
            further = zip(*(side.sentences for side in document.references), strict=True)
            self.references.update(1 + len(texts) - texts.count(None) for texts in further)
        else:
            self.references[1] += len(document.target.sentences)
        for side in self.characters:
            self.characters[side] += sum(map(len, getattr(document, side).sentences))

    @property
    def counts(self) -> Counts:
        return Counts(self.lengths.total(), sum(length * count for length, count in self.lengths.items()))

    def shown(self) -> dict[str, Any]:
        counts = self.counts
        mean = round(counts.sentences / counts.documents, 2)
        return {
            **dataclasses.asdict(counts),
            "source_characters": self.characters["source"],
            "target_characters": self.characters["target"],
            "sentences_per_document": {"min": min(self.lengths), "mean": mean, "max": max(self.lengths)},
            "references": {"min": min(self.references), "max": max(self.references)},
        }


def make_card(
    settings: CorpusSettings,
    sha256: dict[str, str],
    splits: dict[str, Statistics],
    changed: Counter[str],
    items: Iterable[ContrastiveItem],
) -> dict[str, Any]:
    """The content of card.json. `sha256`: of the files as they were read."""
    sets: dict[str, Counter[str]] = {}
    for item in items:
        sets.setdefault(item.set, Counter())[str(item.distance)] += 1
    return {
        "corpus": settings.corpus,
        "source_language": settings.source_language,
        "target_language": settings.target_language,
        "licence": settings.licence,
        "citation": settings.citation,
        "files": [{"name": name, "sha256": digest} for name, digest in sha256.items()],
        "reader": dataclasses.asdict(settings.reader),
        "splits": {split: splits[split].shown() for split in SPLITS if split in splits},
        "changed": {what: count for what, count in sorted(changed.items()) if count},
        "contrastive": {name: dict(counts) for name, counts in sets.items()},
    }
