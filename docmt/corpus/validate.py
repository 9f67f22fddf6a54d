"""What every corpus must be, whoever read it: checked before anything is written."""

import re
from collections.abc import Iterable, Iterator, Mapping

from docmt.core.catalogue import Counts
from docmt.core.config import SPLITS
from docmt.core.errors import UserError
from docmt.core.vocabulary import SPECIALS
from docmt.corpus.inputs import ContrastiveItem, Document

MARKERS = (*SPECIALS, "<d>", "_eos")
"""Names of special symbols, and what other corpora write between sentences and documents."""
MARKER = re.compile("|".join(map(re.escape, MARKERS)))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, the line and paragraph separators (some tools take them for line ends), the byte order mark."""


def validated(documents: Iterable[Document]) -> Iterator[Document]:
    """Pass the documents on, each after its checks.

    Raises UserError for an unknown split, a name given twice in one, unequal numbers of sentences, a document
    without any, an empty side of a pair, a stray marker, and a control character.
    """
    names: set[tuple[str, str]] = set()
    for document in documents:
        if document.split not in SPLITS:
            raise UserError("unknown split", where=document.where, found=document.split, expected=", ".join(SPLITS))
        if (document.split, document.name) in names:
            raise UserError(f"document given twice in {document.split}", where=document.where, found=document.name)
        names.add((document.split, document.name))
        _check_sentences(document)
        yield document


def _check_sentences(document: Document) -> None:
    source, target = len(document.source), len(document.target)
    if source != target:
        found = f"{source} source and {target} target sentences"
        raise UserError("source and target differ in length", where=document.where, found=found)
    if not source:
        raise UserError("empty document", where=document.where)
    for side in ("source", "target"):
        for number, text in enumerate(getattr(document, side), 1):
            check_text(text, f"{document.where}, {side} sentence {number}")


def check_text(text: str, where: str) -> None:
    """Raises UserError for a text that is empty, or holds a marker or a control character."""
    if not text.strip():
        raise UserError("empty sentence", where=where)
    marker = MARKER.search(text)
    if marker:
        raise UserError("stray marker in the text", where=where, found=marker.group())
    control = CONTROL.search(text)
    if control:
        raise UserError("control character in the text", where=where, found=f"U+{ord(control.group()):04X}")


def validated_items(items: Iterable[ContrastiveItem], corpus: str) -> Iterator[ContrastiveItem]:
    """Pass contrastive items on, each after its checks.

    Raises UserError for lengths that do not fit, variants that do not differ, and what `check_text` refuses.
    """
    for number, item in enumerate(items):
        where = f"{corpus} contrastive item {number}"
        if len(item.source) != len(item.target_context) + 1:
            found = f"{len(item.source)} source and {len(item.target_context)} context sentences"
            raise UserError("context does not fit the source", where=where, found=found, expected="one less")
        if len(set(item.variants)) != len(item.variants) or not 0 <= item.correct < len(item.variants):
            found = f"{len(item.variants)} variants, correct {item.correct}"
            raise UserError("variants must differ, and one be correct", where=where, found=found)
        for text in (*item.source, *item.target_context, *item.variants):
            check_text(text, where)
        yield item


def check_counts(found: Mapping[str, Counts], expected: Mapping[str, Counts], corpus: str) -> None:
    """Raises UserError where a split is missing, is not expected, or holds other counts than the catalogue says.

    A catalogue entry that states no counts (a user's own corpus) is not compared.
    """
    for split in SPLITS if expected else ():
        if found.get(split) != expected.get(split):
            raise UserError(
                "counts differ from the catalogue's",
                where=f"{corpus} {split}",
                found=_shown(found.get(split)),
                expected=_shown(expected.get(split)),
            )


def _shown(counts: Counts | None) -> str:
    return f"{counts.documents} documents, {counts.sentences} sentences" if counts else "no such split"
