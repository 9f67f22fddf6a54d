"""chrF, chrF++ and TER, computed by the library sacreBLEU: metrics of lines of detokenised text.

    chrF     F-score of the n-grams of 1 to 6 characters; recall has twice the weight of precision (Popović, WMT 2015)
    chrF++   the same with the n-grams of 1 and 2 words too (Popović, WMT 2017)
    TER      edits for each word of the reference, in percent; lower is better (Snover et al., AMTA 2006)

A line with several references is compared with the one whose chrF is highest, or from which it has the fewest edits;
TER divides by the mean length of the references.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics import CHRF, TER

from docmt.scoring.inputs import Stream

BETA = CHRF.BETA  # The weight of recall relative to precision in chrF

CHARACTERS = ("zh", "ja")
"""The target languages, by code, whose characters are the words of TER, since they are written without spaces."""


@dataclass(frozen=True)
class StringMetric:
    """A metric of lines of text.

    `of_language` returns sacreBLEU's metric for the code of a target language. `kind` is the kind of its tallies.
    """

    of_language: Callable[[str], CHRF | TER]
    kind: str


def _ter(language: str) -> TER:
    by_characters = language in CHARACTERS
    # sacreBLEU splits text into characters only where it normalises the text too.
    return TER(normalized=by_characters, asian_support=by_characters)


STRING_METRICS = {
    "chrF": StringMetric(lambda _: CHRF(), "chrf"),
    "chrF++": StringMetric(lambda _: CHRF(word_order=2), "chrf"),
    "TER": StringMetric(_ter, "ter"),
}
"""The metrics by name."""


def string_counts(metric: CHRF | TER, hypotheses: Sequence[str], references: Sequence[Stream]) -> np.ndarray:
    """Return the counts from which the score is computed, for each line.

    The columns of chrF are, for each length of n-grams, the numbers of n-grams of the translation and of the reference
    and the number of those that match. The columns of TER are the number of edits and the length of the reference.
    """
    # The public functions of sacreBLEU return scores; the counts have only this one.
    return np.array(metric._extract_corpus_statistics(hypotheses, references), dtype=float)


def chrf_of_counts(counts: np.ndarray) -> np.ndarray:
    """Return chrF or chrF++ from 0 to 100, shape (n,), from n sums of rows of `string_counts`.

    Example: the translation is "abc", the reference "abd". 2 of 3 characters match and 1 of 2 pairs, but not the only
    n-gram of three. Precision and recall are (2/3 + 1/2 + 0) / 3 = 7/18, and so is their F-score.

    >>> counts = string_counts(CHRF(), ["abc"], [["abd"]])
    >>> counts.reshape(6, 3)[:3].tolist()
    [[3.0, 3.0, 2.0], [2.0, 2.0, 1.0], [1.0, 1.0, 0.0]]
    >>> bool(np.isclose(chrf_of_counts(counts)[0], 100 * 7 / 18))
    True
    """
    ours, theirs, matching = np.moveaxis(counts.reshape(len(counts), -1, 3).astype(float), -1, 0)
    both = (ours > 0) & (theirs > 0)
    orders = both.sum(axis=1)
    # Precision and recall are means over the lengths of n-grams that the translation and the reference both have.
    precision, recall = (_divided(_divided(matching, all_of, both).sum(axis=1), orders) for all_of in (ours, theirs))
    # F = (1 + beta^2) P R / (beta^2 P + R)
    return 100 * _divided((1 + BETA**2) * precision * recall, BETA**2 * precision + recall)


def ter_of_counts(counts: np.ndarray) -> np.ndarray:
    """Return TER in percent, shape (n,), from n sums of rows of `string_counts`; it may be above 100.

    Translations of empty references have TER 100, or 0 where they are empty too.

    >>> ter_of_counts(np.array([[1, 4], [3, 0], [0, 0]])).tolist()
    [25.0, 100.0, 0.0]
    """
    edits, words = counts.T.astype(float)
    return 100 * np.where(words > 0, _divided(edits, words), edits > 0)


def _divided(part: np.ndarray, whole: np.ndarray, where: np.ndarray | bool = True) -> np.ndarray:
    """Return part / whole, and 0 where `whole` is 0 or `where` is false."""
    return np.divide(part, whole, out=np.zeros_like(part), where=where & (whole != 0))
