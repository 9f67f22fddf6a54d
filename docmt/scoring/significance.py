"""Paired significance tests of the difference between the score of a system and the score of its baseline.

A run is a training with a seed. In this module a run is an array of shape (units, k), which has the summands of a score
for each unit of the test set, such as a sentence (see `docmt.scoring.tallies`). Run r of the system is paired with run
r of the baseline, and the tests compare the mean scores over runs. All p-values are two-sided.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, norm, t, ttest_rel

from docmt.scoring.tallies import ScoreOfSums
from docmt.settings.metric import ROUNDING

DRAWS = 1000  # The number of test sets that the bootstrap draws, as in Koehn (2004)

DRAWS_AT_ONCE = 100
"""The number of test sets that are drawn together. The number limits the memory; results do not depend on it."""

SEED = 12345  # The seed of the bootstrap, which is also the default of sacreBLEU

FEWEST_SEEDS = 3
"""The smallest number of runs for a test over seeds; with two runs, p < 0.05 would need a t-statistic above 12."""

FEWEST_UNITS = 30
"""The smallest number of units for which the tests keep their level; with fewer units `docmt` states no p-value."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test."""

    difference: float  # the score of the system minus the score of the baseline
    p: float  # the p-value
    better: int  # a number of drawn test sets (bootstrap) or of units (sign test), as are the next two
    worse: int
    equal: int


def paired_bootstrap(
    system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums, draws: int = DRAWS
) -> Outcome:
    """Return the outcome of paired bootstrap resampling; p is 1 where the real difference is 0.

    Papers: Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004; Hesterberg, What
    Teachers Should Know About the Bootstrap, The American Statistician 2015 (the expanded percentile interval).
    Departs: Koehn has a one-sided test, in which a system is better where it wins 95 % of the draws; here the share of
    wins is `better / draws`. Hesterberg has no p-value: a difference has p < 0.05 where his interval of 95 % is without
    0.

    Example: the system translates twelve items right, and the baseline none of them. So the system is better in all
    draws, q is 2 (0 + 1) / 1001, and p is larger, since there are few items.

    >>> from docmt.scoring.tallies import percent
    >>> right, wrong = np.array([[1, 1]] * 12), np.array([[0, 1]] * 12)
    >>> outcome = paired_bootstrap([right], [wrong], percent)
    >>> outcome.difference, round(outcome.p, 4), outcome.better
    (100.0, 0.013, 1000)
    """
    real = _difference(system, baseline, score)
    # Both systems have the same draws: test sets with as many units as the real one, drawn with replacement.
    scores = drawn_scores([*system, *baseline], score, draws)
    # A draw with an undefined difference (NaN) is neither better nor worse, so it counts against the real difference.
    better, worse = counted_signs(np.mean(scores[: len(system)], axis=0) - np.mean(scores[len(system) :], axis=0))
    # q = 2 (c + 1) / (draws + 1), at most 1: c is the number of draws whose difference does not have the sign of the
    # real difference, or is not defined. The + 1 is from Davison and Hinkley (1997) and sacreBLEU.
    turned = draws - (better if real > 0 else worse)
    p = expanded(min(1.0, 2 * (turned + 1) / (draws + 1)), len(system[0])) if abs(real) > ROUNDING else 1.0
    return Outcome(real, p, better, worse, draws - better - worse)


def expanded(p: float, units: int) -> float:
    """Return a two-sided p-value of the percentile bootstrap, corrected for the number of units; 1 for a single unit.

    >>> [round(expanded(0.05, units), 4) for units in (30, 100, 10_000)]
    [0.0638, 0.054, 0.05]
    """
    # Drawn test sets vary less than real ones, since they are of so few units. So p is the p-value of Student's t
    # distribution, with units - 1 degrees of freedom, of the value whose p-value of the normal distribution is q, times
    # sqrt((units - 1) / units).
    return float(2 * t.cdf(norm.ppf(p / 2) * np.sqrt((units - 1) / units), units - 1)) if units > 1 else 1.0


def sign_test(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> Outcome:
    """Return the outcome of a sign test on single units.

    Each unit of the baseline is replaced by the same unit of the system, one unit at a time. For accuracy this is
    McNemar's exact test.

    Paper: Collins, Koehn, Kucerova, Clause Restructuring for Statistical Machine Translation, ACL 2005.
    Departs: the test is exact, not approximated by a normal distribution, since counts may be small.

    Example: of ten items, eight are right only in the system, one is right only in the baseline, and one is right in
    both. p = 2 (C(9, 0) + C(9, 1)) / 2^9 = 20 / 512.

    >>> from docmt.scoring.tallies import percent
    >>> system = np.array([[1, 1]] * 8 + [[0, 1], [1, 1]])
    >>> baseline = np.array([[0, 1]] * 8 + [[1, 1], [1, 1]])
    >>> sign_test([system], [baseline], percent)
    Outcome(difference=70.0, p=0.0390625, better=8, worse=1, equal=1)
    """
    changes = np.mean([_changes(*pair, score) for pair in zip(system, baseline, strict=True)], axis=0)
    # A unit is better where it raises the score of the baseline in the mean over runs, and worse where it lowers it.
    better, worse = counted_signs(changes)
    # The exact sign test on the numbers of better and worse units.
    p = binomtest(better, better + worse).pvalue if better + worse else 1.0
    return Outcome(_difference(system, baseline, score), float(p), better, worse, len(changes) - better - worse)


def seed_p_value(system: Sequence[float], baseline: Sequence[float]) -> float | None:
    """Return the p-value of the paired t-test on the scores of runs, or None for fewer than three runs.

    Where all differences are equal but for rounding, p is 1 if they are zero, and else 0.

    Example: the differences are 1, 2 and 3. Their mean is 2, the standard error is 1 / sqrt(3), and t = 2 sqrt(3) with
    2 degrees of freedom, for which p = 1 - t / sqrt(t^2 + 2) = 1 - sqrt(12 / 14).

    >>> round(seed_p_value([21, 22, 23], [20, 20, 20]), 9) == round(1 - (12 / 14) ** 0.5, 9)
    True
    """
    if len(system) < FEWEST_SEEDS:
        return None
    differences = np.subtract(system, baseline)
    if np.ptp(differences) <= ROUNDING:
        return float(abs(differences[0]) <= ROUNDING)
    # The t-test can be used with few runs: with five runs, Wilcoxon's test and other two-sided tests on ranks or signs
    # cannot have p-values below 0.05 (Dror et al., The Hitchhiker's Guide to Testing Statistical Significance in NLP,
    # ACL 2018).
    return float(ttest_rel(system, baseline).pvalue)


TESTS = {"bootstrap": paired_bootstrap, "sign": sign_test}
"""The tests by their names in the setting `significance` of tables."""


def significance_signature(test: str, unit: str, units: int, runs: int) -> str:
    """Return the signature of a p-value.

    `unit` is the kind of unit that the test draws or counts, and `units` is the number of units. `runs` is the number
    of runs of each system.
    """
    drawing = f"|draws:{DRAWS}|seed:{SEED}" if test == "bootstrap" else ""
    seeds = "+t-test" if runs >= FEWEST_SEEDS else ""
    return f"{test}{seeds}|unit:{unit}|units:{units}{drawing}|runs:{runs}|sides:2|v:2"


def counted_signs(differences: np.ndarray) -> tuple[int, int]:
    """Return the numbers of differences above and below 0; a difference up to `ROUNDING`, or a NaN, is neither."""
    return int((differences > ROUNDING).sum()), int((differences < -ROUNDING).sum())


def _difference(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> float:
    ours, theirs = (np.mean([score(run.sum(axis=0, keepdims=True))[0] for run in runs]) for runs in (system, baseline))
    return float(ours - theirs)


def drawn_scores(runs: Sequence[np.ndarray], score: ScoreOfSums, draws: int = DRAWS) -> np.ndarray:
    """Return the scores of runs on each test set that the bootstrap draws, shape (runs, draws); NaN where undefined.

    A drawn test set has as many units as the real one, drawn with replacement, and the same units for all runs.
    """
    parts = [[score(times @ run) for run in runs] for times in drawn_times(len(runs[0]), draws)]
    return np.concatenate(parts, axis=1)


def drawn_times(units: int, draws: int = DRAWS) -> Iterator[np.ndarray]:
    """Yield how often each unit is in drawn test sets, shape (test sets, units), part by part."""
    # Test sets of equally many units are drawn alike, so that the draws of one score serve for another.
    generator = np.random.default_rng(SEED)
    for first in range(0, draws, DRAWS_AT_ONCE):
        size = min(DRAWS_AT_ONCE, draws - first)
        # In drawing with replacement, the numbers of times that the units are drawn have a multinomial distribution.
        # The sums of counts are then a matrix product, and no list of drawn units is needed.
        yield generator.multinomial(units, np.full(units, 1 / units), size=size).astype(float)


def _changes(system: np.ndarray, baseline: np.ndarray, score: ScoreOfSums) -> np.ndarray:
    """Return the change of the baseline's score when a single unit is replaced by the system's unit; shape (units,)."""
    total = baseline.sum(axis=0, keepdims=True)
    # The change is 0 where the score is not defined.
    return np.nan_to_num(score(total + (system - baseline)) - score(total))
