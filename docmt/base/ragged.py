"""Many lists of numbers in one array, such as the ids of sentences, or the members of lexical chains.

The functions know lists by their lengths alone: such lists follow each other without gaps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def starts(lengths: np.ndarray) -> np.ndarray:
    """Return the index at which each list starts."""
    return np.cumsum(lengths) - lengths


def places(lengths: np.ndarray) -> np.ndarray:
    """Return the place of each element in its list, counted from 0, one list after another."""
    return np.arange(lengths.sum()) - np.repeat(starts(lengths), lengths)


def spans(first: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the indices first[i], ..., first[i] + lengths[i] - 1 of each span i, one span after another."""
    return np.repeat(first, lengths) + places(lengths)


def sums(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the sum of the values of each list."""
    totals = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    ends = np.cumsum(lengths)
    return totals[ends] - totals[ends - lengths]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of numbers: list i has the numbers `values[starts[i] : starts[i] + lengths[i]]`.

    Lists may stand in `values` in any order, with gaps, or several times. So lists are taken without a copy of their
    numbers, and `values` may be a whole file that is mapped into memory.
    """

    values: np.ndarray
    starts: np.ndarray
    """The index at which each list starts, int64."""
    lengths: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, lengths: np.ndarray) -> "Ragged":
        """Return the lists of these lengths, which follow each other in `values`."""
        return cls(values, starts(lengths), lengths)

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[int]]) -> "Ragged":
        """Return lists of Python numbers as int64."""
        numbers = [number for each in lists for number in each]
        return cls.of(np.array(numbers, np.int64), np.array([len(each) for each in lists], np.int64))

    @classmethod
    def from_arrow(cls, column: pa.ChunkedArray) -> "Ragged":
        """Return the lists of a column; neither a list nor a number may be missing.

        The numbers are copied only where the chunks of the column are not all parts of one buffer. A table that
        `docmt.base.tables.read_arrow` maps into memory is one buffer.
        """
        parts, lengths = [chunk.flatten() for chunk in column.chunks], pc.list_value_length(column).to_numpy()
        numbers = [np.zeros(0, np.int32), *(part.to_numpy() for part in parts)]
        buffers = {buffer.address: buffer for buffer in (_whole(part) for part in parts if len(part))}
        if len(buffers) != 1:
            return cls.of(np.concatenate(numbers), lengths)
        ((address, buffer),) = buffers.items()
        size = numbers[-1].itemsize
        first = np.array([(part.ctypes.data - address) // size for part in numbers[1:]])
        shifts = first - starts(np.array([len(part) for part in parts]))
        opens = starts(lengths) + np.repeat(shifts, [len(chunk) for chunk in column.chunks])
        return cls(np.frombuffer(buffer, numbers[-1].dtype, buffer.size // size), opens, lengths)

    def to_arrow(self) -> pa.ListArray:
        """Return an array of lists of int32; raises pa.ArrowInvalid where it would have 2^31 numbers or more."""
        offsets = pa.array(np.concatenate(([0], np.cumsum(self.lengths)))).cast(pa.int32())
        return pa.ListArray.from_arrays(offsets, pa.array(self.flat().astype(np.int32)))

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.lengths)

    def __iter__(self) -> Iterator[np.ndarray]:
        """Iterate over the lists."""
        return (self.values[first : first + length] for first, length in zip(self.starts, self.lengths, strict=True))

    def take(self, chosen: np.ndarray | slice) -> "Ragged":
        """Return the lists `chosen`: their numbers in any order, a slice, or a truth value for each list."""
        return Ragged(self.values, self.starts[chosen], self.lengths[chosen])

    def flat(self) -> np.ndarray:
        """Return a copy of the numbers of all lists, one list after another."""
        return self.values[spans(self.starts, self.lengths)]

    def grouped(self, counts: np.ndarray) -> tuple["Ragged", "Ragged"]:
        """Return groups of `counts` lists each: the numbers of each group, and the lengths of its lists."""
        return Ragged.of(self.flat(), sums(self.lengths, counts)), Ragged.of(self.lengths, counts)


def _whole(numbers: pa.Array) -> pa.Buffer:
    """Return the buffer that the buffer of an array is a part of."""
    buffer = numbers.buffers()[1]
    while buffer.parent is not None:
        buffer = buffer.parent
    return buffer
