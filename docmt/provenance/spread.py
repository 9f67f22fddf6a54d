"""Whether a score that was made again is within the spread of seeds, or within the interval of the first score."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from docmt.scoring.intervals import LEVEL, score_interval
from docmt.scoring.tallies import Tally, read_tallies
from docmt.settings.metric import ROUNDING

DETAILS = "details.arrow"
"""The file with the summands of scores, beside scores.json."""
FEWEST_SEEDS = 2
"""The smallest number of seeds that have a spread."""


@dataclass(frozen=True)
class ScoreCheck:
    """A score that was made again.

    `before`, `now`: the two scores. `low`, `high`: the range in which the new score is expected; None where no range is
    known. `basis`: where the range comes from.
    """

    name: str
    before: float
    now: float
    low: float | None
    high: float | None
    basis: str

    @property
    def is_within(self) -> bool:
        """Whether the score is in its range; a score without a range must be equal."""
        if self.low is None or self.high is None:
            return self.before == self.now or (math.isnan(self.before) and math.isnan(self.now))
        return self.low - ROUNDING <= self.now <= self.high + ROUNDING

    def __str__(self) -> str:
        """Return the line of the command."""
        places = f"{self.low:.2f} to {self.high:.2f}" if self.low is not None else "equal"
        verdict = "within" if self.is_within else "outside"
        return f"{self.name}: {self.before:.2f}, now {self.now:.2f}, {verdict} {places} ({self.basis})"


def check_scores(before: Path, now: Path, of_seeds: Sequence[Path]) -> Iterator[ScoreCheck]:
    """Yield a check of each score of a run.

    `before`, `now`: the files with the summands of the scores, of the first run and of the run that was made again.
    `of_seeds`: the files of the first runs of all seeds of the same system, `before` among them. Raises UserError where
    a file is missing or damaged.
    """
    again = {_name(tally): tally for tally in read_tallies(now)}
    seeds = [{_name(tally): tally.score for tally in read_tallies(path)} for path in of_seeds]
    for tally in read_tallies(before):
        name = _name(tally)
        if name in again:
            values = [scores[name] for scores in seeds if name in scores]
            low, high, basis = expected_range(tally, values)
            yield ScoreCheck(name, tally.score, again[name].score, low, high, basis)


def expected_range(tally: Tally, values: Sequence[float]) -> tuple[float | None, float | None, str]:
    """Return the range in which the score of a further run is expected, and where the range comes from.

    `values`: the scores of the first runs of all seeds. With several seeds, the range is the interval of prediction of
    Student's t for one more run: mean ± t s √(1 + 1/n), for the standard deviation s of n seeds. With one seed, it is
    the bootstrap interval of the score over the units of the test set.
    """
    if len(values) >= FEWEST_SEEDS:
        from scipy.stats import t

        width = t.ppf(0.5 + LEVEL / 200, len(values) - 1) * stdev(values) * math.sqrt(1 + 1 / len(values))
        return mean(values) - width, mean(values) + width, f"the spread of {len(values)} seeds"
    interval = score_interval(tally)
    if interval is None:
        return None, None, "one seed, and one unit of the test set: no range is known"
    return interval.low, interval.high, f"one seed: the {LEVEL} % interval over {tally.unit}"


def _name(tally: Tally) -> str:
    """Return the name of a score, with the set and the distance of contrastive items."""
    parts = [
        tally.measure.replace("|", " "),
        tally.set,
        None if tally.distance is None else f"distance {tally.distance}",
    ]
    return " ".join(part for part in parts if part)
