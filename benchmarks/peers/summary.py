"""Medians of pairs with intervals, and what the page says of a line's measurements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import quantile_test

from peers.measuring import Pair

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A median and the interval of it; `covers` is None where there are too few values for an interval."""

    median: float
    low: float
    high: float
    covers: float | None


def median_interval(values: Sequence[float]) -> Interval:
    """Return the median with the narrowest pair of values that has it between them with 0.95 (a binomial test).

    Fewer than 6 values have no such pair: the interval is then their range.
    """
    test = quantile_test(values, p=0.5).confidence_interval(CONFIDENCE)
    ends = float(test.low), float(test.high)
    if np.isfinite(ends).all():
        return Interval(float(np.median(values)), *ends, CONFIDENCE)
    return Interval(float(np.median(values)), min(values), max(values), None)


def undisturbed(pairs: Sequence[Pair], limit: float, needed: int) -> list[Pair]:
    """Return the pairs during which others used at most `limit` cores; all, where those are fewer than `needed`."""
    quiet = [pair for pair in pairs if pair.foreign <= limit]
    return quiet if len(quiet) >= min(needed, len(pairs)) else list(pairs)


def ratios(pairs: Sequence[Pair], time_of: str) -> list[float]:
    """Return, for each pair, our source words a second over the peer's, of `processor` or of `clock`."""
    return [pair.ours.rate(time_of) / pair.peer.rate(time_of) for pair in pairs]


def median_of(pairs: Sequence[Pair], value: Callable[[Pair], float]) -> float:
    return float(np.median([value(pair) for pair in pairs]))
