"""The summands of a score, one row for each unit of the test set, so that two systems can be compared unit by unit.

BLEU, chrF, TER, LTCR, HHI, coherence, cohesion and accuracy are each a function of a sum over units. Units are
sentences, documents, instances or contrastive items. A scoring job writes the summands of its scores to
`details.arrow`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import DETAILS
from docmt.base.foreign import reading
from docmt.base.tables import read_arrow, write_arrow
from docmt.scoring.bleu import bleu_of_counts
from docmt.scoring.inputs import collapse_runs
from docmt.scoring.strings import chrf_of_counts, ter_of_counts
from docmt.settings.metrics import METRICS, MetricName, is_of_set, parse_metric

ScoreOfSums = Callable[[np.ndarray], np.ndarray]  # A function from summed counts, shape (n, k), to scores, shape (n,)


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

    `metric` and `group` are those of the score (`docmt.base.scores`). `signature`, `n` and `facts` are those of the
    score; `n` is None where it is the number of rows.
    """

    metric: str
    kind: str  # the name of the function of SCORE_FUNCTIONS that computes the score
    unit: str  # sentences, documents, instances or items
    names: tuple[str, ...]  # the name of the unit of each row
    counts: np.ndarray  # (units, k)
    signature: str = ""
    group: str = ""
    n: int | None = None
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the score in tables."""
        return self.metric + self.group

    def scores(self, sums: np.ndarray) -> np.ndarray:
        """Return the scores, shape (n,), of n sums of counts, shape (n, k)."""
        return SCORE_FUNCTIONS[self.kind](sums)

    @property
    def score(self) -> float:
        """The score of all units together."""
        return float(self.scores(self.counts.sum(axis=0, keepdims=True))[0])


def select(tallies: Sequence[Tally], wanted: MetricName) -> Tally | None:
    """Return the tally of a metric; None where there is none."""
    matches = [tally for tally in tallies if _matches(tally, wanted)]
    if [tally.name for tally in matches] in ([], [wanted.name]):
        return matches[0] if matches else None
    # Items are numbered in their group, so its name makes the names of joined items unique.
    # Contrastive items have a tally for each set and distance: those of a metric are joined.
    names = tuple(f"{tally.group}/{name}" for tally in matches for name in tally.names)
    counts = np.concatenate([tally.counts for tally in matches])
    facts = {name: sum(tally.facts[name] for tally in matches) for name in matches[0].facts}
    group = wanted.name.removeprefix(matches[0].metric)
    return replace(matches[0], group=group, names=names, counts=counts, facts=facts)


def _matches(tally: Tally, wanted: MetricName) -> bool:
    if tally.metric != "accuracy" or wanted.metric is not METRICS["accuracy"]:
        return tally.name == wanted.name
    of = parse_metric(tally.name)
    return (wanted.set is None or is_of_set(of.set, wanted.set)) and wanted.detail in (None, of.detail)


def part_of(tally: Tally, chosen: Sequence[int], group: str, signature: str) -> Tally:
    """Return the tally of the units numbered `chosen`; `signature` is what the signature of this group has more."""
    names = tuple(tally.names[number] for number in chosen)
    return replace(tally, group=group, names=names, counts=tally.counts[chosen], signature=tally.signature + signature)


def document_tally(
    metric: str, kind: str, documents: Sequence[str], added: Iterable[tuple[str, tuple[float, float]]], signature: str
) -> Tally:
    """Return a tally with a row for each document.

    `added` yields the name of a document with two summands. The row of a document is the sum of its summands; it is
    zero for a document without summands.
    """
    rows = {name: number for number, name in enumerate(documents)}
    counts = np.zeros((len(documents), 2))
    for document, summands in added:
        counts[rows[document]] += summands
    return Tally(metric, kind, "documents", tuple(documents), counts, signature)


def adjacent_pairs(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of adjacent sentences of the same document, as pairs of their numbers from 0.

    `documents` has the name of the document of each sentence.

    >>> adjacent_pairs(["a", "a", "a", "b"])
    [(0, 1), (1, 2)]
    """
    return [(n, n + 1) for n in range(len(documents) - 1) if documents[n] == documents[n + 1]]


def adjacent_tally(
    metric: str, values: Sequence[float], documents: Sequence[str], signature: str, facts: Mapping[str, float]
) -> Tally:
    """Return the tally of a mean over pairs of adjacent sentences.

    `values` has a number for each pair, in the order of `adjacent_pairs`. The row of a document has the sum of the
    values of its pairs, and the number of its pairs.

    Paper: lexical chains (Lyu et al. 2022), eq. 23 and 24.

    >>> adjacent_tally("coherence", [0.5, 0.25], ["a", "a", "a", "b"], "", {}).counts.tolist()
    [[0.75, 2.0], [0.0, 0.0]]
    """
    pairs = zip(adjacent_pairs(documents), values, strict=True)
    added = ((documents[first], (value, 1)) for (first, _), value in pairs)
    tally = document_tally(metric, "mean", collapse_runs(documents), added, signature)
    return replace(tally, n=len(values), facts=facts)


def write_tallies(path: Path, tallies: Sequence[Tally]) -> None:
    """Write tallies to a file `details.arrow`, with a row for each tally."""
    rows = [{**vars(tally), "counts": tally.counts.ravel().tolist()} for tally in tallies]
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
    counts = np.array(row["counts"], dtype=float).reshape(len(row["names"]), -1)
    return Tally(**{**row, "names": tuple(row["names"]), "counts": counts})
