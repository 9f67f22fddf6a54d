"""BLEU of the translations of a system, for each family and each unit, over the whole test set and each document."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from docmt.scoring.bleu import FAMILIES, BleuFamily, bleu_parts, line_counts, signature
from docmt.scoring.inputs import Lines, References, Translations, collapse_runs, read_translations, window_positions
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.pairings import UNITS, Pairing, pairings
from docmt.scoring.tallies import SignedTally, Tally, nested
from docmt.settings.metrics import LAST, bleu_measure


def bleu_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    lines: Lines = "sentences",
    position: str | None = None,
    families: Collection[str] = tuple(FAMILIES),
) -> list[SignedTally]:
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
        for unit, pair in (tokenized if family.is_tokenized else raw).items()
    ]


def _tally(family: BleuFamily, target_language: str, measure: str, unit: str, pair: Pairing) -> SignedTally:
    metric = family.metric(target_language)
    return SignedTally(
        measure,
        f"bleu:{family.smooth}",
        UNITS[unit],
        pair.names,
        line_counts(metric, pair.hypotheses, pair.references),
        signature=signature(metric, pair.references, pair.unit),
    )


def of_last_sentences(tallies: Sequence[SignedTally], documents: Sequence[str], window: int) -> list[SignedTally]:
    """Return s-BLEU of those sentences alone that are the last of a whole window.

    Our reading of what long-short term masking (Zhang et al. 2020), section 3.2, may score: "each sentence is
    translated as the last sentence in a chunk of 4 sentences", which the first three of a document cannot be.
    `documents` has the name of the document of each sentence, and `window` is the number of sentences of a window.
    """
    places = [place for _, group in groupby(documents) for place, _ in enumerate(group)]
    chosen = [number for number, place in enumerate(places) if place >= window - 1]
    return [
        replace(
            tally,
            measure=bleu_measure(*tally.measure.split("|")[1:], LAST),
            names=tuple(tally.names[number] for number in chosen),
            counts=tally.counts[chosen],
            signature=f"{tally.signature}|sentences:last of {window}",
        )
        for tally in tallies
        if tally.measure.endswith("|s")
    ]


def bleu_scores(tallies: Sequence[SignedTally]) -> dict[str, dict]:
    """Return BLEU of the whole test set: `{family: {unit: {"score", "signature", ...}}}`, with its `bleu_parts`."""
    scores: dict[str, dict] = {}
    for tally in tallies:
        _, family, unit, *_ = tally.measure.split("|")
        scores.setdefault(family, {})[unit] = {**tally.record, **parts_of(tally)}
    return scores


def parts_of(tally: SignedTally) -> dict[str, Any]:
    """Return `bleu_parts` of the whole test set; empty for the tally of another metric than BLEU."""
    name, _, smooth = tally.kind.partition(":")
    return bleu_parts(tally.counts.sum(axis=0), smooth) if name == "bleu" else {}


def scores_by_document(tallies: Sequence[Tally], documents: Sequence[str]) -> list[dict[str, Any]]:
    """Return the scores of each document by itself: `[{"document", "sentences", "bleu": {family: {unit: score}}}]`.

    Scores of other metrics than BLEU are `{metric: {unit: score}}`, beside "bleu". `documents` has the name of the
    document of each sentence. For unit s the sentences of the document are the lines that are scored; for unit d the
    document is a single line. Other units are left out.
    """
    lengths = [len(list(group)) for _, group in groupby(documents)]
    starts = np.cumsum(lengths) - lengths
    columns = {}
    for tally in tallies:
        if (unit := tally.measure.split("|")[-1]) in ("s", "d"):
            # A row of unit d is a document already; rows of unit s are summed over the sentences of each document.
            sums = np.add.reduceat(tally.counts, starts) if unit == "s" else tally.counts
            columns[tally.measure] = tally.scores(sums).tolist()
    rows = enumerate(zip(collapse_runs(documents), lengths, strict=True))
    return [
        {"document": name, "sentences": length, **nested({key: values[row] for key, values in columns.items()})}
        for row, (name, length) in rows
    ]


def score(job: ScoringJob) -> ScoringResult:
    """Return BLEU of the whole test set, of each document, of each position in the window, and of last sentences.

    BLEU of position j is the s-BLEU of the translations in the file `test.j<j>.txt`, in which each sentence is
    translated as the j-th sentence of a window: `{"j1": {family: {"s": ...}}}`. Beside positions, `last` has the BLEU
    of `of_last_sentences`; it is left out where no document is as long as a window.
    """
    language, references = job.settings["target_language"], job.references
    tallies = bleu_tallies(job.translations, references, language, job.lines)
    # These references have no documents and no instances, so that `bleu_tallies` computes s-BLEU alone.
    only_sentences, by_position = References(None, references.raw, references.tokenized), {}
    windows = window_positions(job.inputs.translations)
    for name in (f"j{j}" for j in windows):
        translations = read_translations(job.inputs.translations, f"test.{name}", references, "sentences")
        by_position[name] = bleu_tallies(translations, only_sentences, language, position=name)
    last = of_last_sentences(tallies, references.documents, windows[-1]) if windows else []
    if last and last[0].names:
        by_position[LAST] = last
    scores = {
        "bleu": bleu_scores(tallies),
        "by_document": scores_by_document(tallies, references.documents),
        "positions": {name: bleu_scores(position_tallies) for name, position_tallies in by_position.items()},
    }
    return ScoringResult(
        scores, [*tallies, *(tally for position_tallies in by_position.values() for tally in position_tallies)]
    )
