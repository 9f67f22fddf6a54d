"""BLEU of translations with confidence intervals, and the comparison of systems with a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt.api.documents import Text, references_of, translations_of
from docmt.base.errors import check_known
from docmt.scoring.bleu import FAMILIES
from docmt.scoring.bleu_scores import BleuTally, bleu_tallies
from docmt.scoring.comparisons import compare as compare_tallies
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.intervals import Interval, difference_interval, score_interval
from docmt.scoring.significance import TESTS

DEFAULT_FAMILIES = ("13a",)


@dataclass(frozen=True)
class BleuScore:
    """BLEU from 0 to 100 of one family over one unit: s (sentences), d (documents) or i (packed instances).

    `interval` holds the middle 95 % of the scores of test sets drawn from the units of this one; it is None where the
    test set is a single unit. `signature` describes how the score was computed.
    """

    family: str
    unit: str
    score: float
    interval: Interval | None
    signature: str


@dataclass(frozen=True)
class BleuComparison:
    """The comparison of a system with its baseline, in one family and unit of BLEU.

    `difference` is the system's score minus the baseline's score. `interval` holds the middle 95 % of the differences
    on drawn test sets, and `p` is the two-sided p-value of the test. `better`, `worse` and `equal` are numbers of draws
    (bootstrap) or of units (sign test). `signature` describes the test, and `score_signature` describes the scores.
    """

    family: str
    unit: str
    system_score: float
    baseline_score: float
    difference: float
    interval: Interval | None
    p: float
    better: int
    worse: int
    equal: int
    signature: str
    score_signature: str


def score(
    hypotheses: Text,
    reference: Text,
    *,
    further_references: Sequence[Text] = (),
    families: Sequence[str] = DEFAULT_FAMILIES,
    target_language: str = "en",
) -> list[BleuScore]:
    """Return BLEU of translations, one score for each family and unit.

    `families` are `13a` (sacreBLEU's default), `13a_lower`, `tokenized_lower` and `tokenized` (lines are words
    already). Units are sentences (s) and, where texts are lists of documents, whole documents (d). `target_language` is
    an ISO 639-1 code; Chinese (zh) is scored by characters. Raises UserError where texts do not correspond.

    >>> import docmt
    >>> reference = [["The cat sat on the mat.", "It slept."]]
    >>> hypotheses = [["The cat sat on a mat.", "It slept."]]
    >>> for score in docmt.score(hypotheses, reference):
    ...     print(score.family, score.unit, round(score.score, 1))
    13a s 53.9
    13a d 65.8
    """
    references = references_of(reference, further_references)
    translations = translations_of(hypotheses, "hypotheses", references)
    return scores_of(tallies_of(translations, references, families, target_language))


def compare(
    baseline: Text,
    hypotheses: Text,
    reference: Text,
    *,
    further_references: Sequence[Text] = (),
    families: Sequence[str] = DEFAULT_FAMILIES,
    target_language: str = "en",
    test: str = "bootstrap",
) -> list[BleuComparison]:
    """Compare the translations of a system with those of a baseline, one comparison for each family and unit.

    `test` is `bootstrap` (paired bootstrap resampling, Koehn 2004) or `sign` (the sign test of Collins et al. 2005).
    `further_references`, `families` and `target_language` are those of `docmt.score`. Raises UserError where texts do
    not correspond.

    >>> import docmt
    >>> reference = [["The cat sat on the mat."] * 6]
    >>> comparisons = docmt.compare([["A cat is on a mat."] * 6], reference, reference)
    >>> [(c.unit, round(c.difference, 1), c.p) for c in comparisons if c.unit == "s"]
    [('s', 93.6, 0.03125)]
    """
    references = references_of(reference, further_references)
    check_known("test", test, TESTS)
    ours, theirs = (
        tallies_of(translations_of(text, name, references), references, families, target_language)
        for text, name in ((hypotheses, "hypotheses"), (baseline, "baseline"))
    )
    return comparisons_of(ours, theirs, test)


def scores_of(tallies: Sequence[BleuTally]) -> list[BleuScore]:
    """Return BLEU of tallies with its interval, one score for each family and unit."""
    return [
        BleuScore(family, unit, tally.score, score_interval(tally), tally.signature)
        for family, unit, tally in named(tallies)
    ]


def comparisons_of(
    system: Sequence[BleuTally], baseline: Sequence[BleuTally], test: str = "bootstrap"
) -> list[BleuComparison]:
    """Compare the tallies of a system with those of a baseline, one comparison for each family and unit.

    `test` is a name of `TESTS`.
    """
    comparisons = []
    for (family, unit, tally), other in zip(named(system), baseline, strict=True):
        outcome = compare_tallies([tally], [other], test)
        comparisons.append(
            BleuComparison(
                family,
                unit,
                outcome.system_score,
                outcome.baseline_score,
                outcome.difference,
                difference_interval(tally, other),
                outcome.p,
                outcome.better,
                outcome.worse,
                outcome.equal,
                outcome.signature,
                tally.signature,
            )
        )
    return comparisons


def tallies_of(
    translations: Translations,
    references: References,
    families: Sequence[str],
    target_language: str,
    lines: Lines = "sentences",
) -> list[BleuTally]:
    """Return a tally for each family and unit of BLEU; `lines` says whether a line is a sentence or a document.

    Raises UserError for an unknown family, and for a document without any complete reference.
    """
    for family in families:
        check_known("family of BLEU", family, FAMILIES)
    return bleu_tallies(translations, references, target_language, lines, families=families)


def named(tallies: Sequence[BleuTally]) -> Iterator[tuple[str, str, BleuTally]]:
    """Yield each tally with its family and its unit."""
    for tally in tallies:
        _, family, unit, *_ = tally.measure.split("|")
        yield family, unit, tally
