"""Runs that stand one after another in an array, by their lengths: sentences of a text, members of a chain."""

import numpy as np
import pyarrow as pa


def starts(lengths: np.ndarray) -> np.ndarray:
    """Where each run begins, if runs of these lengths stand one after another."""
    return np.cumsum(lengths) - lengths


def places(lengths: np.ndarray) -> np.ndarray:
    """0, 1, ... within each run, one run after another."""
    return np.arange(lengths.sum()) - np.repeat(starts(lengths), lengths)


def spans(first: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The indices first[i] to first[i] + lengths[i], one span after another."""
    return np.repeat(first, lengths) + places(lengths)


def sums(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Of the values of each run."""
    totals = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    ends = np.cumsum(lengths)
    return totals[ends] - totals[ends - lengths]


def lists(values: np.ndarray, lengths: np.ndarray) -> pa.ListArray:
    """Each run as a list of int32."""
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.astype(np.int32)))
