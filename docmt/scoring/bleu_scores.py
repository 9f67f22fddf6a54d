"""BLEU of one system's translations: in every family and unit, of each document, and what each line adds to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from docmt.scoring.bleu import line_counts, signature
from docmt.scoring.inputs import Lines, References, Translations, runs
from docmt.scoring.pairings import UNITS, family_pairings
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import bleu_measure


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

    `lines`: what a line of the translations is. `position`: where in its window each sentence was translated.
    """
    tallies = []
    for name, family, unit, pair in family_pairings(translations, references, lines):
        metric = family.metric(target_language)
        tallies.append(
            BleuTally(
                bleu_measure(name, unit, position),
                f"bleu:{family.smooth}",
                UNITS[unit],
                pair.names,
                line_counts(metric, pair.hypotheses, pair.references),
                signature=signature(metric, pair.references, pair.unit),
            )
        )
    return tallies


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
    rows = zip(runs(documents), lengths, scores, strict=True)
    return [{"document": name, "sentences": length, "bleu": found} for name, length, found in rows]
