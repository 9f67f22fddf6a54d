"""Confidence intervals of a score, and of the difference of two scores, by the bootstrap over units of the test set.

Paper: Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004, section 3. The bootstrap
draws test sets from the real test set; the interval contains the middle 95 % of the scores of the drawn test sets.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docmt.base.scores import Score, Scored
from docmt.scoring.significance import DRAWS, SEED, drawn_scores, drawn_times
from docmt.scoring.tallies import Tally

LEVEL = 95  # The percentage of the drawn test sets whose score is in the interval


@dataclass(frozen=True)
class Interval:
    """A confidence interval from `low` to `high`; `signature` says how the bootstrap drew test sets."""

    low: float
    high: float
    signature: str


def scores_of(tallies: Sequence[Tally], text: Scored = "translations") -> list[Score]:
    """Return the scores of tallies with their intervals, in one way for all metrics; NaN where nothing is counted."""
    by_units: dict[int, list[int]] = defaultdict(list)
    for number, tally in enumerate(tallies):
        by_units[len(tally.names)].append(number)
    drawn: dict[int, list[np.ndarray]] = defaultdict(list)
    # Test sets are drawn once for all tallies with equally many units, since draws take longer than scores.
    for units, numbers in by_units.items():
        for times in drawn_times(units) if units > 1 else ():
            for number in numbers:
                drawn[number].append(tallies[number].scores(times @ tallies[number].counts))
    intervals = [_interval(np.concatenate(drawn[n] or [[]]), tally) for n, tally in enumerate(tallies)]
    return [_score(tally, interval, text) for tally, interval in zip(tallies, intervals, strict=True)]


def score_of(tally: Tally) -> Score:
    """Return the score of a tally with its interval.

    >>> from docmt.scoring.tallies import Tally
    >>> items = Tally("accuracy", "percent", "items", tuple("abcd"), np.array([[1, 1], [1, 1], [0, 1], [0, 1]]))
    >>> score = score_of(items)
    >>> score.value, score.low, score.high
    (50.0, 0.0, 100.0)
    """
    return scores_of([tally])[0]


def _score(tally: Tally, interval: Interval | None, text: Scored) -> Score:
    ends = (interval.low, interval.high, interval.signature) if interval else (None, None, None)
    n = len(tally.names) if tally.n is None else tally.n
    return Score(tally.metric, tally.group, tally.score, tally.signature, *ends, n, tally.facts, text)


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
