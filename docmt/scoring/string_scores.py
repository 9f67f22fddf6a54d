"""chrF, chrF++ and TER of the translations of a system, over sentences and documents.

TER is computed over sentences alone: its search for words that moved is made for sentences, and the words of a document
would take hours.
"""

from collections.abc import Collection

from docmt.scoring.bleu import signature
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.pairings import UNITS, Pairing, pairings
from docmt.scoring.strings import STRING_METRICS, string_counts
from docmt.scoring.tallies import SignedTally, nested
from docmt.settings.metrics import STRING_UNITS, string_measure, string_name


def string_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    wanted: Collection[tuple[str, str]],
    lines: Lines = "sentences",
) -> list[SignedTally]:
    """Return the tallies of the pairs (metric, unit) of `wanted` for which the units of the test set are known.

    `lines` says whether a line of the translations is a sentence or a document. Raises UserError for a document without
    a reference that has all of its sentences.
    """
    by_unit = pairings(translations.raw, references.raw, references, lines)
    return [
        _tally(name, unit, target_language, by_unit[unit])
        for name, units in STRING_UNITS.items()
        for unit in units
        if (name, unit) in wanted and unit in by_unit
    ]


def _tally(name: str, unit: str, target_language: str, pair: Pairing) -> SignedTally:
    metric, kind = STRING_METRICS[name].of_language(target_language), STRING_METRICS[name].kind
    counts = string_counts(metric, pair.hypotheses, pair.references)
    text = signature(metric, pair.references, pair.unit)
    return SignedTally(string_measure(name, unit), kind, UNITS[unit], pair.names, counts, signature=text)


def score(job: ScoringJob) -> ScoringResult:
    """Return those of the scores that the settings request: `{metric: {unit: {"score", "signature"}}}`."""
    names = {(name, unit): string_name(name, unit) for name, units in STRING_UNITS.items() for unit in units}
    wanted = [pair for pair, name in names.items() if name in job.settings["requested"]]
    tallies = string_tallies(job.translations, job.references, job.settings["target_language"], wanted, job.lines)
    return ScoringResult(nested({tally.measure: tally.record for tally in tallies}), list(tallies))
