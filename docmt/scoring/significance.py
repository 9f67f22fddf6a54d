"""Is a system's difference from its baseline more than chance? Paired tests on what each unit adds to a score.

A run (one training) is an array of shape (units, k): what each sentence, document or item adds to the sums that the
score is a function of (`docmt.scoring.tallies`). Several runs are several trainings, by seed; run r of the system is
paired with run r of the baseline, and what is compared is the mean of the runs' scores. All p-values are two-sided.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, ttest_rel

from docmt.scoring.tallies import ScoreOfSums

DRAWS = 1000
"""Test sets that the bootstrap draws, as in Koehn (2004)."""

DRAWS_AT_ONCE = 100
"""Bounds the memory; what comes out does not depend on it."""

SEED = 12345
"""As sacreBLEU's."""

FEWEST_SEEDS = 3
"""Below, a test over seeds could not reach any level of significance that is in use."""


@dataclass(frozen=True)
class Outcome:
    """`difference`: the system's score less the baseline's. `better`, `worse`, `equal`: so many draws, or units."""

    difference: float
    p: float
    better: int
    worse: int
    equal: int


def paired_bootstrap(
    system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums, draws: int = DRAWS
) -> Outcome:
    """Draw as many units as there are, with replacement and the same for both; how often does the difference turn?

    p = 2 (c + 1) / (draws + 1), where c is the number of draws whose difference has not the sign of the real one (or
    is not defined); at most 1, and at least 2^(1 - units), below which no exact paired test of so few units goes.

    Paper: Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004.
    Departs: the paper calls a system better where it wins 95 % of draws: that is one side, and `better / draws` here.
    The + 1 is that of Davison and Hinkley (1997) and sacreBLEU; the bound for few units is ours.

    Twelve items, which only the system gets right: it is better in every draw, and p is 2 (0 + 1) / 1001.

    >>> from docmt.scoring.tallies import percent
    >>> right, wrong = np.array([[1, 1]] * 12), np.array([[0, 1]] * 12)
    >>> paired_bootstrap([right], [wrong], percent)
    Outcome(difference=100.0, p=0.001998001998001998, better=1000, worse=0, equal=0)

    Of three such items no test can tell more than 2 / 2^3.

    >>> paired_bootstrap([right[:3]], [wrong[:3]], percent).p
    0.25
    """
    real = _difference(system, baseline, score)
    drawn = np.concatenate(list(_drawn_differences(system, baseline, score, draws)))
    better, worse = int((drawn > 0).sum()), int((drawn < 0).sum())
    turned = draws - (better if real > 0 else worse)
    p = min(1.0, 2 * (turned + 1) / (draws + 1)) if real else 1.0
    return Outcome(real, max(p, min(1.0, 2.0 ** (1 - len(system[0])))), better, worse, draws - better - worse)


def sign_test(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> Outcome:
    """Put the system's unit in the place of the baseline's, one at a time: does the baseline's score rise or fall?

    p is that of the exact sign test on the units that make a difference. For accuracy this is McNemar's exact test.

    Paper: Collins, Koehn, Kucerova, Clause Restructuring for Statistical Machine Translation, ACL 2005.
    Departs: nothing is approximated by a normal distribution, since counts may be small.

    Of ten items the system gets eight right that the baseline gets wrong, one the other way round, and both get the
    last one right. p = 2 (C(9, 0) + C(9, 1)) / 2^9 = 20 / 512.

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
    """p of the paired t-test on the scores of trainings, by seed; none for fewer than three.

    The test of choice for so few numbers: Wilcoxon's and other tests by ranks or signs cannot get below 0.05 with
    five seeds (Dror et al., The Hitchhiker's Guide to Testing Statistical Significance in NLP, ACL 2018). Where all
    differences are the same, p is 1 if they are zero, else 0.

    Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t = 2 sqrt(3) with 2 degrees of freedom, for which
    p = 1 - t / sqrt(t^2 + 2) = 1 - sqrt(12 / 14).

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
"""By the name that a study's table gives (`significance`)."""


def significance_signature(test: str, unit: str, units: int, runs: int) -> str:
    """How a p-value was made; `unit` is what was drawn, or counted."""
    drawing = f"|draws:{DRAWS}|seed:{SEED}" if test == "bootstrap" else ""
    seeds = "+t-test" if runs >= FEWEST_SEEDS else ""
    return f"{test}{seeds}|unit:{unit}|units:{units}{drawing}|runs:{runs}|sides:2|v:1"


def _difference(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums) -> float:
    ours, theirs = (np.mean([score(run.sum(axis=0, keepdims=True))[0] for run in runs]) for runs in (system, baseline))
    return float(ours - theirs)


def _drawn_differences(system: Sequence[np.ndarray], baseline: Sequence[np.ndarray], score: ScoreOfSums, draws: int):
    """Differences of DRAWS_AT_ONCE test sets after another; how often a unit is drawn is multinomial."""
    numbers, units = np.random.default_rng(SEED), len(system[0])
    for first in range(0, draws, DRAWS_AT_ONCE):
        size = min(DRAWS_AT_ONCE, draws - first)
        times = numbers.multinomial(units, np.full(units, 1 / units), size=size).astype(float)
        ours, theirs = (np.mean([score(times @ run) for run in runs], axis=0) for runs in (system, baseline))
        yield ours - theirs


def _changes(system: np.ndarray, baseline: np.ndarray, score: ScoreOfSums) -> np.ndarray:
    """Of the baseline's score, for each unit that is replaced; shape (units,), 0 where the score is not defined."""
    total = baseline.sum(axis=0, keepdims=True)
    return np.nan_to_num(score(total + (system - baseline)) - score(total))
