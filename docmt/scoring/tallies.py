"""What each unit of the test set adds to a score, so that two systems can be compared unit by unit.

BLEU, LTCR, HHI, coherence, cohesion and accuracy are each a function of a sum over units: sentences, documents,
instances, items. A scoring job leaves the summands of all its scores as `details.arrow`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import DETAILS, read_arrow, write_arrow
from docmt.base.foreign import reading
from docmt.scoring.bleu import bleu_of_counts
from docmt.scoring.inputs import collapse_runs
from docmt.settings.metrics import Tallied, is_of_set

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""Of summed counts, shape (n, k), the scores, shape (n,)."""


def percent(sums: np.ndarray) -> np.ndarray:
    """100 a / b of rows (a, b), not a number where b is 0.

    >>> percent(np.array([[1, 4], [0, 0]])).tolist()
    [25.0, nan]
    """
    part, whole = sums.T.astype(float)
    return np.divide(100 * part, whole, out=np.full(len(sums), np.nan), where=whole != 0)


def mean(sums: np.ndarray) -> np.ndarray:
    """a / b of rows (a, b), not a number where b is 0."""
    return percent(sums) / 100


SCORE_FUNCTIONS: dict[str, ScoreOfSums] = {
    "bleu:exp": partial(bleu_of_counts, smooth="exp"),
    "bleu:none": partial(bleu_of_counts, smooth="none"),
    "percent": percent,
    "mean": mean,
}
"""By the kind of a tally. `bleu:` and sacreBLEU's name of the smoothing."""


@dataclass(frozen=True, eq=False)
class Tally:
    """One score's summands: `counts` has shape (units, k), and a row for each of `names`.

    `unit` is what they are: sentences, documents, instances, items. `set` and `distance` are those of contrastive
    items; a metric may be over several tallies (`select`).
    """

    measure: str
    kind: str
    unit: str
    names: tuple[str, ...]
    counts: np.ndarray
    set: str | None = None
    distance: int | None = None

    def scores(self, sums: np.ndarray) -> np.ndarray:
        """Of summed counts, shape (n, k), the scores, shape (n,)."""
        return SCORE_FUNCTIONS[self.kind](sums)

    @property
    def score(self) -> float:
        """Of all units together."""
        return float(self.scores(self.counts.sum(axis=0, keepdims=True))[0])


def select(tallies: Sequence[Tally], wanted: Tallied) -> Tally | None:
    """The one tally of a metric: those of all its sets and distances together; none where there is none."""
    found = [tally for tally in tallies if _matches(tally, wanted)]
    if not found:
        return None
    first = found[0]
    names = tuple(f"{tally.set}/{name}" if tally.set else name for tally in found for name in tally.names)
    counts = np.concatenate([tally.counts for tally in found])
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
    """A row for each of `documents`, by name: the sums of the pairs of numbers that are `added` to it."""
    rows = {name: number for number, name in enumerate(documents)}
    counts = np.zeros((len(documents), 2))
    for document, summands in added:
        counts[rows[document]] += summands
    return Tally(measure, kind, "documents", tuple(documents), counts)


def adjacent_pairs(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Places of sentences and of those that follow them. `documents`: each sentence's, by name.

    >>> adjacent_pairs(["a", "a", "a", "b"])
    [(0, 1), (1, 2)]
    """
    return [(n, n + 1) for n in range(len(documents) - 1) if documents[n] == documents[n + 1]]


def adjacent_tally(measure: str, values: Sequence[float], documents: Sequence[str]) -> list[Tally]:
    """What each document adds to a mean over all sentences that stand side by side in a document: (sum over its pairs,
    pairs); no tally without a pair.

    Paper: lexical chains, eq. 23 and 24.

    >>> adjacent_tally("coherence", [0.5, 0.25], ["a", "a", "a", "b"])[0].counts.tolist()
    [[0.75, 2.0], [0.0, 0.0]]
    """
    pairs = zip(adjacent_pairs(documents), values, strict=True)
    added = ((documents[first], (value, 1)) for (first, _), value in pairs)
    return [document_tally(measure, "mean", collapse_runs(documents), added)] if len(values) else []


def write_tallies(path: Path, tallies: Sequence[Tally]) -> None:
    """`details.arrow`."""
    rows = [
        {
            **{name: getattr(tally, name) for name in ("measure", "kind", "unit", "set", "distance", "names")},
            "counts": tally.counts.ravel().tolist(),
        }
        for tally in tallies
    ]
    write_arrow(path, pa.Table.from_pylist(rows, schema=DETAILS))


def read_tallies(path: Path) -> list[Tally]:
    """Raises UserError where the file is missing or no such table."""
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
