"""The summands of a score, one row for each unit of the test set, so that two systems can be compared unit by unit.

BLEU, chrF, TER, LTCR, HHI, coherence, cohesion and accuracy are each a function of a sum over units. Units are
sentences, documents, instances or contrastive items. A scoring job writes the summands of its scores to
`details.arrow`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from docmt.base.columns import DETAILS
from docmt.base.foreign import reading
from docmt.base.tables import read_arrow, write_arrow
from docmt.scoring.bleu import bleu_of_counts
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.strings import chrf_of_counts, ter_of_counts
from docmt.settings.metric import Tallied
from docmt.settings.metrics import is_of_set

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""A function from summed counts, shape (n, k), to scores, shape (n,)."""


def percent(sums: np.ndarray) -> np.ndarray:
    """Return 100 a / b for each row (a, b); the result is NaN where b is 0.

    >>> percent(np.array([[1, 4], [0, 0]])).tolist()
    [25.0, nan]
    """
    part, whole = sums.T.astype(float)
    return np.divide(100 * part, whole, out=np.full(len(sums), np.nan), where=whole != 0)


def mean(sums: np.ndarray) -> np.ndarray:
    """Return a / b for each row (a, b); the result is NaN where b is 0."""
    return percent(sums) / 100


SCORE_FUNCTIONS: dict[str, ScoreOfSums] = {
    "bleu:exp": partial(bleu_of_counts, smooth="exp"),
    "bleu:none": partial(bleu_of_counts, smooth="none"),
    "chrf": chrf_of_counts,
    "ter": ter_of_counts,
    "percent": percent,
    "mean": mean,
}
"""The function that computes a score, by the kind of tally. The kinds of BLEU end with sacreBLEU's smoothing."""


@dataclass(frozen=True, eq=False)
class Tally:
    """The summands of a score for each unit of the test set.

    `counts` has shape (units, k), and `names` has the name of the unit of each row. `measure` is the name of the score.
    `unit` is the kind of unit: sentences, documents, instances or items. `kind` names the function of SCORE_FUNCTIONS
    that computes the score. `set` and `distance` are the contrastive set and the distance of items, and None for other
    units; `select` may join several tallies.
    """

    measure: str
    kind: str
    unit: str
    names: tuple[str, ...]
    counts: np.ndarray
    set: str | None = None
    distance: int | None = None

    def scores(self, sums: np.ndarray) -> np.ndarray:
        """Return the scores, shape (n,), of n sums of counts, shape (n, k)."""
        return SCORE_FUNCTIONS[self.kind](sums)

    @property
    def score(self) -> float:
        """The score of all units together."""
        return float(self.scores(self.counts.sum(axis=0, keepdims=True))[0])


@dataclass(frozen=True, eq=False)
class SignedTally(Tally):
    """A tally with the signature of its score."""

    signature: str = ""

    @property
    def record(self) -> dict[str, Any]:
        """The score and its signature, as `scores.json` has them."""
        return {"score": self.score, "signature": self.signature}


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """Return values by the parts of their measures, in mappings inside each other.

    >>> nested({"bleu|13a|s": 20.0, "bleu|13a|d": 25.0, "TER|s": 60.0})
    {'bleu': {'13a': {'s': 20.0, 'd': 25.0}}, 'TER': {'s': 60.0}}
    """
    result: dict[str, Any] = {}
    for measure, value in values.items():
        *parents, last = measure.split("|")
        inner = result
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[last] = value
    return result


def select(tallies: Sequence[Tally], wanted: Tallied) -> Tally | None:
    """Return the tally of a metric, which joins the tallies of its sets and distances; None where there are none."""
    matches = [tally for tally in tallies if _matches(tally, wanted)]
    if not matches:
        return None
    first = matches[0]
    # Items are numbered in their set, so the name of the set makes the names of joined items unique.
    names = tuple(f"{tally.set}/{name}" if tally.set else name for tally in matches for name in tally.names)
    counts = np.concatenate([tally.counts for tally in matches])
    return Tally(first.measure, first.kind, first.unit, names, counts)


def _matches(tally: Tally, wanted: Tallied) -> bool:
    return (
        tally.measure == wanted.measure
        and (wanted.set is None or is_of_set(tally.set or "", wanted.set))
        and wanted.distance in (None, tally.distance)
    )


def document_tally(
    measure: str, kind: str, documents: Sequence[str], added: Iterable[tuple[str, tuple[float, float]]]
) -> Tally:
    """Return a tally with a row for each document.

    `added` yields the name of a document with two summands. The row of a document is the sum of its summands; it is
    zero for a document without summands.
    """
    rows = {name: number for number, name in enumerate(documents)}
    counts = np.zeros((len(documents), 2))
    for document, summands in added:
        counts[rows[document]] += summands
    return Tally(measure, kind, "documents", tuple(documents), counts)


def adjacent_pairs(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of adjacent sentences of the same document, as pairs of their numbers from 0.

    `documents` has the name of the document of each sentence.

    >>> adjacent_pairs(["a", "a", "a", "b"])
    [(0, 1), (1, 2)]
    """
    return [(n, n + 1) for n in range(len(documents) - 1) if documents[n] == documents[n + 1]]


def adjacent_tally(measure: str, values: Sequence[float], documents: Sequence[str]) -> list[Tally]:
    """Return the tally of a mean over pairs of adjacent sentences, in a list that is empty where there are no pairs.

    `values` has a number for each pair, in the order of `adjacent_pairs`. The row of a document has the sum of the
    values of its pairs, and the number of its pairs.

    Paper: lexical chains (Lyu et al. 2022), eq. 23 and 24.

    >>> adjacent_tally("coherence", [0.5, 0.25], ["a", "a", "a", "b"])[0].counts.tolist()
    [[0.75, 2.0], [0.0, 0.0]]
    """
    pairs = zip(adjacent_pairs(documents), values, strict=True)
    added = ((documents[first], (value, 1)) for (first, _), value in pairs)
    return [document_tally(measure, "mean", collapse_runs(documents), added)] if len(values) else []


def write_tallies(path: Path, tallies: Sequence[Tally]) -> None:
    """Write tallies to a file `details.arrow`, with a row for each tally."""
    rows = [
        {
            **{name: getattr(tally, name) for name in ("measure", "kind", "unit", "set", "distance", "names")},
            "counts": tally.counts.ravel().tolist(),
        }
        for tally in tallies
    ]
    write_arrow(path, pa.Table.from_pylist(rows, schema=DETAILS))


def read_tallies(path: Path) -> list[Tally]:
    """Read the tallies that `write_tallies` wrote.

    Raises UserError where the file is missing, or is not a table of tallies.
    """
    rows = read_arrow(path, DETAILS)
    with reading(path, "not what scores are sums of"):
        return [_tally(row) for row in rows.to_pylist()]


def _tally(row: dict) -> Tally:
    if row["kind"] not in SCORE_FUNCTIONS:
        raise ValueError(f"kind {row['kind']!r}")
    return Tally(
        **{name: row[name] for name in ("measure", "kind", "unit", "set", "distance")},
        names=tuple(row["names"]),
        counts=np.array(row["counts"], dtype=float).reshape(len(row["names"]), -1),
    )
