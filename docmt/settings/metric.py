"""What docmt knows of a metric: how tables print it, and what computes it."""

from dataclasses import dataclass
from typing import Literal

from docmt.settings.scoring import ScoringPart

NO_DETAIL = "(?!)"  # The pattern of metrics without details: it matches no text.

ROUNDING = 1e-9
"""The largest difference of two scores that is taken for an error of rounding, so that the scores are equal.

Sums and means of scores from 0 to 100 are right to some 1e-13 in double precision, and one unit of a test set of ten
million changes a score by some 1e-7 or more.
"""


# The file that has the number of a metric: `scores.parquet`, or `record.json` of the training.
Source = Literal["scores", "record"]


@dataclass(frozen=True)
class Metric:
    """A metric of tables: how it is printed, and what computes it.

    - `about`: the description of the metric.
    - `has_sets`: whether the metric's name may have a contrastive set or, of LTCR and HHI, a convention.
    - `detail`: the pattern of the text that may follow an @ in the metric's name.
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
    unit: str
    decimals: int = 2
    has_sets: bool = False
    detail: str = NO_DETAIL
    source: Source = "scores"
    of_model: bool = False
    judge: ScoringPart | None = None
    lower_is_better: bool = False
    ranks: bool = True
    on_request: bool = False
    module: str = ""
