"""Translations side by side, sentence by sentence, for the documents on which a study's systems differ most."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import read_object_if_there, read_text
from docmt.base.columns import DOCUMENTS, read_parquet
from docmt.base.errors import UserError
from docmt.base.paths import CORPUS
from docmt.reporting.results import Results, Run

MOST_DOCUMENTS = 2
UNSPACED = ("zh", "ja", "th")
"""Languages compared by characters, since blanks do not part their words."""

Marked = list[tuple[str, bool]]
"""A text in runs; True where it differs from the reference."""


@dataclass(frozen=True)
class TranslatedSentence:
    """One sentence: its number from 1, source, reference, and each system's translation."""

    number: int
    source: str
    reference: str
    translations: tuple[Marked, ...]


@dataclass(frozen=True)
class TranslatedDocument:
    corpus: str
    document: str
    seed: int
    systems: tuple[str, ...]
    source_language: str
    target_language: str
    lines: tuple[TranslatedSentence, ...]


def documents_to_show(results: Results) -> list[TranslatedDocument]:
    """For each corpus, the documents of the test split whose translations differ most between systems.

    Systems that translate documents as a whole have no sentences to show.
    Raises UserError where a system's translations are not of this test split.
    """
    return [document for corpus in results.corpora for document in _of_corpus(results, corpus)]


def _of_corpus(results: Results, corpus: str) -> Iterator[TranslatedDocument]:
    runs = [run for run in results.of(corpus) if has_sentences(run)]
    corpus_file = results.data(CORPUS, corpus) / "documents.parquet"
    if not runs or not corpus_file.exists():
        return
    seed = min(run.seed for run in runs)
    runs = [run for run in runs if run.seed == seed]
    rows = read_parquet(corpus_file, DOCUMENTS, split="test").to_pylist()
    outputs = list(zip(*(read_lines(run.translations / "test.txt", len(rows)) for run in runs), strict=True))
    source, target = (results.language(corpus, side) for side in ("source", "target"))
    for name in most_different([row["document"] for row in rows], outputs):
        pairs = [pair for pair in zip(rows, outputs, strict=True) if pair[0]["document"] == name]
        lines = tuple(_line(row, texts, target) for row, texts in pairs)
        yield TranslatedDocument(
            corpus, name, seed, tuple(run.entry.system.name for run in runs), source, target, lines
        )


def has_sentences(run: Run) -> bool:
    """Whether a line of its translations is a sentence; none is before it has translated."""
    account = read_object_if_there(run.translations / "decoding.json", "lines")
    return account is not None and account["lines"] == "sentences"


def read_lines(file: Path, expected: int) -> list[str]:
    """Raises UserError where the file cannot be read, or has another number of lines."""
    lines = read_text(file).removesuffix("\n").split("\n")
    if len(lines) != expected:
        counts = {"found": f"{len(lines)} lines", "expected": f"{expected} lines"}
        raise UserError("not one line for each test sentence", where=str(file), **counts)
    return lines


def _line(row: dict, texts: tuple[str, ...], language: str) -> TranslatedSentence:
    marked = tuple(mark_differences(text, row["target"], language) for text in texts)
    return TranslatedSentence(row["sentence"] + 1, row["source"], row["target"], marked)


def most_different(
    documents: Sequence[str], outputs: Sequence[tuple[str, ...]], count: int = MOST_DOCUMENTS
) -> list[str]:
    """The documents with the most different translations a sentence; earlier ones first where they are equal.

    `documents` names the document of each sentence, `outputs` has its translations, one a system.
    """
    totals: dict[str, list[int]] = {}
    for document, texts in zip(documents, outputs, strict=True):
        total = totals.setdefault(document, [0, 0])
        total[0] += len(set(texts)) - 1
        total[1] += 1
    return sorted(totals, key=lambda name: -totals[name][0] / totals[name][1])[:count]


def mark_differences(text: str, reference: str, language: str) -> Marked:
    """Cut a translation into runs that the reference shares, and runs that it does not.

    The runs joined are the text again; a blank between two runs belongs to neither and is not marked.
    """
    blank = "" if language in UNSPACED else " "
    words, wanted = (list(one) if not blank else one.split(blank) for one in (text, reference))
    runs: Marked = []
    for kind, start, end, _, _ in difflib.SequenceMatcher(None, words, wanted, autojunk=False).get_opcodes():
        if start < end:
            runs += [(blank, False)] if blank and start else []
            runs.append((blank.join(words[start:end]), kind != "equal"))
    return runs
