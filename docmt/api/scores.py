"""BLEU, chrF and TER of translations with confidence intervals, and the comparison of systems with a baseline."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt.api.documents import Text, references_of, translations_of
from docmt.base.errors import UserError, check_known
from docmt.scoring.bleu import FAMILIES
from docmt.scoring.bleu_scores import bleu_tallies, parts_of
from docmt.scoring.comparisons import compare as compare_tallies
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.intervals import Interval, difference_interval, score_interval
from docmt.scoring.significance import TESTS
from docmt.scoring.string_scores import string_tallies
from docmt.scoring.strings import CHARACTERS
from docmt.scoring.tallies import SignedTally
from docmt.settings.metrics import METRICS, STRING_UNITS, string_name
from docmt.text.signs import text_warnings

BLEU = "BLEU"

DEFAULT_METRICS = (BLEU,)

DEFAULT_FAMILIES = ("13a",)

OF_SEVERAL_RUNS = ("p_units", "p_seeds")
"""The fields of a comparison of several runs that that of two texts has not."""


@dataclass(frozen=True)
class MetricScore:
    """The score of one metric over one unit: s (sentences), d (documents) or i (packed instances).

    `metric` is BLEU, chrF, chrF++ or TER. `family` is the family of BLEU, and None for other metrics. `interval` holds
    the middle 95 % of the scores of test sets drawn from the units of this one; it is None where the test set is a
    single unit. `signature` describes how the score was computed. The last three fields are parts of BLEU
    (`docmt.scoring.bleu.bleu_parts`), and None for other metrics.
    """

    metric: str
    family: str | None
    unit: str
    score: float
    interval: Interval | None
    signature: str
    brevity_penalty: float | None = None
    length_ratio: float | None = None
    precisions: Sequence[float] | None = None


@dataclass(frozen=True)
class MetricComparison:
    """The comparison of a system with its baseline, by one metric over one unit; see `MetricScore`.

    `difference` is the system's score minus the baseline's score. `interval` holds the middle 95 % of the differences
    on drawn test sets, and `p` is the two-sided p-value of the test. `better`, `worse` and `equal` are numbers of draws
    (bootstrap) or of units (sign test); by TER, a lower score is better. `signature` describes the test, and
    `score_signature` describes the scores. `untested` is the reason why `p` is None; it is empty where there is a p.
    """

    metric: str
    family: str | None
    unit: str
    system_score: float
    baseline_score: float
    difference: float
    interval: Interval | None
    p: float | None
    better: int
    worse: int
    equal: int
    signature: str
    score_signature: str
    untested: str


def score(
    hypotheses: Text,
    reference: Text,
    *,
    further_references: Sequence[Text] = (),
    metrics: Sequence[str] = DEFAULT_METRICS,
    families: Sequence[str] = DEFAULT_FAMILIES,
    target_language: str = "en",
) -> list[MetricScore]:
    """Return scores of translations, one for each metric, family of BLEU and unit.

    `metrics` are `BLEU`, `chrF`, `chrF++` and `TER` (over sentences alone). `families` are those of BLEU: `13a`
    (sacreBLEU's default), `13a_lower`, `tokenized_lower` and `tokenized` (lines are words already). Units are sentences
    (s) and, where texts are lists of documents, whole documents (d). `target_language` is an ISO 639-1 code; Chinese
    (zh), Japanese (ja) and Korean (ko) have sacreBLEU's tokenisers for them. Warns of text that is not what the
    metrics expect, such as tokens. Raises
    UserError where texts do not correspond.

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
    tallies = tallies_of(translations, references, metrics, families, target_language)
    stated = stated_of(metrics, families, target_language)
    for text in text_warnings({"hypotheses": translations.raw}, references.texts, stated):
        warnings.warn(text, stacklevel=2)
    return scores_of(tallies)


def compare(
    baseline: Text,
    hypotheses: Text,
    reference: Text,
    *,
    further_references: Sequence[Text] = (),
    metrics: Sequence[str] = DEFAULT_METRICS,
    families: Sequence[str] = DEFAULT_FAMILIES,
    target_language: str = "en",
    test: str = "bootstrap",
) -> list[MetricComparison]:
    """Compare the translations of a system with those of a baseline, one comparison for each score of `docmt.score`.

    `test` is `bootstrap` (paired bootstrap resampling, Koehn 2004) or `sign` (the sign test of Collins et al. 2005).
    `further_references`, `metrics`, `families` and `target_language` are those of `docmt.score`. Raises UserError where
    texts do not correspond.

    >>> import docmt
    >>> reference = [["The cat sat on the mat."] * 40]
    >>> comparisons = docmt.compare([["A cat is on a mat."] * 40], reference, reference)
    >>> [(c.unit, round(c.difference, 1), round(c.p, 3)) for c in comparisons if c.unit == "s"]
    [('s', 97.5, 0.004)]
    """
    references = references_of(reference, further_references)
    check_known("test", test, TESTS)
    systems = {
        name: translations_of(text, name, references)
        for name, text in (("hypotheses", hypotheses), ("baseline", baseline))
    }
    ours, theirs = (
        tallies_of(translations, references, metrics, families, target_language) for translations in systems.values()
    )
    texts = {name: translations.raw for name, translations in systems.items()}
    for text in text_warnings(texts, references.texts, stated_of(metrics, families, target_language)):
        warnings.warn(text, stacklevel=2)
    return comparisons_of(ours, theirs, test)


def scores_of(tallies: Sequence[SignedTally]) -> list[MetricScore]:
    """Return the scores of tallies with their intervals."""
    return [
        MetricScore(*names, tally.score, score_interval(tally), tally.signature, **parts_of(tally))
        for *names, tally in named(tallies)
    ]


def comparisons_of(
    system: Sequence[SignedTally], baseline: Sequence[SignedTally], test: str = "bootstrap"
) -> list[MetricComparison]:
    """Compare the tallies of a system with those of a baseline, one comparison for each of them.

    `test` is a name of `TESTS`.
    """
    comparisons = []
    for (metric, family, unit, tally), other in zip(named(system), baseline, strict=True):
        lower_is_better = metric != BLEU and METRICS[string_name(metric, unit)].lower_is_better
        outcome = compare_tallies([tally], [other], test, lower_is_better)
        facts = {name: value for name, value in vars(outcome).items() if name not in OF_SEVERAL_RUNS}
        interval = difference_interval(tally, other)
        comparisons.append(
            MetricComparison(metric, family, unit, interval=interval, score_signature=tally.signature, **facts)
        )
    return comparisons


def tallies_of(
    translations: Translations,
    references: References,
    metrics: Sequence[str],
    families: Sequence[str],
    target_language: str,
    lines: Lines = "sentences",
) -> list[SignedTally]:
    """Return a tally for each unit of each metric, and of each family of BLEU.

    `lines` says whether a line is a sentence or a document. Raises UserError for an unknown metric or family, for TER
    of lines that are documents, and for a document without any complete reference.
    """
    for metric in metrics:
        check_known("metric", metric, (BLEU, *STRING_UNITS))
        if lines == "documents" and "d" not in STRING_UNITS.get(metric, ("d",)):
            raise UserError("no metric of documents", found=metric, expected="a sentence on each line")
    for family in families:
        check_known("family of BLEU", family, FAMILIES)
    wanted = [(metric, unit) for metric in metrics for unit in STRING_UNITS.get(metric, ())]
    scored = families if BLEU in metrics else ()
    return [
        *bleu_tallies(translations, references, target_language, lines, families=scored),
        *string_tallies(translations, references, target_language, wanted, lines),
    ]


def stated_of(metrics: Sequence[str], families: Sequence[str], target_language: str) -> set[str]:
    """Return what must be true of texts for metrics and families of BLEU, in the words of `docmt.text.signs`."""
    only_bleu, chosen = set(metrics) == {BLEU}, [FAMILIES[family] for family in families]
    takes_words = [family.is_tokenized for family in chosen]
    stated = {"words", "tokens" if only_bleu and all(takes_words) else "plain"}
    if not (only_bleu and all(family.lowercase for family in chosen)):
        stated |= {"cased", "openings"}
    at_spaces = target_language not in CHARACTERS or (BLEU in metrics and any(takes_words))
    return stated | {"spaced"} if at_spaces and set(metrics) != {"chrF"} else stated


def named(tallies: Sequence[SignedTally]) -> Iterator[tuple[str, str | None, str, SignedTally]]:
    """Yield the metric, the family of BLEU (None for other metrics) and the unit of each tally, and the tally."""
    for tally in tallies:
        metric, *family, unit = tally.measure.split("|")
        yield (BLEU, *family, unit, tally) if family else (metric, None, unit, tally)
