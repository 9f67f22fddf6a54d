"""BLEU, chrF and TER of translations with confidence intervals, and the comparison of systems with a baseline."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docmt.api.documents import Text, references_of, translations_of
from docmt.api.frames import frame_of
from docmt.base.errors import UserError, check_known
from docmt.scoring.bleu import FAMILIES
from docmt.scoring.bleu_scores import bleu_tallies
from docmt.scoring.comparisons import compare as compare_tallies
from docmt.scoring.inputs import Lines, References, Translations
from docmt.scoring.intervals import difference_interval, scores_of
from docmt.scoring.significance import TESTS
from docmt.scoring.string_scores import string_tallies
from docmt.scoring.strings import CHARACTERS
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import METRICS, STRING_UNITS
from docmt.text.signs import text_warnings

if TYPE_CHECKING:
    import polars as pl

BLEU = "BLEU"

DEFAULT_METRICS = (BLEU,)

DEFAULT_FAMILIES = ("13a",)

# The fields of a comparison that those of two texts have too.
OF_TEXTS = ("system_score", "baseline_score", "difference", "p", "better", "worse", "equal", "untested")


@dataclass(frozen=True)
class TextComparison:
    """The comparison of a text with that of a baseline, by the metric `metric`.

    `difference` is the system's score minus the baseline's score. `low` and `high` hold the middle 95 % of the
    differences on drawn test sets, and `p` is the two-sided p-value of the test. `better`, `worse` and `equal` are
    numbers of draws (bootstrap) or of units (sign test); by TER, a lower score is better. `test` is the signature of
    the test, `interval` that of the interval, and `signature` that of the scores. `untested` is the reason why `p` is
    None; it is empty where there is a p.
    """

    metric: str
    system_score: float
    baseline_score: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    better: int
    worse: int
    equal: int
    test: str
    interval: str | None
    signature: str
    untested: str


def score(
    hypotheses: Text,
    reference: Text,
    *,
    further_references: Sequence[Text] = (),
    metrics: Sequence[str] = DEFAULT_METRICS,
    families: Sequence[str] = DEFAULT_FAMILIES,
    target_language: str = "en",
) -> "pl.DataFrame":
    """Return scores of translations as a polars frame, a row for each metric, family of BLEU and unit.

    `metrics` are `BLEU`, `chrF`, `chrF++` and `TER` (over sentences alone). `families` are those of BLEU: `13a`
    (sacreBLEU's default), `13a_lower`, `tokenized_lower` and `tokenized` (lines are words already). Units are sentences
    (s) and, where texts are lists of documents, whole documents (d). `target_language` is an ISO 639-1 code; Chinese
    (zh), Japanese (ja) and Korean (ko) have sacreBLEU's tokenisers for them. Warns of text that is not what the
    metrics expect, such as tokens. The columns of the frame are `metric` (with the names of tables, such as `d-BLEU`),
    `group`, `value`, `low` and `high` (the 95 % interval), `n` (the number of units), facts such as `brevity_penalty`,
    and the signatures `interval` and `signature`. Raises UserError where texts do not correspond.

    >>> import docmt
    >>> reference = [["The cat sat on the mat.", "It slept."]]
    >>> hypotheses = [["The cat sat on a mat.", "It slept."]]
    >>> for metric, value in docmt.score(hypotheses, reference).select("metric", "value").iter_rows():
    ...     print(metric, round(value, 1))
    s-BLEU 53.9
    d-BLEU 65.8
    """
    references = references_of(reference, further_references)
    translations = translations_of(hypotheses, "hypotheses", references)
    tallies = tallies_of(translations, references, metrics, families, target_language)
    stated = stated_of(metrics, families, target_language)
    for text in text_warnings({"hypotheses": translations.raw}, references.texts, stated):
        warnings.warn(text, stacklevel=2)
    return frame_of(scores_of(tallies))


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
) -> "pl.DataFrame":
    """Compare the translations of a system with those of a baseline: a polars frame, a row a score of `docmt.score`.

    `test` is `bootstrap` (paired bootstrap resampling, Koehn 2004) or `sign` (the sign test of Collins et al. 2005).
    `further_references`, `metrics`, `families` and `target_language` are those of `docmt.score`. Raises UserError where
    texts do not correspond.

    >>> import docmt
    >>> reference = [["The cat sat on the mat."] * 40]
    >>> compared = docmt.compare([["A cat is on a mat."] * 40], reference, reference)
    >>> compared.select("metric", compared["difference"].round(1), compared["p"].round(3)).row(0)
    ('s-BLEU', 97.5, 0.004)
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
    import polars as pl

    return pl.DataFrame([vars(compared) for compared in comparisons_of(ours, theirs, test)], infer_schema_length=None)


def comparisons_of(system: Sequence[Tally], baseline: Sequence[Tally], test: str = "bootstrap") -> list[TextComparison]:
    """Compare the tallies of a system with those of a baseline, one comparison for each of them.

    `test` is a name of `TESTS`.
    """
    comparisons = []
    for tally, other in zip(system, baseline, strict=True):
        outcome = compare_tallies([tally], [other], test, METRICS[tally.metric].lower_is_better)
        interval = difference_interval(tally, other)
        comparisons.append(
            TextComparison(
                metric=tally.name,
                **{name: getattr(outcome, name) for name in OF_TEXTS},
                low=interval and interval.low,
                high=interval and interval.high,
                test=outcome.signature,
                interval=interval and interval.signature,
                signature=tally.signature,
            )
        )
    return comparisons


def tallies_of(
    translations: Translations,
    references: References,
    metrics: Sequence[str],
    families: Sequence[str],
    target_language: str,
    lines: Lines = "sentences",
) -> list[Tally]:
    """Return a tally for each unit of each metric, and of each family of BLEU.

    `lines` says whether a line is a sentence or a document. Raises UserError for an unknown metric or family, for TER
    of lines that are documents, and for a document without any complete reference.
    """
    for metric in metrics:
        check_known("metric", metric, (BLEU, *STRING_UNITS))
        if lines == "documents" and "d" not in STRING_UNITS.get(metric, ("d",)):
            what, remedy = "this metric cannot score lines that are documents", "leave the metric out"
            raise UserError(what, found=metric, expected="a sentence on each line", remedy=remedy)
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
