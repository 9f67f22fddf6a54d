"""Readers of translations and references in plain text files, with a sentence on each line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import Path

from docmt.base.artifacts import read_lines
from docmt.base.errors import UserError
from docmt.base.line_counts import LikelyCause, likely_cause, without_blank_borders
from docmt.scoring.inputs import Instances, Lines, References, Stream, Translations, collapse_runs


@dataclass(frozen=True)
class PlainFiles:
    """The references in plain text files, with which the translations of all systems are compared.

    `is_sentence` has an entry for each line of the files: True for a sentence, and False for a blank line between
    documents. `where` is the path of the first file, for messages.
    """

    references: References
    is_sentence: tuple[bool, ...]
    where: str

    @property
    def documents(self) -> Sequence[str]:
        """The name of the document of each sentence; raises UserError where the documents are not known."""
        if self.references.documents is None:
            raise UserError("no documents", where=self.where, remedy=DOCUMENTS_REMEDY)
        return self.references.documents

    def translations(self, path: Path, lines: Lines = "sentences") -> Translations:
        """Read the translations of a system; each line is used both as plain text and as tokens.

        Where `lines` is `documents`, the file has a line for each document and no blank lines between documents. Else
        the file may have blank lines between documents or not, whether the references have them or not. Raises
        UserError where the lines do not correspond to the references.
        """
        texts = text_lines(path)
        if lines == "sentences":
            texts = self._sentences(path, texts)
        elif self.references.documents is None:
            raise UserError("lines that are documents need documents", where=self.where, remedy=DOCUMENTS_REMEDY)
        else:
            count = self.references.count(lines)
            need_lines(path, texts, count, "one for each document", {len(self.references.raw[0]): "sentences"})
        return Translations(texts, texts)

    def _sentences(self, path: Path, texts: tuple[str, ...]) -> tuple[str, ...]:
        names = self.references.documents
        if names is not None and len(texts) != len(self.is_sentence):
            if len(texts) == len(names) and all(text.strip() for text in texts):
                return texts
            sizes = (len(list(group)) for _, group in groupby(names))
            if (sentences := without_blank_borders(texts, sizes)) is not None:
                return sentences
        self._check(path, texts)
        return tuple(text for text, is_sentence in zip(texts, self.is_sentence, strict=True) if is_sentence)

    def _check(self, path: Path, texts: Sequence[str]) -> None:
        units = {} if self.references.documents is None else {self.references.count("documents"): "documents"}
        need_lines(path, texts, len(self.is_sentence), f"as in {self.where}", units)
        for number, (line, is_sentence) in enumerate(zip(texts, self.is_sentence, strict=True), 1):
            if not is_sentence and line.strip():
                raise UserError(
                    "text on a line where the references have a blank line between documents",
                    where=f"{path}:{number}",
                    found=line,
                    expected="a blank line",
                    remedy=DOCUMENTS_REMEDY,
                )


DOCUMENTS_REMEDY = "name each line's document in a file of its own (--documents), or put a blank line between documents"


def read_plain_files(
    references: Sequence[Path], documents: Path | None = None, instances: Path | None = None
) -> PlainFiles:
    """Read one or several files of references, in which a line is a sentence.

    A line that is blank in all files separates documents. A sentence whose line is blank in some of the files has fewer
    references. `documents` is a file with the name of the document of each line; with this file, lines that are blank
    in all files are sentences with empty references. `instances` is a file with the name of the packed instance of each
    sentence, for unit i of BLEU; it has no lines for the blank lines between documents. Raises UserError where the
    lines of the files do not correspond, and where a document comes back after others.
    """
    texts = [text_lines(path) for path in references]
    where = str(references[0])
    for path, lines in zip(references[1:], texts[1:], strict=True):
        need_lines(path, lines, len(texts[0]), f"as in {where}")
    blank = [all(not line.strip() for line in lines) for lines in zip(*texts, strict=True)]
    is_sentence = tuple(True for _ in blank) if documents else tuple(not is_blank for is_blank in blank)
    if not any(is_sentence):
        raise UserError("no sentences", where=where, expected="a sentence a line")
    streams = tuple(_stream(lines, blank, is_sentence) for lines in texts)
    names = _numbered_documents(is_sentence) if documents is None else _names(documents, sum(is_sentence), where)
    packed = None if instances is None else Instances(_names(instances, sum(is_sentence), where), instances.name)
    return PlainFiles(References(names, streams, streams, packed), is_sentence, where)


def text_lines(path: Path) -> tuple[str, ...]:
    """Read the lines of a file, without the carriage return that some programs write before the line feed."""
    return tuple(line.removesuffix("\r") for line in read_lines(path))


def parallel_lines(source: Path, target: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read two files that correspond line by line; raises UserError where their numbers of lines differ."""
    lines = text_lines(source), text_lines(target)
    need_lines(target, lines[1], len(lines[0]), f"as in {source}")
    return lines


def need_lines(path: Path, lines: Sequence, expected: int, why: str, units: Mapping[int, str] | None = None) -> None:
    """Raise UserError where a file does not have the expected number of lines; `why` explains the number.

    The message has the likely cause where the lines are text; `units` is that of `likely_cause`.
    """
    if len(lines) == expected:
        return
    cause = likely_cause(lines, expected, units) if all(isinstance(line, str) for line in lines) else LikelyCause(1)
    where = f"{path}:{cause.line}" if cause.text else str(path)
    why = f"{expected}, {why}"
    raise UserError("a different number of lines", where=where, found=len(lines), expected=why, remedy=cause.remedy)


def line_names(documents: Path, lines: Sequence[str], where: str) -> tuple[str, ...]:
    """Read the name of the document of each line of `lines` from the file `documents`.

    `where` names the lines in messages. Raises UserError where the file has a different number of lines, or a document
    comes back after others.
    """
    return _names(documents, len(lines), where)


def _stream(lines: Sequence[str], blank: Sequence[bool], is_sentence: Sequence[bool]) -> Stream:
    """Return the references of a file, which are None for a line that is blank in this file but not in all files."""
    rows = zip(lines, blank, is_sentence, strict=True)
    return tuple(line if line.strip() or blank_in_all else None for line, blank_in_all, sentence in rows if sentence)


def _numbered_documents(is_sentence: Sequence[bool]) -> tuple[str, ...] | None:
    """Return the number of the document of each sentence, from 1, as text; None where all are of a single document."""
    # A document starts at a sentence that is the first line of the file, or that has a blank line before it.
    starts = [int(sentence and not (number and is_sentence[number - 1])) for number, sentence in enumerate(is_sentence)]
    numbers = [number for number, sentence in zip(accumulate(starts), is_sentence, strict=True) if sentence]
    return tuple(map(str, numbers)) if numbers[-1] > 1 else None


def _names(path: Path, expected: int, where: str) -> tuple[str, ...]:
    names = text_lines(path)
    need_lines(path, names, expected, f"one for each sentence of {where}")
    collapse_runs(names, str(path))
    return names
