"""Translations and references as plain text files: a sentence a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from docmt.base.artifacts import read_lines
from docmt.base.errors import UserError
from docmt.scoring.inputs import Instances, Lines, References, Stream, Translations


@dataclass(frozen=True)
class PlainFiles:
    """The references that every system is scored against, read from plain text files.

    `is_sentence`: whether each line of the files is a sentence; other lines separate documents.
    """

    references: References
    is_sentence: tuple[bool, ...]
    where: str

    @property
    def documents(self) -> Sequence[str]:
        """Each sentence's document. Raises UserError where nobody said what the documents are."""
        if self.references.documents is None:
            raise UserError("no documents", where=self.where, remedy=DOCUMENTS_REMEDY)
        return self.references.documents

    def translations(self, path: Path, lines: Lines = "sentences") -> Translations:
        """A system's lines; BLEU of tokens takes them as they are.

        Where `lines` are documents there is one for each, and none for borders. Raises UserError where lines do not
        correspond.
        """
        found = text_lines(path)
        if lines == "sentences":
            self._check(path, found)
            found = tuple(line for line, is_sentence in zip(found, self.is_sentence, strict=True) if is_sentence)
        elif self.references.documents is None:
            raise UserError("lines that are documents need documents", where=self.where, remedy=DOCUMENTS_REMEDY)
        else:
            need_lines(path, found, self.references.count(lines), "one for each document")
        return Translations(found, found)

    def _check(self, path: Path, found: Sequence[str]) -> None:
        need_lines(path, found, len(self.is_sentence), f"as in {self.where}")
        for number, (line, is_sentence) in enumerate(zip(found, self.is_sentence, strict=True), 1):
            if not is_sentence and line.strip():
                raise UserError(
                    "text where the references have a border between documents",
                    where=f"{path}:{number}",
                    found=line,
                    expected="a blank line",
                    remedy=DOCUMENTS_REMEDY,
                )


DOCUMENTS_REMEDY = "name each line's document in a file of its own (--documents), or put a blank line between documents"


def read_plain_files(
    references: Sequence[Path], documents: Path | None = None, instances: Path | None = None
) -> PlainFiles:
    """One or several files of references. A line that is blank in all of them is a border between documents.

    `documents`: a file with the name of each line's document; then blank lines are sentences with an empty reference.
    `instances`: the same of each sentence's instance (see `docmt.scoring.bleu_scores`), borders left out. A line that
    is blank in some of the references only has fewer of them. Raises UserError where lines do not correspond.
    """
    texts = [text_lines(path) for path in references]
    where = str(references[0])
    for path, lines in zip(references[1:], texts[1:], strict=True):
        need_lines(path, lines, len(texts[0]), f"as in {where}")
    blank = [all(not line.strip() for line in lines) for lines in zip(*texts, strict=True)]
    is_sentence = tuple(True for _ in blank) if documents else tuple(not one for one in blank)
    if not any(is_sentence):
        raise UserError("no sentences", where=where, expected="a sentence a line")
    streams = tuple(_stream(lines, blank, is_sentence) for lines in texts)
    names = _by_borders(is_sentence) if documents is None else _names(documents, sum(is_sentence), where)
    packed = None if instances is None else Instances(_names(instances, sum(is_sentence), where), instances.name)
    return PlainFiles(References(names, streams, streams, packed), is_sentence, where)


def text_lines(path: Path) -> tuple[str, ...]:
    """Lines of a user's file: a carriage return before the line feed is not of the text."""
    return tuple(line.removesuffix("\r") for line in read_lines(path))


def parallel_lines(source: Path, target: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Raises UserError where the files have not as many lines."""
    lines = text_lines(source), text_lines(target)
    need_lines(target, lines[1], len(lines[0]), f"as in {source}")
    return lines


def need_lines(path: Path, found: Sequence, expected: int, why: str) -> None:
    """Raises UserError, which says `why` so many lines are expected, where a file has another number of them."""
    if len(found) != expected:
        raise UserError("another number of lines", where=str(path), found=len(found), expected=f"{expected}, {why}")


def _stream(lines: Sequence[str], blank: Sequence[bool], is_sentence: Sequence[bool]) -> Stream:
    rows = zip(lines, blank, is_sentence, strict=True)
    return tuple(line if line.strip() or nowhere else None for line, nowhere, sentence in rows if sentence)


def _by_borders(is_sentence: Sequence[bool]) -> tuple[str, ...] | None:
    """Documents counted from 1; none without a border between two sentences."""
    opens = [int(sentence and not (number and is_sentence[number - 1])) for number, sentence in enumerate(is_sentence)]
    numbers = [number for number, sentence in zip(accumulate(opens), is_sentence, strict=True) if sentence]
    return tuple(map(str, numbers)) if numbers[-1] > 1 else None


def _names(path: Path, expected: int, where: str) -> tuple[str, ...]:
    names = text_lines(path)
    need_lines(path, names, expected, f"one for each sentence of {where}")
    return names
