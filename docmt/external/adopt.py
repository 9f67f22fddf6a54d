"""Adopted translations: a user's lines become the files that stage 6 writes for a trained system.

At a scale whose corpora are generated, generated lines stand in for the user's. They are the references with some words
left out and some words exchanged, so that no score is perfect and two systems differ. They say that the path works, and
nothing else.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.columns import DOCUMENTS, only
from docmt.base.digests import full_digest
from docmt.base.names import UNSPACED
from docmt.base.tables import read_parquet
from docmt.external.lines import ExpectedText, SignsOf, notes, read_translations, refuse_denied
from docmt.settings.external import ExternalConfig

# A function that returns the tokens of a line, cut like those of references and joined by spaces, and its text.
Restore = Callable[[str], tuple[str, str]]


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


def adopted_lines(
    settings: AdoptionSettings, test: ExpectedText, path: Path | None, signs_of: SignsOf, language: str
) -> tuple[list[str], list[str]]:
    """Return the lines of the translations, and what a person should know of them.

    `path` is the user's file or folder, which is None where lines are generated. `language` is the target language.
    Raises UserError where the lines do not fit the test set, and where what is stated of them cannot be true.
    """
    source = settings.source
    if settings.stand_in or path is None:
        return stand_in(test, source.lines, f"{settings.system} {settings.seed}", language not in UNSPACED), []
    lines = read_translations(path, source, test)
    refuse_denied(path, lines, source, test, signs_of)
    return lines, list(notes(lines, source, test, signs_of))


def write_adopted(
    settings: AdoptionSettings, test: ExpectedText, lines: list[str], noted: list[str], output: Path, restore: Restore
) -> None:
    """Write `test.txt`, `test.tok.txt` and `decoding.json`, with what was `noted`, into the folder `output`."""
    restored = [restore(line) for line in lines]
    for name, column in (("test.tok.txt", 0), ("test.txt", 1)):
        with atomic_file(output / name) as stream:
            stream.writelines(texts[column] + "\n" for texts in restored)
    source = settings.source
    record = {
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
    write_json(output / "decoding.json", record)


CHANGED = 0.15  # The share of words that are left out, and of words that change places with the next one.


def stand_in(test: ExpectedText, lines: str, name: str, is_spaced: bool) -> list[str]:
    """Return a line for each sentence, or for each document where `lines` is "documents".

    `name`: the system's with its seed. `is_spaced`: whether spaces separate words.
    """
    between = " " if is_spaced else ""
    changed = []
    for number, reference in enumerate(test.references):
        # A generator seeded by a text gives the same numbers on every machine.
        draw = random.Random(f"{name} {number}")
        # In languages without spaces characters are changed.
        changed.append(between.join(_changed(reference.split() if is_spaced else list(reference), draw)))
    return test.unit(changed, lines)


def _changed(words: Sequence[str], draw: random.Random) -> list[str]:
    """Return words of which some are left out and some have changed places; one word at least is left."""
    left = [word for word in words if draw.random() >= CHANGED] or list(words[:1])
    for place in range(len(left) - 1):
        if draw.random() < CHANGED:
            left[place], left[place + 1] = left[place + 1], left[place]
    return left
