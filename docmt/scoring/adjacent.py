"""What is measured on adjacent sentences: a mean over all of them that stand side by side in a document.

Paper: lexical chains, eq. 23 and 24.
"""

from collections.abc import Sequence

import numpy as np

from docmt.scoring.inputs import runs
from docmt.scoring.tallies import Tally


def adjacent_pairs(documents: Sequence[str]) -> list[tuple[int, int]]:
    """Places of sentences and of those that follow them. `documents`: each sentence's, by name.

    >>> adjacent_pairs(["a", "a", "a", "b"])
    [(0, 1), (1, 2)]
    """
    return [(n, n + 1) for n in range(len(documents) - 1) if documents[n] == documents[n + 1]]


def mean(values: Sequence[float]) -> float | None:
    """Of all adjacent pairs; none where every document is one sentence."""
    return float(np.mean(values)) if len(values) else None


def adjacent_tally(measure: str, values: Sequence[float], documents: Sequence[str]) -> list[Tally]:
    """What each document adds, (sum over its pairs, pairs); no tally without a pair.

    >>> adjacent_tally("coherence", [0.5, 0.25], ["a", "a", "a", "b"])[0].counts.tolist()
    [[0.75, 2.0], [0.0, 0.0]]
    """
    if not len(values):
        return []
    names = tuple(runs(documents))
    rows = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), 2))
    for (first, _), value in zip(adjacent_pairs(documents), values, strict=True):
        counts[rows[documents[first]]] += value, 1
    return [Tally(measure, "mean", "documents", names, counts)]
