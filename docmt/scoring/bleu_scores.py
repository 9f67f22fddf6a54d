"""BLEU of the translations of a system, for each family and each unit, over the whole test set and each document.

The unit says what BLEU takes as one line: a sentence (s), a document (d) or a packed instance of a view (i).
"""

from collections.abc import Collection, Sequence
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
    """The translations of a system with their references, as lines of one unit of BLEU.

    `names` has the name of each line; lines of two systems with the same name translate the same sentences. `unit` is
    the end of the signature.
    """

    hypotheses: Sequence[str]
    references: tuple[Stream, ...]
    names: tuple[str, ...]
    unit: str


def pairings(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], references: References, lines: Lines
) -> dict[str, Pairing]:
    """Return the pairing of each unit for which BLEU can be computed, by the letter of the unit.

    `lines` says whether a line of `hypotheses` is a sentence or a document. The names of sentences are their numbers,
    from 0. Unit d is left out where the documents are not known, and unit i where there are no instances. Where lines
    are documents, unit d is the only one.
    """
    by_unit = {}
    if lines == "sentences":
        by_unit["s"] = Pairing(hypotheses, streams, tuple(map(str, range(len(hypotheses)))), "s")
    if references.documents is not None:
        joined = join(hypotheses, references.documents) if lines == "sentences" else hypotheses
        by_unit["d"] = _joined_pairing(joined, streams, references.documents, "d|documents:{}")
    if references.instances is not None and lines == "sentences":
        names = references.instances.names
        # `_joined_pairing` fills the braces with the number of instances.
        unit = f"i|view:{references.instances.view}|instances:{{}}"
        by_unit["i"] = _joined_pairing(join(hypotheses, names), streams, names, unit)
    return by_unit


def join(lines: Stream, groups: Sequence[str]) -> list[str | None]:
    """Return one line for each group of lines, joined by spaces.

    `groups` has the name of the group of each line; the lines of a group are consecutive. The result is None for a
    group that has a line which is None.
    """
    pairs = zip(groups, lines, strict=True)
    joined = [[line for _, line in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]
    return [None if None in group else " ".join(group) for group in joined]


def join_references(streams: tuple[Stream, ...], groups: Sequence[str]) -> tuple[Stream, ...]:
    """Return the references of groups of sentences, such as documents: each stream with the lines of a group joined.

    A group has a reference only where all of its sentences have the reference. Raises UserError for a group without
    any reference.
    """
    joined = tuple(join(stream, groups) for stream in streams)
    for name, *lines in zip(collapse_runs(groups), *joined, strict=True):
        if all(line is None for line in lines):
            raise UserError(
                "no reference has all sentences of a document",
                where=f"document {name!r}",
                expected="at least one reference that has all sentences",
            )
    return joined


def _joined_pairing(
    hypotheses: Sequence[str], streams: tuple[Stream, ...], groups: Sequence[str], unit: str
) -> Pairing:
    names = tuple(collapse_runs(groups))
    return Pairing(hypotheses, join_references(streams, groups), names, unit.format(len(names)))


@dataclass(frozen=True, eq=False)
class BleuTally(Tally):
    """A tally of BLEU, with the signature of the score."""

    signature: str = ""


def bleu_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    position: str | None = None,
    families: Collection[str] = tuple(FAMILIES),
) -> list[BleuTally]:
    """Return the tallies of BLEU, for each family and each unit of `pairings`.

    `lines` says whether a line of the translations is a sentence or a document. `position` is the position in the
    window for which the sentences were translated, such as `j1`, or None. `families` are the names of the families that
    are computed. Raises UserError for a document without a reference that has all of its sentences.
    """
    raw = pairings(translations.raw, references.raw, references, lines)
    tokenized = pairings(translations.tokenized, references.tokenized, references, lines)
    return [
        _tally(family, target_language, bleu_measure(name, unit, position), unit, pair)
        for name, family in FAMILIES.items()
        if name in families
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
    """Return BLEU of the whole test set: `{family: {unit: {"score", "signature"}}}`."""
    scores: dict[str, dict] = {}
    for tally in tallies:
        _, family, unit, *_ = tally.measure.split("|")
        scores.setdefault(family, {})[unit] = {"score": tally.score, "signature": tally.signature}
    return scores


def bleu_by_document(tallies: Sequence[Tally], documents: Sequence[str]) -> list[dict]:
    """Return BLEU of each document by itself: `[{"document", "sentences", "bleu": {family: {unit: score}}}]`.

    `documents` has the name of the document of each sentence. For unit s the sentences of the document are the lines
    that BLEU is computed on; for unit d the document is a single line. Other units are left out.
    """
    lengths = [len(list(group)) for _, group in groupby(documents)]
    starts = np.cumsum(lengths) - lengths
    scores: list[dict] = [{} for _ in lengths]
    for tally in tallies:
        _, family, unit = tally.measure.split("|")
        if unit in ("s", "d"):
            # A row of unit d is a document already; rows of unit s are summed over the sentences of each document.
            sums = np.add.reduceat(tally.counts, starts) if unit == "s" else tally.counts
            for document_scores, score in zip(scores, tally.scores(sums).tolist(), strict=True):
                document_scores.setdefault(family, {})[unit] = score
    rows = zip(collapse_runs(documents), lengths, scores, strict=True)
    return [{"document": name, "sentences": length, "bleu": by_family} for name, length, by_family in rows]


def score(job: ScoringJob) -> ScoringResult:
    """Return BLEU of the whole test set, of each document, and of each position in the window.

    BLEU of position j is the s-BLEU of the translations in the file `test.j<j>.txt`, in which each sentence is
    translated as the j-th sentence of a window: `{"j1": {family: {"s": ...}}}`.
    """
    language, references = job.settings["target_language"], job.references
    tallies = bleu_tallies(job.translations, references, language, job.lines)
    # These references have no documents and no instances, so that `bleu_tallies` computes s-BLEU alone.
    only_sentences, by_position = References(None, references.raw, references.tokenized), {}
    for name in (f"j{j}" for j in window_positions(job.inputs.translations)):
        translations = read_translations(job.inputs.translations, f"test.{name}", references, "sentences")
        by_position[name] = bleu_tallies(translations, only_sentences, language, position=name)
    scores = {
        "bleu": bleu_scores(tallies),
        "by_document": bleu_by_document(tallies, references.documents),
        "positions": {name: bleu_scores(position_tallies) for name, position_tallies in by_position.items()},
    }
    return ScoringResult(
        scores, [*tallies, *(tally for position_tallies in by_position.values() for tally in position_tallies)]
    )
