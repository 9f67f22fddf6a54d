"""BLEU of one system's translations: in every family and unit, of each document, and what each line adds to it."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from docmt.scoring.bleu import bleu, line_counts
from docmt.scoring.inputs import Lines, References, Translations, runs
from docmt.scoring.pairings import UNITS, family_pairings
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import bleu_measure


def bleu_scores(
    translations: Translations, references: References, target_language: str, lines: Lines = "sentences"
) -> dict[str, dict]:
    """`{family: {unit: {"score", "signature"}}}`; see `pairings` for which units there are.

    `lines`: what a line of the translations is.
    """
    scores: dict[str, dict] = {}
    for name, family, unit, pair in family_pairings(translations, references, lines):
        found = bleu(family.metric(target_language), pair.hypotheses, pair.references, pair.unit)
        scores.setdefault(name, {})[unit] = found
    return scores


def bleu_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    position: str | None = None,
) -> list[Tally]:
    """What each line adds, by family and unit. `position`: where in its window each sentence was translated."""
    return [
        Tally(
            bleu_measure(name, unit, position),
            f"bleu:{family.smooth}",
            UNITS[unit],
            pair.names,
            line_counts(family, target_language, pair.hypotheses, pair.references),
        )
        for name, family, unit, pair in family_pairings(translations, references, lines)
    ]


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
