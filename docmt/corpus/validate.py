"""What every corpus must be, whoever read it."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from docmt.base.names import SPLITS
from docmt.base.vocabulary import SPECIALS
from docmt.catalogue.corpus import Counts
from docmt.corpus.inputs import ContrastiveItem, Document, Problems

MARKERS = (*SPECIALS, "<d>", "_eos")
"""Names of special symbols, and what other corpora write between sentences and documents."""
MARKER = re.compile("|".join(map(re.escape, MARKERS)))
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, the line and paragraph separators (some tools take them for line ends), the byte order mark."""
LONG_CHARACTERS = 1000
"""A sentence above it is warned of: most are paragraphs, or lines that lost their ends."""


def validated(documents: Iterable[Document], problems: Problems) -> Iterator[Document]:
    """Pass the documents on, each after its checks. Names are remembered as hashes, some 100 bytes a document.

    Reports an unknown split, a name given twice in one, unequal numbers of sentences, a document without any, an empty
    side of a pair, a stray marker, and a control character; warns of very long sentences.
    """
    names: set[int] = set()
    for document in documents:
        if document.split not in SPLITS:
            expected = ", ".join(SPLITS)
            problems.report("unknown split", where=document.where, found=document.split, expected=expected)
        name = hash((document.split, document.name))
        if name in names:
            problems.report(f"document given twice in {document.split}", where=document.where, found=document.name)
        names.add(name)
        _check_sentences(document, problems)
        yield document


def _check_sentences(document: Document, problems: Problems) -> None:
    lengths = [len(side.sentences) for side in document.sides]
    if not any(lengths):
        problems.report("empty document", where=document.where)
    elif len(set(lengths)) > 1:
        found = f"{lengths[0]} source and {', '.join(map(str, lengths[1:]))} target sentences"
        problems.report("source and target differ in length", where=document.where, found=found)
    for side in document.sides:
        for number, text in enumerate(side.sentences):
            if text is not None and _is_suspect(text):
                check_text(text, side.place(number), problems)


def _is_suspect(text: str) -> bool:
    """Whether a closer look is needed; quick, since it looks at every sentence of a corpus."""
    return (
        not text
        or text.isspace()
        or len(text) > LONG_CHARACTERS
        or not text.isprintable()
        or "<" in text
        or "_eos" in text
    )


def check_text(text: str, where: str, problems: Problems) -> None:
    """Reports a text that is empty, or holds a marker or a control character."""
    if not text.strip():
        problems.report("empty sentence", where=where)
    marker = MARKER.search(text)
    if marker:
        problems.report("stray marker in the text", where=where, found=marker.group())
    control = CONTROL.search(text)
    if control:
        problems.report("control character in the text", where=where, found=f"U+{ord(control.group()):04X}")
    if len(text) > LONG_CHARACTERS:
        problems.warn(f"sentence of more than {LONG_CHARACTERS} characters", where=where, found=len(text))


def validated_items(items: Iterable[ContrastiveItem], corpus: str, problems: Problems) -> Iterator[ContrastiveItem]:
    """Pass contrastive items on, each after its checks.

    Reports lengths that do not fit, wrong variants that do not differ, and what `check_text` does. A wrong one that
    equals the right one is a tie, which scoring counts as wrong.
    """
    for number, item in enumerate(items):
        where = item.where or f"{corpus} contrastive item {number}"
        if len(item.source) != len(item.target_context) + 1:
            found = f"{len(item.source)} source and {len(item.target_context)} context sentences"
            problems.report("context does not fit the source", where=where, found=found, expected="one less")
        wrong = [text for place, text in enumerate(item.variants) if place != item.correct]
        if len(wrong) != len(item.variants) - 1 or not wrong or len(set(wrong)) != len(wrong):
            found = f"{len(item.variants)} variants, correct {item.correct}"
            expected = "one that is right, and wrong ones that differ"
            problems.report("not the variants of an item", where=where, found=found, expected=expected)
        for text in (*item.source, *item.target_context, *item.variants):
            check_text(text, where, problems)
        yield item


def check_splits(found: Collection[str], stated: Mapping[str, Sequence[str]], problems: Problems) -> None:
    """Reports a split without any document whose files are stated, as when all of them are empty."""
    for split in SPLITS:
        if split in stated and split not in found:
            files = ", ".join(dict.fromkeys(stated[split]))
            remedy = "fetch or make them again, or take the split out of the corpus' file"
            problems.report(f"no documents in split {split}", where=files, expected="one or more", remedy=remedy)


def check_counts(found: Mapping[str, Counts], expected: Mapping[str, Counts], corpus: str, problems: Problems) -> None:
    """Reports a split that is missing, or holds other counts than the catalogue says.

    Where the catalogue states none (a user's own corpus, a file that nobody has read yet) nothing is compared.
    """
    for split in SPLITS:
        if split in expected and found.get(split) != expected[split]:
            problems.report(
                "counts differ from the catalogue's",
                where=f"{corpus} {split}",
                found=_shown(found.get(split)),
                expected=_shown(expected[split]),
            )


def _shown(counts: Counts | None) -> str:
    return f"{counts.documents} documents, {counts.sentences} sentences" if counts else "no such split"
