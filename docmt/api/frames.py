"""Scores as polars frames, which functions of the Python API return."""

from collections.abc import Iterable
from math import isnan
from typing import TYPE_CHECKING

from docmt.base.scores import Score

if TYPE_CHECKING:
    import polars as pl

# The columns of a frame of scores, between which are its facts.
FIRST, LAST = ("metric", "group", "value", "low", "high", "n"), ("interval", "signature")


def frame_of(scores: Iterable[Score]) -> "pl.DataFrame":
    """Return a frame with a row for each score, and a column for each fact; the value of nothing is null."""
    import polars as pl  # imported here: polars takes a tenth of a second, and `import docmt` none

    rows = [vars(score) | score.facts | {"value": None if isnan(score.value) else score.value} for score in scores]
    facts = dict.fromkeys(name for row in rows for name in row["facts"])
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in (*FIRST, *facts, *LAST)}, strict=False)
