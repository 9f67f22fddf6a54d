"""Confidence intervals of a score, and of the difference of two scores, by the bootstrap over units of the test set.

Paper: Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004, section 3. The bootstrap
draws test sets from the real test set; the interval contains the middle 95 % of the scores of the drawn test sets.
"""

from dataclasses import dataclass

import numpy as np

from docmt.scoring.significance import DRAWS, SEED, drawn_scores
from docmt.scoring.tallies import Tally

LEVEL = 95
"""The percentage of the drawn test sets whose score is in the interval."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval from `low` to `high`; `signature` says how the bootstrap drew test sets."""

    low: float
    high: float
    signature: str


def score_interval(tally: Tally) -> Interval | None:
    """Return the interval of a system's score; None where a single unit has counts, or no drawn test set has a score.

    >>> from docmt.scoring.tallies import Tally
    >>> items = Tally("accuracy", "percent", "items", tuple("abcd"), np.array([[1, 1], [1, 1], [0, 1], [0, 1]]))
    >>> interval = score_interval(items)
    >>> interval.low, interval.high
    (0.0, 100.0)
    """
    return _interval(drawn_scores([tally.counts], tally.scores)[0], tally)


def difference_interval(system: Tally, baseline: Tally) -> Interval | None:
    """Return the interval of the system's score minus the baseline's score, over the same drawn test sets.

    The result is None where a single unit of the system has counts, or where the difference is not defined for any
    drawn test set.
    """
    ours, theirs = drawn_scores([system.counts, baseline.counts], system.scores)
    return _interval(ours - theirs, system)


def _interval(drawn: np.ndarray, tally: Tally) -> Interval | None:
    drawn = drawn[np.isfinite(drawn)]
    # A unit without counts, such as a document without lexical chains, is in no sum.
    if np.count_nonzero(tally.counts.any(axis=1)) < 2 or not len(drawn):
        return None
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail]).tolist()
    units = f"unit:{tally.unit}|units:{len(tally.names)}"
    return Interval(low, high, f"bootstrap|{units}|draws:{DRAWS}|seed:{SEED}|level:{LEVEL}|v:2")
