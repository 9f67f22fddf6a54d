"""Passages: a few sentences that a study states, with their measured and their published translations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from docmt.base.artifacts import read_object_if_there
from docmt.base.checks import Checked, in_schema, need, needed, section, setting
from docmt.base.errors import UserError
from docmt.base.foreign import MEND
from docmt.reporting.item import Checks, LabelledSystem, PassageConfig, PieceContent
from docmt.reporting.over_seeds import not_run
from docmt.reporting.results import Results


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
class TranslatedPassage(PassageConfig):
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
        """Raise UserError where the base class does, and where a published translation has the label of no system."""
        super().check(checks, path)
        for number, labelled in enumerate(self.systems):
            # A system without a model cannot translate sentences of a study.
            checks.model(labelled.system, (*path, "systems", number, "system"))
        labels = [system.name for system in self.systems]
        for number, document in enumerate(self.documents):
            for label in document.published:
                checks.known("label", label, labels, (*path, "documents", number, "published", label))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the documents of a passage with all translations so far, and their sentences as flat records.

        Raises UserError where the number of translated documents is not the number of the passage's documents.
        """
        translated = {system.name: _translated(name, self, system.system, results) for system in self.systems}
        left_out = {system.name: results.settings.why_not_run(self.corpus, system.system) for system in self.systems}
        documents = []
        for number, document in enumerate(self.documents):
            translations = {label: tuple(texts[number]) if texts else () for label, texts in translated.items()}
            documents.append(list(_texts(document, translations, left_out)))
        return PieceContent(documents, _records(documents))


@dataclass(frozen=True)
class PassageText:
    """A text of a document; `kind` is "source", "reference", "measured" or "published"."""

    kind: str
    label: str  # The label of the system, or the kind.
    lines: tuple[str, ...]
    empty: str = ""  # The reason where there are no sentences.


def _translated(name: str, config: TranslatedPassage, system: str, results: Results) -> list[list[str]] | None:
    """Read the sentences of each document; None without a file. Raises UserError for another number of documents."""
    path = results.passage(name, config.corpus, system)
    content = read_object_if_there(path, "documents")
    if content is None:
        return None
    documents = content["documents"]
    are_lists = isinstance(documents, list) and all(isinstance(document, list) for document in documents)
    if not are_lists or not all(isinstance(line, str) for document in documents for line in document):
        expected = "a list of sentences for each document"
        raise UserError("not translations of passages", where=str(path), expected=expected, remedy=MEND)
    if len(documents) != len(config.documents):
        counts = {"found": len(documents), "expected": len(config.documents)}
        raise UserError("not translations of these passages", where=str(path), **counts)
    return documents


def _texts(
    document: PassageDocument, translations: dict[str, tuple[str, ...]], left_out: dict[str, str]
) -> Iterator[PassageText]:
    """Yield the source, the reference and each system's translation, or why it is left out."""
    yield PassageText("source", "source", document.source)
    if document.reference:
        yield PassageText("reference", "reference", document.reference)
    for label, lines in translations.items():
        yield PassageText("measured", label, lines, "" if lines else not_run(left_out[label]))
        if label in document.published:
            yield PassageText("published", label, document.published[label])


def _records(documents: Sequence[Sequence[PassageText]]) -> Iterator[dict]:
    for number, document in enumerate(documents, 1):
        for text in document:
            names = {"document": number, "kind": text.kind, "label": text.label, "status": text.empty or "there"}
            for place, line in enumerate(text.lines or ("",), 1):
                yield {**names, "sentence": place, "text": line}
