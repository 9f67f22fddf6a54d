"""The lines of a user's file of translations, compared with the test set.

A file has a line for each sentence, or for each document. Lines end at line feeds; a carriage return before a line feed
is a part of the line's end, and a byte order mark is ignored. A blank line is an empty translation, but for a blank
line between each two documents. Where the number of lines is wrong, the message names the likely cause and its line.
Notes say what a person should know of lines that look other than the study states.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_lines
from docmt.base.errors import UserError, check_known, quoted
from docmt.base.line_counts import LikelyCause, likely_cause, without_blank_borders
from docmt.settings.external import ExternalConfig, FileTranslations, files_at


@dataclass(frozen=True)
class ExpectedText:
    """The test split of a corpus, with the document, the source and the reference of each sentence.

    `dev_sentences` is the number of sentences of the dev split.
    """

    documents: tuple[str, ...]
    sources: tuple[str, ...]
    references: tuple[str, ...]
    dev_sentences: int = 0

    @property
    def sizes(self) -> dict[str, int]:
        """The number of sentences of each document, by the name of the document."""
        return {name: len(list(group)) for name, group in groupby(self.documents)}

    def unit(self, texts: Sequence[str], lines: str) -> list[str]:
        """Return a line for each sentence or, where `lines` is "documents", its sentences joined by spaces."""
        if lines == "sentences":
            return list(texts)
        pairs = groupby(zip(self.documents, texts, strict=True), key=lambda pair: pair[0])
        return [" ".join(text for _, text in group) for _, group in pairs]


def read_translations(path: Path, source: FileTranslations, test: ExpectedText) -> list[str]:
    """Return the translations in a file, or in a folder with a file for each document, line by line.

    Raises UserError, with file and line, for a file that is not UTF-8, has a lone carriage return, has no translation,
    or does not have a line for each test sentence (or document). Also raises it for a folder whose files are not those
    of the documents.
    """
    if path.is_dir():
        return _lines_of_folder(path, source, test)
    lines = _plain_lines(path)
    sentences = without_blank_borders(lines, test.sizes.values()) if source.lines == "sentences" else None
    if sentences is not None:
        return list(sentences)
    _check_count(path, lines, source, test)
    return lines


def _plain_lines(path: Path) -> list[str]:
    """Return the lines of a file. Raises UserError for one without translations, and for a lone carriage return."""
    lines = [line.removesuffix("\r") for line in read_lines(path)]
    if not any(line.strip() for line in lines):
        found = f"{len(lines)} blank lines" if lines else "an empty file"
        raise UserError("no translation in the file", where=f"{path}:1", found=found, expected="translations")
    for number, line in enumerate(lines, start=1):
        if "\r" in line:
            raise UserError(
                "a carriage return inside a line",
                where=f"{path}:{number}",
                found=quoted(line),
                expected="lines that end in a line feed, or in a carriage return and a line feed",
                remedy="write the file with one kind of line end",
            )
    return lines


def _check_count(path: Path, lines: list[str], source: FileTranslations, test: ExpectedText) -> None:
    counts = {"sentences": len(test.documents), "documents": len(test.sizes)}
    expected = counts[source.lines]
    if len(lines) == expected:
        return
    units = {count: f"{unit}: state `lines: {unit}`" for unit, count in counts.items()}
    cause = likely_cause(lines, expected, units)
    if not cause.text and len(lines) == test.dev_sentences:
        cause = LikelyCause(cause.line, "it has as many lines as the dev split has sentences")
    raise _wrong_count(path, cause, len(lines), expected, f"each test {source.lines.removesuffix('s')}")


def _wrong_count(path: Path, cause: LikelyCause, count: int, expected: int, unit: str) -> UserError:
    return UserError(
        f"the file must have one line for {unit}",
        where=f"{path}:{cause.line}",
        found=f"{count} lines",
        expected=f"{expected} lines",
        remedy=cause.remedy,
    )


def _lines_of_folder(folder: Path, source: FileTranslations, test: ExpectedText) -> list[str]:
    lines = []
    for (document, sentences), file in zip(test.sizes.items(), _files(folder, source, test), strict=True):
        is_cut = source.lines == "sentences"
        expected, of_document = sentences if is_cut else 1, _plain_lines(file)
        if len(of_document) != expected:
            unit = f"each sentence of document {document}" if is_cut else f"document {document}"
            raise _wrong_count(file, likely_cause(of_document, expected), len(of_document), expected, unit)
        lines += of_document
    return lines


def _files(folder: Path, source: FileTranslations, test: ExpectedText) -> list[Path]:
    """Return the file of each document. Raises UserError where a document has no file, or a file no document."""
    files, documents = [*files_at(folder).values()], list(test.sizes)
    # Files belong to documents in their order, or by names with or without an ending.
    lacking = documents[len(files) :]
    if source.files == "names":
        by_name = {file.name if file.name in test.sizes else file.stem: file for file in files}
        for name, file in by_name.items():
            check_known("document of the test set", name, documents, str(file))
        files = [by_name[name] for name in documents if name in by_name]
        lacking = [name for name in documents if name not in by_name]
    if len(files) != len(documents):
        raise UserError(
            "the folder must have one file for each test document",
            where=str(folder),
            found=f"{len(files)} files" + (f", and none of {lacking[0]}" if lacking else ""),
            expected=f"{len(documents)} files",
        )
    return files


# The function `docmt.text.signs.signs_of`, which finds signs that lines are not what is stated of them.
SignsOf = Callable[[Sequence[str], Collection[str], Iterable[Sequence[str]]], Iterator[Any]]

# The settings that make statements about lines, and what else to state, by the statement.
SETTINGS = {
    "plain": ("tokenised: false", "or state `tokenised: true` if they are tokens, whose escapes docmt reads"),
    "tokens": ("tokenised: true", "state `tokenised: false`"),
    "cased": ("case: cased", "state `case: lower`"),
    "openings": ("case: cased", "or state `case: truecased`"),
    "lower": ("case: lower", "state `case: cased` or `case: truecased`"),
}


def refuse_denied(
    path: Path, lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf
) -> None:
    """Raise UserError for the first sign of what cannot be true of the lines of a file, such as pieces of words."""
    for seen in _signs(lines, source, test, signs_of):
        if seen.sign.is_certain:
            setting, other = SETTINGS.get(seen.sign.denies, ("words", ""))
            raise UserError(
                "the lines are not what the study states",
                where=str(path),
                found=seen.text,
                expected=f"lines with `{setting}`" if other else "whole words, a translation on each line",
                remedy="; ".join(filter(None, (seen.sign.advice, other))),
            )


def notes(lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf) -> Iterator[str]:
    """Yield a sentence for each thing that a person should know of translations."""
    references, sources = (test.unit(texts, source.lines) for texts in (test.references, test.sources))
    for what, texts in (("reference", references), ("source", sources)):
        if list(lines) == texts:
            yield f"the translations are the {what} itself, line by line"
    for seen in _signs(lines, source, test, signs_of):
        setting, _ = SETTINGS.get(seen.sign.denies, ("", ""))
        yield seen.text + (f", and `{setting}` is stated" if setting else "")
    if blank := sum(not line.strip() for line in lines):
        yield f"{blank} of {len(lines)} lines are blank, which count as empty translations"


def _signs(lines: Sequence[str], source: ExternalConfig, test: ExpectedText, signs_of: SignsOf) -> Iterator[Any]:
    """Return the signs that deny what a study states of lines, where the references do not have them too."""
    stated = {"words", "tokens" if source.tokenised else "plain"}
    case = {"cased": {"cased", "openings"}, "truecased": {"cased"}, "lower": {"lower"}}[source.case]
    return signs_of(lines, stated | case, [test.unit(test.references, source.lines)])
