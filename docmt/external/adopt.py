"""Adopted translations: a user's lines become the files that stage 6 writes for a trained system."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.columns import DOCUMENTS, only
from docmt.base.digests import full_digest
from docmt.base.names import UNSPACED
from docmt.base.tables import read_parquet
from docmt.external.lines import ExpectedText, read_translations
from docmt.external.notes import SignsOf, notes, refuse_denied
from docmt.external.stand_in import stand_in
from docmt.settings.external import ExternalConfig

Restore = Callable[[str, bool], tuple[str, str]]
"""A function that returns the tokens of a line, cut like those of references and joined by spaces, and its plain text.
The second argument says whether the line consists of tokens."""


@dataclass(frozen=True)
class AdoptionSettings:
    """The `job.json` of an external system in stage 6.

    `version` is the version of the step. `stand_in`: whether generated lines replace the user's
    file.
    """

    version: int
    study: str
    corpus: str
    system: str
    scale: str
    seed: int
    source: ExternalConfig
    stand_in: bool


def read_expected(corpus: Path) -> ExpectedText:
    """Read the test split of a corpus from the folder of stage 1, and the number of dev sentences."""
    file = corpus / "documents.parquet"
    table = read_parquet(file, DOCUMENTS, split="test")
    columns = (tuple(table[name].to_pylist()) for name in ("document", "source", "target"))
    return ExpectedText(*columns, dev_sentences=len(read_parquet(file, only(DOCUMENTS, "document"), split="dev")))


def write_adopted(
    settings: AdoptionSettings,
    test: ExpectedText,
    path: Path | None,
    output: Path,
    restore: Restore,
    signs_of: SignsOf,
    language: str,
) -> list[str]:
    """Write `test.txt`, `test.tok.txt` and `decoding.json` into the folder `output`, and return the notes in it.

    `path` is the user's file or folder, which is None where lines are generated. `language` is the target language.
    Raises UserError where the lines do not fit the test set, and where what is stated of them cannot be true.
    """
    source = settings.source
    if settings.stand_in or path is None:
        name = f"{settings.system} {settings.seed}"
        lines = stand_in(test, source.lines, name, language not in UNSPACED)
        noted, is_tokenised = [], False
    else:
        lines = read_translations(path, source, test)
        refuse_denied(path, lines, source, test, signs_of)
        noted, is_tokenised = list(notes(lines, source, test, signs_of)), source.tokenised
    _write(settings, test, lines, noted, output, lambda line: restore(line, is_tokenised))
    return noted


def write_answers(
    settings: AdoptionSettings,
    test: ExpectedText,
    lines: list[str],
    output: Path,
    restore: Restore,
    signs_of: SignsOf,
) -> list[str]:
    """Write the same files from the answers of a program, a line for each sentence, and return the notes in them.

    Answers are never refused for what is stated of them, since they may have cost money.
    """
    noted = list(notes(lines, settings.source, test, signs_of))
    _write(settings, test, lines, noted, output, lambda line: restore(line, settings.source.tokenised))
    return noted


def _write(
    settings: AdoptionSettings,
    test: ExpectedText,
    lines: list[str],
    noted: list[str],
    output: Path,
    restore: Callable[[str], tuple[str, str]],
) -> None:
    """Write the three files; `restore` returns the tokens and the plain text of a line."""
    restored = [restore(line) for line in lines]
    for name, column in (("test.tok.txt", 0), ("test.txt", 1)):
        with atomic_file(output / name) as stream:
            stream.writelines(texts[column] + "\n" for texts in restored)
    write_json(output / "decoding.json", _record(settings, test, lines, noted))


def _record(settings: AdoptionSettings, test: ExpectedText, lines: list[str], noted: list[str]) -> dict[str, Any]:
    """Return the content of `decoding.json`: what is stated of the lines, their counts, and what was noted."""
    source = settings.source
    return {
        "version": settings.version,
        "strategy": "generated lines" if settings.stand_in else source.kind,
        "lines": source.lines,
        "tokenised": source.tokenised,
        "case": source.case,
        "normalised": source.normalised,
        "stand_in": settings.stand_in,
        "sentences": len(test.documents),
        "empty": sum(not line.strip() for line in lines),
        "digest": full_digest(lines),
        "notes": noted,
    }
