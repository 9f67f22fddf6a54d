"""Translations side by side, sentence by sentence, for the documents on which the systems of a study differ most."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from docmt.base.artifacts import read_object_if_there, read_text
from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.names import UNSPACED
from docmt.base.paths import CORPUS
from docmt.base.tables import read_parquet
from docmt.reporting.results import Results, Run

MOST_DOCUMENTS = 2  # The largest number of documents of a corpus that the page shows.

# A text in parts, each with a truth value, which is True where the part differs from the reference.
Marked = list[tuple[str, bool]]


@dataclass(frozen=True)
class TranslatedSentence:
    """A sentence: its number in the document, from 1, its source, its reference, and its translation by each system."""

    number: int
    source: str
    reference: str
    translations: tuple[Marked, ...]


@dataclass(frozen=True)
class TranslatedDocument:
    """A test document with the translations of several systems, all with the same seed."""

    corpus: str
    document: str
    seed: int
    systems: tuple[str, ...]
    lines: tuple[TranslatedSentence, ...]


@dataclass(frozen=True)
class CorpusTranslations:
    """The test set of a corpus with the translations of several systems, all with the same seed."""

    corpus: str
    runs: tuple[Run, ...]
    source_language: str
    target_language: str
    rows: tuple[dict, ...]  # The test sentences, with their documents.
    outputs: tuple[tuple[str, ...], ...]  # The translations of each sentence, one per system.

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(run.entry.system.name for run in self.runs)

    @cached_property
    def documents(self) -> dict[str, list[int]]:
        """The numbers of the sentences of each document, in the order of the test set."""
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(row["document"], []).append(place)
        return places

    @property
    def unit(self) -> str:
        """The unit of lengths of sources: "words", or "characters" in a language without spaces."""
        return "characters" if self.source_language in UNSPACED else "words"

    def length(self, document: str) -> int:
        """Return the length of a document's source in `unit`."""
        sources = [self.rows[place]["source"] for place in self.documents[document]]
        return sum(len(text.replace(" ", "") if self.unit == "characters" else text.split()) for text in sources)

    def document(self, name: str) -> TranslatedDocument:
        """Return a document with its translations."""
        lines = tuple(
            _line(self.rows[place], self.outputs[place], self.target_language) for place in self.documents[name]
        )
        return TranslatedDocument(self.corpus, name, self.runs[0].seed, self.systems, lines)


def read_translations(results: Results, corpus: str) -> CorpusTranslations | None:
    """Read the translations of a corpus with the smallest decoded seed; None without such a seed.

    Raises UserError where a file of translations does not have a line for each test sentence.
    """
    # Documents that are translated without marks between sentences have no sentences to compare.
    runs = [run for run in results.of(corpus) if has_sentences(run)]
    corpus_file = results.data(CORPUS, corpus) / "documents.parquet"
    if not runs or not corpus_file.exists():
        return None
    seed = min(run.seed for run in runs)
    runs = [run for run in runs if run.seed == seed]
    rows = read_parquet(corpus_file, DOCUMENTS, split="test").to_pylist()
    outputs = zip(*(read_lines(run.translations / "test.txt", len(rows)) for run in runs), strict=True)
    languages = (results.language(corpus, side) for side in ("source", "target"))
    return CorpusTranslations(corpus, tuple(runs), *languages, tuple(rows), tuple(outputs))


def documents_to_show(translations: Iterable[CorpusTranslations]) -> list[TranslatedDocument]:
    """Return, for each corpus, the test documents on whose translations the systems differ most."""
    return [
        read.document(name)
        for read in translations
        for name in most_different([row["document"] for row in read.rows], read.outputs)
    ]


def has_sentences(run: Run) -> bool:
    """Return whether the run has been decoded, and each line of its translations is a sentence."""
    decoding = read_object_if_there(run.translations / "decoding.json", "lines")
    return decoding is not None and decoding["lines"] == "sentences"


def read_lines(file: Path, expected: int) -> list[str]:
    """Return the lines of a file. Raises UserError where it cannot be read, or has not `expected` lines."""
    lines = read_text(file).removesuffix("\n").split("\n")
    if len(lines) != expected:
        counts = {"found": f"{len(lines)} lines", "expected": f"{expected} lines"}
        raise UserError("the file must have one line for each test sentence", where=str(file), **counts)
    return lines


def _line(row: dict, texts: tuple[str, ...], language: str) -> TranslatedSentence:
    marked = tuple(mark_differences(text, row["target"], language) for text in texts)
    return TranslatedSentence(row["sentence"] + 1, row["source"], row["target"], marked)


def most_different(
    documents: Sequence[str], outputs: Sequence[tuple[str, ...]], count: int = MOST_DOCUMENTS
) -> list[str]:
    """Return the documents with the largest mean numbers of different translations of a sentence, at most `count`.

    Of documents with equal means the earlier one comes first. `documents`: the document of each sentence. `outputs`:
    the translations of each sentence, one per system.
    """
    totals: dict[str, list[int]] = {}
    for document, texts in zip(documents, outputs, strict=True):
        total = totals.setdefault(document, [0, 0])
        total[0] += len(set(texts)) - 1
        total[1] += 1
    return sorted(totals, key=lambda name: -totals[name][0] / totals[name][1])[:count]


def mark_differences(text: str, reference: str, language: str) -> Marked:
    """Split a translation into parts that the reference has too, and parts that it does not have.

    The parts joined are the text again; a space between two parts is a part by itself, which is not marked.
    """
    blank = "" if language in UNSPACED else " "
    words, wanted = (list(side) if not blank else side.split(blank) for side in (text, reference))
    runs: Marked = []
    # `autojunk` is off, since it would ignore frequent words in long texts.
    for kind, start, end, _, _ in difflib.SequenceMatcher(None, words, wanted, autojunk=False).get_opcodes():
        if start < end:
            runs += [(blank, False)] if blank and start else []
            runs.append((blank.join(words[start:end]), kind != "equal"))
    return runs
