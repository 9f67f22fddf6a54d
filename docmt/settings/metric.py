"""What docmt knows of a metric: where its number is, how tables print it, and what computes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from docmt.settings.scoring import ScoringPart

NO_DETAIL = "(?!)"
"""The pattern of metrics without details: it matches no text."""

ROUNDING = 1e-9
"""The largest difference of two scores that is taken for an error of rounding, so that the scores are equal.

Sums and means of scores from 0 to 100 are right to some 1e-13 in double precision, and one unit of a test set of ten
million changes a score by some 1e-7 or more.
"""


@dataclass(frozen=True)
class ScoreInterval:
    """The ends of the confidence interval of a number, and the signature that says how the interval was computed."""

    low: float
    high: float
    signature: str


@dataclass(frozen=True)
class Measured:
    """The number of a metric, and the signature that says how the number was computed.

    `interval`: the confidence interval of the number; None where none was computed.
    """

    value: float
    signature: str
    interval: ScoreInterval | None = None


@dataclass(frozen=True)
class Tallied:
    """The rows of `details.arrow` that have the contribution of each unit of the test set to a metric."""

    measure: str
    set: str | None = None
    distance: int | None = None


Source = Literal["scores", "record"]
"""The file that has the number of a metric: `scores.json`, or `record.json` of the training."""

Finder = Callable[[dict, str | None, str | None], Measured | None]
"""A function that finds a metric's number in the content of its file, for a contrastive set and a detail (both may be
none). The result is none where the file has no such number."""

Selector = Callable[[str | None, str | None], Tallied | None]
"""A function that returns the rows of `details.arrow` with the summands of a metric, for a contrastive set and a
detail. The result is none where the metric is not a function of sums."""


@dataclass(frozen=True)
class Metric:
    """A metric of tables: where its number is, how it is printed, and what computes it.

    - `about`: the description of the metric.
    - `find`: the function that returns the number.
    - `has_sets`: whether the metric's name may have a contrastive set or, of LTCR and HHI, a convention.
    - `detail`: the pattern of the text that may follow an @ in the metric's name.
    - `tallied`: the function that returns the place of the metric's summands, for tests of significance.
    - `source`: the file that has the number.
    - `unit`: the label of the axes of figures.
    - `of_model`: whether the metric is of a model and its search, so that an external system has no such number.
    - `judge`: the part of `scoring` that names what the metric is measured with, such as a pretrained model.
    - `lower_is_better`: whether a system with a lower number is the better one.
    - `ranks`: whether a system can be the best by the metric, as none is by its number of parameters.
    - `on_request`: whether the metric is computed only for systems of items that show it, since it takes long. The
      slice of the scoring job has the names of such metrics (`requested`).
    - `module`: the module with the function `score` that computes the metric (`docmt.scoring.measured`); empty where
      no module does. The order of modules is the order of their rows in `details.arrow`.
    """

    about: str
    find: Finder
    unit: str
    decimals: int = 2
    has_sets: bool = False
    detail: str = NO_DETAIL
    tallied: Selector = lambda *_: None
    source: Source = "scores"
    of_model: bool = False
    judge: ScoringPart | None = None
    lower_is_better: bool = False
    ranks: bool = True
    on_request: bool = False
    module: str = ""
