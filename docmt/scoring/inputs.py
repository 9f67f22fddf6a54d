"""What is scored against what: translations line by line, raw references, tokenised references."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Literal

import pyarrow as pa

from docmt.base.artifacts import read_lines, sha256_file
from docmt.base.columns import DOCUMENTS, REFERENCE_TOKENS, SEGMENTS, TOKENS, only, read_arrow, read_parquet
from docmt.base.errors import UserError
from docmt.base.vocabulary import SPECIALS
from docmt.settings.data import CutConfig

INSTANCES = only(SEGMENTS, "document", "first", "source_lengths")

DIGITS = 8
"""Of a file's SHA-256 in a signature."""

Lines = Literal["sentences", "documents"]
"""What a line of a system's translations is: its model may not mark sentences."""


Stream = Sequence[str | None]
"""A reference a line; None where a line lacks this one, since documents may have different numbers of references."""


@dataclass(frozen=True)
class Instances:
    """How a view packs sentences: each one's instance by name, such as `talk1:0`, and the cut, such as `tokens512`."""

    names: tuple[str, ...]
    view: str


@dataclass(frozen=True)
class References:
    """The test split: one or several references for each sentence, raw and tokenised, and which document it is of.

    `documents` is none where nobody said what the documents are.
    """

    documents: tuple[str, ...] | None
    raw: tuple[Stream, ...]
    tokenized: tuple[Stream, ...]
    instances: Instances | None = None

    def count(self, lines: Lines) -> int:
        """How many sentences, or documents, there are."""
        return len(self.raw[0]) if lines == "sentences" else len(collapse_runs(self.documents))


def collapse_runs(names: Sequence[str]) -> list[str]:
    """Each name once for as often as it stands in a row: the documents of sentences, in their order."""
    return [name for name, _ in groupby(names)]


@dataclass(frozen=True)
class Translations:
    """One line a test sentence, or a test document: detokenised, and as the tokens that the model gave."""

    raw: tuple[str, ...]
    tokenized: tuple[str, ...]


def read_references(corpus: Path, tokens: Path) -> References:
    """The references as the corpus has them, never rebuilt from ids (an unknown word would become <unk>).

    Raises UserError where there is no test split, where the two tables are not of the same sentences, or where a
    reference holds a special symbol.
    """
    documents_file, tokens_file = corpus / "documents.parquet", tokens / "tokens.arrow"
    corpus_rows = read_parquet(documents_file, DOCUMENTS, split="test")
    rows = _rows(corpus_rows, "document", "sentence", "target", "references")
    tokenized = _rows(read_arrow(tokens_file, TOKENS, split="test"), "document", "sentence", "target_tokens")
    if not rows:
        raise UserError("no test sentences", where=str(documents_file), expected="rows whose split is 'test'")
    if [row[:2] for row in rows] != [row[:2] for row in tokenized]:
        raise UserError(
            "not the sentences of the corpus",
            where=str(tokens_file),
            found=f"{len(tokenized)} test sentences",
            expected=f"the {len(rows)} of {documents_file}, in the same order",
            remedy="make the tokens anew from this corpus",
        )
    _refuse_special_symbols(documents_file, rows)
    return References(
        documents=tuple(row[0] for row in rows),
        raw=_streams([target, *further] for _, _, target, further in rows),
        tokenized=_streams(_tokenized(tokens / "references.arrow", rows, tokenized)),
    )


def _tokenized(file: Path, rows: list[tuple], tokenized: list[tuple]) -> Iterable[list[str]]:
    """Of each sentence its tokenised references. `rows` and `tokenized`: of the corpus and of its tokens."""
    wanted = {row[:2]: len(row[3]) for row in rows if row[3]}
    found = {}
    if wanted:
        tokens = read_arrow(file, REFERENCE_TOKENS, split="test")
        found = {row[:2]: row[2] for row in _rows(tokens, "document", "sentence", "reference_tokens")}
    if {place: len(further) for place, further in found.items()} != wanted:
        raise UserError(
            "not the references of the corpus",
            where=str(file),
            found=f"further references of {len(found)} test sentences",
            expected=f"of {len(wanted)}",
            remedy="make the tokens anew from this corpus",
        )
    return ([target, *found.get((document, sentence), ())] for document, sentence, target in tokenized)


def _streams(references: Iterable[list[str]]) -> tuple[Stream, ...]:
    """From the references of each sentence to each reference's lines."""
    return tuple(zip_longest(*references))


def _rows(table: pa.Table, *columns: str) -> list[tuple]:
    return list(zip(*(table[name].to_pylist() for name in columns), strict=True))


def _refuse_special_symbols(file: Path, rows: list[tuple]) -> None:
    for document, sentence, target, further in rows:
        for symbol in SPECIALS:
            if any(symbol in text for text in (target, *further)):
                raise UserError(
                    "special symbol in a reference",
                    where=f"{file}, document {document!r}, sentence {sentence}",
                    found=symbol,
                    expected="the raw text of the corpus",
                )


def read_instances(view: Path, cut: CutConfig, references: References) -> References:
    """`references`, with the instances of the folder of a view whose test cut is this.

    Only cuts that pack sentences have instances: those of windows overlap, those of documents are documents. Raises
    UserError where the view is of other sentences.
    """
    if cut.max_tokens is None and cut.max_sentences is None:
        return references
    file = view / "test.arrow"
    names, documents = [], []
    for row in read_arrow(file, INSTANCES).to_pylist():
        sentences = len(row["source_lengths"])
        names += [f"{row['document']}:{row['first']}"] * sentences
        documents += [row["document"]] * sentences
    if tuple(documents) != references.documents:
        raise UserError(
            "not the segments of these sentences",
            where=str(file),
            found=f"{len(documents)} sentences",
            expected=f"the {len(references.documents)} of the test split, in the same order",
            remedy="make the view anew from this corpus",
        )
    return replace(references, instances=Instances(tuple(names), cut.name))


def read_translations(folder: Path, name: str, references: References, lines: Lines) -> Translations:
    """`<name>.txt` and `<name>.tok.txt`.

    Raises UserError where a file has not one line for each test sentence, or document.
    """
    files = folder / f"{name}.txt", folder / f"{name}.tok.txt"
    return Translations(*(_lines(file, references.count(lines), lines) for file in files))


def _lines(path: Path, expected: int, unit: Lines) -> tuple[str, ...]:
    """Raises UserError where the file is missing, is not UTF-8, or has another number of lines than expected."""
    lines = tuple(read_lines(path))
    if len(lines) != expected:
        raise UserError(
            f"not one line for each test {unit.removesuffix('s')}",
            where=str(path),
            found=f"{len(lines)} lines",
            expected=f"{expected} lines",
        )
    return lines


def window_positions(folder: Path) -> list[int]:
    """The window positions j for which the folder has translations `test.j<j>.txt`, in order."""
    found = (re.fullmatch(r"test\.j(\d+)\.txt", file.name) for file in folder.iterdir())
    return sorted(int(match[1]) for match in found if match)


def file_label(path: Path) -> str:
    """A file as signatures name it, with the beginning of its digest."""
    return f"{path.name}-{sha256_file(path)[:DIGITS]}"


def apply_case(text: str, lower: bool) -> str:
    return text.lower() if lower else text
