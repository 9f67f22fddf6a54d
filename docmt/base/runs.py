"""Arrays of runs: consecutive parts of an array, given by their lengths.

The runs are, for example, the sentences of a text or the members of a chain.
"""

import numpy as np
import pyarrow as pa


def starts(lengths: np.ndarray) -> np.ndarray:
    """Return the index at which each run starts."""
    return np.cumsum(lengths) - lengths


def places(lengths: np.ndarray) -> np.ndarray:
    """Return the place of each element in its run, counted from 0, one run after another."""
    return np.arange(lengths.sum()) - np.repeat(starts(lengths), lengths)


def spans(first: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the indices first[i], ..., first[i] + lengths[i] - 1 of each span i, one span after another."""
    return np.repeat(first, lengths) + places(lengths)


def sums(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the sum of the values of each run."""
    totals = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    ends = np.cumsum(lengths)
    return totals[ends] - totals[ends - lengths]


def lists(values: np.ndarray, lengths: np.ndarray) -> pa.ListArray:
    """Return an array of lists of int32, a list for each run."""
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.astype(np.int32)))
