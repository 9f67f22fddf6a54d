"""Paired significance tests of the difference between a system's score and its baseline's.

A run is a training with its own seed. Here it is an array of shape (units, k): the summands of a score for each
sentence, document or item (see `docmt.scoring.tallies`). Run r of the system is paired with run r of the baseline, and
the tests compare the means of the runs' scores. All p-values are two-sided.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, ttest_rel

from docmt.scoring.tallies import ScoreOfSums

DRAWS = 1000
"""Number of test sets that the bootstrap draws, as in Koehn (2004)."""

DRAWS_AT_ONCE = 100
"""Number of test sets that are drawn together. It limits the memory; results do not depend on it."""

SEED = 12345
"""Seed of the bootstrap, the same as sacreBLEU's."""

FEWEST_SEEDS = 3
"""Smallest number of runs for a test over seeds; with fewer, no usual level of significance could be reached."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test.

    `difference` is the system's score minus the baseline's. `p` is the p-value. `better`, `worse` and `equal` are
    numbers of draws (bootstrap) or of units (sign test).
    """

    difference: float
    p: float
    better: int
    worse: int
    equal: int


def paired_bootstrap(
    system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums, draws: int = DRAWS
) -> Outcome:
    """Return the outcome of paired bootstrap resampling.

    A draw is a test set of the same number of units, drawn with replacement and the same for both systems.
    p = 2 (c + 1) / (draws + 1), where c is the number of draws whose difference does not have the sign of the real
    difference, or is not defined. p is at most 1, and at least 2^(1 - units), the smallest p-value that an exact paired
    test on this number of units can have.

    Paper: Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004.
    Departs: the paper calls a system better where it wins 95 % of the draws; that test is one-sided, and the share of
    wins is `better / draws` here. The + 1 is from Davison and Hinkley (1997) and sacreBLEU; the bound for few units is
    our addition.

    Example: only the system translates twelve items right. It is better in all draws, and p is 2 (0 + 1) / 1001.

    >>> from docmt.scoring.tallies import percent
    >>> right, wrong = np.array([[1, 1]] * 12), np.array([[0, 1]] * 12)
    >>> paired_bootstrap([right], [wrong], percent)
    Outcome(difference=100.0, p=0.001998001998001998, better=1000, worse=0, equal=0)

    With three such items, no exact test has a p-value below 2 / 2^3.

    >>> paired_bootstrap([right[:3]], [wrong[:3]], percent).p
    0.25
    """
    real = _difference(system, baseline, score)
    ours, theirs = (np.mean([drawn_scores(run, score, draws) for run in runs], axis=0) for runs in (system, baseline))
    drawn = ours - theirs
    better, worse = int((drawn > 0).sum()), int((drawn < 0).sum())
    # Draws with an undefined difference (NaN) are neither better nor worse, so they count against the real difference.
    turned = draws - (better if real > 0 else worse)
    p = min(1.0, 2 * (turned + 1) / (draws + 1)) if real else 1.0
    return Outcome(real, max(p, min(1.0, 2.0 ** (1 - len(system[0])))), better, worse, draws - better - worse)


def sign_test(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> Outcome:
    """Return the outcome of a sign test on single units.

    Each unit of the baseline is replaced by the system's unit, one unit at a time. A unit is better where the
    baseline's score rises, and worse where it falls. p is the p-value of the exact sign test on these units. For
    accuracy this is McNemar's exact test.

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
    better, worse = int((changes > 0).sum()), int((changes < 0).sum())
    p = binomtest(better, better + worse).pvalue if better + worse else 1.0
    return Outcome(_difference(system, baseline, score), float(p), better, worse, len(changes) - better - worse)


def seed_p_value(system: Sequence[float], baseline: Sequence[float]) -> float | None:
    """Return the p-value of the paired t-test on the scores of runs, or None for fewer than three runs.

    The t-test suits so few numbers: Wilcoxon's test and other tests on ranks or signs cannot have p-values below 0.05
    with five seeds (Dror et al., The Hitchhiker's Guide to Testing Statistical Significance in NLP, ACL 2018). Where
    all differences are the same, p is 1 if they are zero, else 0.

    Example: the differences are 1, 2 and 3. Their mean is 2, the standard error is 1 / sqrt(3), and t = 2 sqrt(3) with
    2 degrees of freedom, for which p = 1 - t / sqrt(t^2 + 2) = 1 - sqrt(12 / 14).

    >>> round(seed_p_value([21, 22, 23], [20, 20, 20]), 9) == round(1 - (12 / 14) ** 0.5, 9)
    True
    """
    if len(system) < FEWEST_SEEDS:
        return None
    differences = np.subtract(system, baseline)
    if np.ptp(differences) == 0:
        return float(differences[0] == 0)
    return float(ttest_rel(system, baseline).pvalue)


TESTS = {"bootstrap": paired_bootstrap, "sign": sign_test}
"""The tests by the names that tables of a study use (`significance`)."""


def significance_signature(test: str, unit: str, units: int, runs: int) -> str:
    """Return the signature of a p-value.

    `unit` is the kind of unit that the test draws or counts, `units` their number. `runs` is the number of runs of each
    system.
    """
    drawing = f"|draws:{DRAWS}|seed:{SEED}" if test == "bootstrap" else ""
    seeds = "+t-test" if runs >= FEWEST_SEEDS else ""
    return f"{test}{seeds}|unit:{unit}|units:{units}{drawing}|runs:{runs}|sides:2|v:1"


def _difference(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> float:
    ours, theirs = (np.mean([score(run.sum(axis=0, keepdims=True))[0] for run in runs]) for runs in (system, baseline))
    return float(ours - theirs)


def drawn_scores(run: np.ndarray, score: ScoreOfSums, draws: int = DRAWS) -> np.ndarray:
    """Return the score of each test set that the bootstrap draws; shape (draws,), not a number where undefined.

    A test set has as many units as the real one, drawn with replacement. Draw number d takes the same units for every
    run with as many units, so that the scores of two systems can be compared draw by draw.
    """
    generator, units = np.random.default_rng(SEED), len(run)
    scores = []
    for first in range(0, draws, DRAWS_AT_ONCE):
        size = min(DRAWS_AT_ONCE, draws - first)
        # Drawing with replacement: how often each unit is drawn has a multinomial distribution. Sums of counts are
        # then a matrix product, and no drawn test set is built.
        times = generator.multinomial(units, np.full(units, 1 / units), size=size).astype(float)
        scores.append(score(times @ run))
    return np.concatenate(scores)


def _changes(system: np.ndarray, baseline: np.ndarray, score: ScoreOfSums) -> np.ndarray:
    """Return the change of the baseline's score when a unit is replaced by the system's; shape (units,).

    The change is 0 where the score is not defined.
    """
    total = baseline.sum(axis=0, keepdims=True)
    return np.nan_to_num(score(total + (system - baseline)) - score(total))
