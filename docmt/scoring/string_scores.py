"""chrF, chrF++ and TER of the translations of a system, over sentences and documents.

TER is computed over sentences alone: its search for words that moved is made for sentences, and the words of a document
would take hours.
"""

from collections.abc import Collection

from docmt.scoring.bleu import signature
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.pairings import UNITS, Pairing, pairings
from docmt.scoring.strings import STRING_METRICS, string_counts
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import STRING_UNITS


def string_tallies(
    translations: Translations,
    references: References,
    target_language: str,
    wanted: Collection[tuple[str, str]],
    lines: Lines = "sentences",
) -> list[Tally]:
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


def _tally(name: str, unit: str, target_language: str, pair: Pairing) -> Tally:
    metric, kind = STRING_METRICS[name].of_language(target_language), STRING_METRICS[name].kind
    counts = string_counts(metric, pair.hypotheses, pair.references)
    text = signature(metric, pair.references, pair.unit)
    return Tally(f"{unit}-{name}", kind, UNITS[unit], pair.names, counts, text)


def score(job: ScoringJob) -> ScoringResult:
    """Return those of the scores that the settings request."""
    requested = job.settings["requested"]
    wanted = [(name, unit) for name, units in STRING_UNITS.items() for unit in units if f"{unit}-{name}" in requested]
    tallies = string_tallies(job.translations, job.references, job.settings["target_language"], wanted, job.lines)
    return ScoringResult(scores_of(tallies), tallies)
