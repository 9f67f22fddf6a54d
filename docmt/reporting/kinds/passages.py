"""Passages that a study states, beside their translations by its systems and those that were published."""

from collections.abc import Iterator
from dataclasses import dataclass

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import MEND
from docmt.kinds.passages import PassageConfig, PassageDocument
from docmt.reporting.over_seeds import not_run
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results


@dataclass(frozen=True)
class PassageText:
    """One text of a passage, as its sentences; `empty` says why there is none."""

    label: str
    lines: tuple[str, ...]
    empty: str = ""


@dataclass(frozen=True)
class Passage:
    """A document: the source first, then the reference, then each system's own translation and the published one."""

    source: PassageText
    others: tuple[tuple[str, PassageText], ...]
    """What a text is ("reference", "measured", "published"), and the text."""


@dataclass(frozen=True)
class Passages:
    source_language: str
    target_language: str
    documents: tuple[Passage, ...]


def content(name: str, config: PassageConfig, results: Results) -> PieceContent:
    """Raises UserError where translations are not of these documents."""
    translated = {shown.name: _translated(name, config, shown.system, results) for shown in config.systems}
    why = {shown.name: results.settings.why_not_run(config.corpus, shown.system) for shown in config.systems}
    documents = []
    for number, document in enumerate(config.documents):
        own = {label: found[number] if found else None for label, found in translated.items()}
        documents.append(_passage(document, own, why))
    languages = (results.language(config.corpus, side) for side in ("source", "target"))
    passages = Passages(*languages, tuple(documents))
    return PieceContent(passages, _records(passages))


def _translated(name: str, config: PassageConfig, system: str, results: Results) -> list[list[str]] | None:
    path = results.first(config.corpus, system).passages / name / "passages.json"
    found = read_object_if_there(path, "documents")
    if found is None:
        return None
    documents = found["documents"]
    texts = isinstance(documents, list) and all(isinstance(one, list) for one in documents)
    if not texts or not all(isinstance(line, str) for one in documents for line in one):
        expected = "a list of sentences for each document"
        raise UserError("not translations of passages", where=str(path), expected=expected, remedy=MEND)
    if len(documents) != len(config.documents):
        counts = {"found": len(documents), "expected": len(config.documents)}
        raise UserError("not translations of these passages", where=str(path), **counts)
    return documents


def _passage(document: PassageDocument, own: dict[str, list[str] | None], why: dict[str, str]) -> Passage:
    others = [("reference", PassageText("reference", document.reference))] if document.reference else []
    for label, lines in own.items():
        empty = not_run(why[label])
        others.append(("measured", PassageText(label, tuple(lines or ()), "" if lines else empty)))
        if label in document.published:
            others.append(("published", PassageText(label, document.published[label])))
    return Passage(PassageText("source", document.source), tuple(others))


def _records(passages: Passages) -> Iterator[dict]:
    """Every sentence of every text, for JSON and CSV."""
    for number, document in enumerate(passages.documents, 1):
        for kind, text in (("source", document.source), *document.others):
            names = {"document": number, "kind": kind, "label": text.label, "status": text.empty or "there"}
            for place, line in enumerate(text.lines or ("",), 1):
                yield {**names, "sentence": place, "text": line}
