"""Readers of the translations of a system and of the references, raw and tokenised."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Literal

import pyarrow as pa

from docmt.base.artifacts import read_lines
from docmt.base.columns import DOCUMENTS, REFERENCE_TOKENS, SEGMENTS, TOKENS, only
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow, read_parquet
from docmt.base.vocabulary import SPECIALS
from docmt.settings.data import CutConfig

INSTANCES = only(SEGMENTS, "document", "first", "source_lengths")
"""The columns of a SEGMENTS table that say which sentences are in an instance."""

DIGITS = 8  # The number of hexadecimal digits of a file's SHA-256 in a signature

Lines = Literal["sentences", "documents"]
"""The unit of a line of translations: "documents" where the model does not mark the ends of sentences."""

Stream = Sequence[str | None]
"""A reference for each line, such as the second reference of each sentence.

Documents may have different numbers of references; the entry of a line that has fewer references is None.
"""


@dataclass(frozen=True)
class Instances:
    """The instances of a view whose segments are several whole sentences, one segment after another.

    `names` has the name of the instance of each sentence: its document and the number of its first sentence, such as
    `talk1:0`. `view` is the name of the view's cut, such as `tokens512`.
    """

    names: tuple[str, ...]
    view: str


@dataclass(frozen=True)
class References:
    """The references of the test split, raw and tokenised, with the document of each sentence.

    `documents` has the name of the document of each sentence; it is None where the documents are not known.
    """

    documents: tuple[str, ...] | None
    raw: tuple[Stream, ...]
    tokenized: tuple[Stream, ...]
    instances: Instances | None = None

    @property
    def texts(self) -> dict[str, Stream]:
        """The raw references by their names in messages: `reference`, `reference 2`, ..."""
        return {"reference" if number == 1 else f"reference {number}": raw for number, raw in enumerate(self.raw, 1)}

    def count(self, lines: Lines) -> int:
        """Return the number of test sentences or, where `lines` is "documents", of test documents."""
        return len(self.raw[0]) if lines == "sentences" else len(collapse_runs(self.documents))


def collapse_runs(names: Sequence[str], where: str = "documents") -> list[str]:
    """Return the names with each run of equal names replaced by one name, such as the documents of a list of sentences.

    `where` names the list in messages, such as the path of its file. Raises UserError for a name that comes back after
    another one: a document has all of its sentences together, as stage 1 demands of a corpus.

    >>> collapse_runs(["a", "a", "b"])
    ['a', 'b']
    """
    first_lines: dict[str, int] = {}
    for line, name in enumerate(names, 1):
        if name in first_lines and names[line - 2] != name:
            raise UserError(
                f"{name!r} comes back after others",
                where=f"{where}:{line}",
                found=f"{name!r}, as on line {first_lines[name]}, and {names[line - 2]!r} before it",
                expected="all lines of a document together",
                remedy="sort the lines of all files by document, or give the two parts two names",
            )
        first_lines.setdefault(name, line)
    return list(first_lines)


@dataclass(frozen=True)
class Translations:
    """The translations of a system, one for each test sentence or document, as plain text and as the model's tokens."""

    raw: tuple[str, ...]
    tokenized: tuple[str, ...]


def read_references(corpus: Path, tokens: Path) -> References:
    """Read the references of the test split from the text of the corpus.

    References are never restored from ids, where an unknown word is <unk>. Raises UserError where there is no test
    split, where the tables of stages 1 and 2 have different sentences, or where a reference contains a special symbol
    of the vocabulary.
    """
    documents_file, tokens_file = corpus / "documents.parquet", tokens / "tokens.arrow"
    corpus_rows = read_parquet(documents_file, DOCUMENTS, split="test")
    rows = _rows(corpus_rows, "document", "sentence", "target", "references")
    tokenized = _rows(read_arrow(tokens_file, TOKENS, split="test"), "document", "sentence", "target_tokens")
    if not rows:
        raise UserError("no test sentences", where=str(documents_file), expected="rows whose split is 'test'")
    if [row[:2] for row in rows] != [row[:2] for row in tokenized]:
        raise UserError(
            "the tokens belong to other sentences than the corpus has",
            where=str(tokens_file),
            found=f"{len(tokenized)} test sentences",
            expected=f"the {len(rows)} of {documents_file}, in the same order",
            remedy="make the tokens again from this corpus",
        )
    _refuse_special_symbols(documents_file, rows)
    return References(
        documents=tuple(row[0] for row in rows),
        raw=_streams([target, *further] for _, _, target, further in rows),
        tokenized=_streams(_tokenized(tokens / "references.arrow", rows, tokenized)),
    )


def _tokenized(file: Path, rows: list[tuple], tokenized: list[tuple]) -> Iterable[list[str]]:
    """Return an iterator over the lists of tokenised references of each sentence.

    `rows` are the test sentences of the corpus, `tokenized` their tokens; both have the document and the number of the
    sentence first. `file` is the table with the tokens of further references. Raises UserError where the numbers of
    further references differ from the corpus.
    """
    expected_counts = {row[:2]: len(row[3]) for row in rows if row[3]}
    further_tokens = {}
    if expected_counts:
        tokens = read_arrow(file, REFERENCE_TOKENS, split="test")
        further_tokens = {row[:2]: row[2] for row in _rows(tokens, "document", "sentence", "reference_tokens")}
    if {place: len(further) for place, further in further_tokens.items()} != expected_counts:
        raise UserError(
            "the references differ from those of the corpus",
            where=str(file),
            found=f"further references of {len(further_tokens)} test sentences",
            expected=f"further references of {len(expected_counts)} test sentences",
            remedy="make the tokens again from this corpus",
        )
    return ([target, *further_tokens.get((document, sentence), ())] for document, sentence, target in tokenized)


def _streams(references: Iterable[list[str]]) -> tuple[Stream, ...]:
    # `zip_longest` fills the streams of a sentence that has fewer references with None.
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
    """Return `references` with the instances of the view in the folder `view`, whose test cut is `cut`.

    The references are unchanged where the cut limits neither the tokens nor the sentences of a segment: windows
    overlap, and whole documents are known already. Raises UserError where the view has other sentences than the
    references.
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
            "the segments belong to other sentences",
            where=str(file),
            found=f"{len(documents)} sentences",
            expected=f"the {len(references.documents)} of the test split, in the same order",
            remedy="make the view again from this corpus",
        )
    return replace(references, instances=Instances(tuple(names), cut.name))


def read_translations(folder: Path, name: str, references: References, lines: Lines) -> Translations:
    """Read the translations `<name>.txt` (detokenised) and `<name>.tok.txt` (tokens) of a folder.

    Raises UserError where a file does not have exactly one line for each test sentence, or for each test document.
    """
    files = folder / f"{name}.txt", folder / f"{name}.tok.txt"
    return Translations(*(read_lines_of_test(file, references.count(lines), lines) for file in files))


def read_lines_of_test(path: Path, expected: int, unit: Lines) -> tuple[str, ...]:
    """Read the translations of a file, a line for each test sentence or document.

    Raises UserError where the file is missing, is not UTF-8, or does not have the expected number of lines.
    """
    lines = tuple(read_lines(path))
    if len(lines) != expected:
        raise UserError(
            f"the file must have one line for each test {unit.removesuffix('s')}",
            where=str(path),
            found=f"{len(lines)} lines",
            expected=f"{expected} lines",
        )
    return lines


def window_positions(folder: Path) -> list[int]:
    """Return the positions j in a window, from small to large, for which the folder has a file `test.j<j>.txt`."""
    matches = (re.fullmatch(r"test\.j(\d+)\.txt", file.name) for file in folder.iterdir())
    return sorted(int(match[1]) for match in matches if match)


def file_label(path: Path) -> str:
    """Return the name of a file in signatures: the file's name and the first digits of its SHA-256."""
    return f"{path.name}-{sha256_file(path)[:DIGITS]}"


def apply_case(text: str, lower: bool) -> str:
    """Return the text in lower case where `lower` is true, else unchanged."""
    return text.lower() if lower else text
