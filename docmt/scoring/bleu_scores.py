"""BLEU of one system's translations: what it compares line by line, what each line adds to it, and of each document.

Lines are compared in each unit: sentences, documents, the packed instances of a view.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from docmt.base.errors import UserError
from docmt.scoring.bleu import FAMILIES, BleuFamily, line_counts, signature
from docmt.scoring.inputs import (
    Lines,
    References,
    Stream,
    Translations,
    collapse_runs,
    read_translations,
    window_positions,
)
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import bleu_measure

UNITS = {"s": "sentences", "d": "documents", "i": "instances"}


@dataclass(frozen=True)
class Pairing:
    """Lines of a translation and their references.

    `names` are those of the lines, by which two systems' lines are known to be of the same sentences; `unit` is what
    a signature ends with.
    """

    hypotheses: Sequence[str]
    references: tuple[Stream, ...]
    names: tuple[str, ...]
    unit: str


def pairings(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], references: References, lines: Lines
) -> dict[str, Pairing]:
    """By unit. Sentences are named by their numbers; only documents and instances that are known have a pairing."""
    found = {}
    if lines == "sentences":
        found["s"] = Pairing(hypotheses, streams, tuple(map(str, range(len(hypotheses)))), "s")
    if references.documents is not None:
        joined = join(hypotheses, references.documents) if lines == "sentences" else hypotheses
        found["d"] = _joined_pairing(joined, streams, references.documents, "d|documents:{}")
    if references.instances is not None and lines == "sentences":
        names = references.instances.names
        unit = f"i|view:{references.instances.view}|instances:{{}}"
        found["i"] = _joined_pairing(join(hypotheses, names), streams, names, unit)
    return found


def join(lines: Stream, groups: Sequence[str]) -> list[str | None]:
    """The sentences of each group, which is named beside each of them, as one line, joined by a space.

    None where one of them is none.
    """
    pairs = zip(groups, lines, strict=True)
    joined = [[line for _, line in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]
    return [None if None in group else " ".join(group) for group in joined]


def join_references(streams: tuple[Stream, ...], groups: Sequence[str]) -> tuple[Stream, ...]:
    """Each stream joined; a group has a stream's reference where all of its sentences have it.

    Raises UserError for a group of which no reference is whole.
    """
    joined = tuple(join(stream, groups) for stream in streams)
    for name, *lines in zip(collapse_runs(groups), *joined, strict=True):
        if all(line is None for line in lines):
            raise UserError(
                "no reference has all sentences of a document",
                where=f"document {name!r}",
                expected="one reference at least that is whole",
            )
    return joined


def _joined_pairing(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], groups: Sequence[str], unit: str
) -> Pairing:
    names = tuple(collapse_runs(groups))
    return Pairing(hypotheses, join_references(streams, groups), names, unit.format(len(names)))


@dataclass(frozen=True, eq=False)
class BleuTally(Tally):
    """With the signature of its score."""

    signature: str = ""


def bleu_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    position: str | None = None,
) -> list[BleuTally]:
    """What each line adds, by family and unit; see `pairings` for which units there are.

    `lines`: what a line of the translations is. `position`: where in its window each sentence was translated. Raises
    UserError for a document of which no reference is whole.
    """
    raw = pairings(translations.raw, references.raw, references, lines)
    tokenized = pairings(translations.tokenized, references.tokenized, references, lines)
    return [
        _tally(family, target_language, bleu_measure(name, unit, position), unit, pair)
        for name, family in FAMILIES.items()
        for unit, pair in (raw if family.tokenize is None else tokenized).items()
    ]


def _tally(family: BleuFamily, target_language: str, measure: str, unit: str, pair: Pairing) -> BleuTally:
    metric = family.metric(target_language)
    return BleuTally(
        measure,
        f"bleu:{family.smooth}",
        UNITS[unit],
        pair.names,
        line_counts(metric, pair.hypotheses, pair.references),
        signature=signature(metric, pair.references, pair.unit),
    )


def bleu_scores(tallies: Sequence[BleuTally]) -> dict[str, dict]:
    """`{family: {unit: {"score", "signature"}}}`, of all lines together."""
    scores: dict[str, dict] = {}
    for tally in tallies:
        _, family, unit, *_ = tally.measure.split("|")
        scores.setdefault(family, {})[unit] = {"score": tally.score, "signature": tally.signature}
    return scores


def bleu_by_document(tallies: Sequence[Tally], documents: Sequence[str]) -> list[dict]:
    """BLEU of each document alone: `[{"document", "sentences", "bleu": {family: {unit: score}}}]`, in their order.

    In unit s a document is a test set of its sentences, in unit d it is one line; other units are left out.
    `documents`: each sentence's.
    """
    lengths = [len(list(group)) for _, group in groupby(documents)]
    starts = np.cumsum(lengths) - lengths
    scores: list[dict] = [{} for _ in lengths]
    for tally in tallies:
        _, family, unit = tally.measure.split("|")
        if unit in ("s", "d"):
            sums = np.add.reduceat(tally.counts, starts) if unit == "s" else tally.counts
            for found, score in zip(scores, tally.scores(sums).tolist(), strict=True):
                found.setdefault(family, {})[unit] = score
    rows = zip(collapse_runs(documents), lengths, scores, strict=True)
    return [{"document": name, "sentences": length, "bleu": found} for name, length, found in rows]


def score(job: ScoringJob) -> ScoringResult:
    """BLEU of all lines, of each document, and by positions: `{"j1": {family: {"s": ...}}}` of s-BLEU for each position
    j that a sentence can have in its window."""
    language, references = job.settings["target_language"], job.references
    tallies = bleu_tallies(job.translations, references, language, job.lines)
    only_sentences, of_positions = References(None, references.raw, references.tokenized), {}
    for name in (f"j{j}" for j in window_positions(job.inputs.translations)):
        found = read_translations(job.inputs.translations, f"test.{name}", references, "sentences")
        of_positions[name] = bleu_tallies(found, only_sentences, language, position=name)
    scores = {
        "bleu": bleu_scores(tallies),
        "by_document": bleu_by_document(tallies, references.documents),
        "positions": {name: bleu_scores(own) for name, own in of_positions.items()},
    }
    return ScoringResult(scores, [*tallies, *(tally for own in of_positions.values() for tally in own)])
