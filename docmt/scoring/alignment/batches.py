"""Batches of sentence pairs of similar lengths, as padded arrays of word numbers.

Axes: B sentence pairs, J target words, I source words. A cell (b, j, i) is a possible link.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

CELLS_AT_ONCE = 1 << 18
"""Largest number of cells of a batch, unless a single pair has more.

It limits the memory; results do not depend on it, up to rounding.
"""

LENGTH_STEPS = 8
"""Number of steps from a length to its double; source lengths are rounded up to a step before pairs are sorted by them.

Rounding changes a length by less than an eighth, and lengths below 16 not at all.
"""

MOST_PADDING = 0.25
"""Largest share of padding among the cells of a batch."""


@dataclass(frozen=True)
class PairBatch:
    """A batch of sentence pairs.

    `places` has the number of the line of each pair, (B,). `source` and `target` are numbers of words, (B, I) and
    (B, J), with padding after the end of each sentence. `cells` has the index of each cell's pair of words among the
    batch's different pairs of words, (B, J, I).
    """

    places: np.ndarray
    source: np.ndarray
    target: np.ndarray
    source_lengths: np.ndarray
    target_lengths: np.ndarray
    cells: np.ndarray

    @property
    def source_words(self) -> np.ndarray:
        """The mask of the source: True for a word, False for padding, (B, I)."""
        return np.arange(self.source.shape[1]) < self.source_lengths[:, None]

    @property
    def target_words(self) -> np.ndarray:
        """The mask of the target: True for a word, False for padding, (B, J)."""
        return np.arange(self.target.shape[1]) < self.target_lengths[:, None]


@dataclass(frozen=True)
class NumberedSentences:
    """The sentences of a side, as numbers of words.

    `words` has the numbers of all words, sentence after sentence. `ends` has the end of each sentence in `words`, (N,).
    """

    words: np.ndarray
    ends: np.ndarray

    @classmethod
    def numbered(cls, lines: Iterable[str], numbers: dict[str, int]) -> "NumberedSentences":
        """Return the numbers of the lines' words, lower-cased and separated by white space.

        New words are added to `numbers`.
        """
        words, ends = array("q"), array("q")
        for line in lines:
            words.extend([numbers.setdefault(word, len(numbers)) for word in line.lower().split()])
            ends.append(len(words))
        return cls(np.array(words, dtype=np.int64), np.array(ends, dtype=np.int64))

    @property
    def lengths(self) -> np.ndarray:
        """The number of words of each sentence, (N,)."""
        return np.diff(self.ends, prepend=0)

    def padded(self, places: np.ndarray, padding: int) -> np.ndarray:
        """Return the sentences at `places`, none of them empty, as the rows of an array with `padding` at the ends."""
        starts, ends = np.where(places > 0, self.ends[places - 1], 0), self.ends[places]
        places_of_words = starts[:, None] + np.arange((ends - starts).max())
        return np.where(places_of_words < ends[:, None], self.words.take(places_of_words, mode="clip"), padding)


def pair_numbers(source: np.ndarray, target: np.ndarray, target_size: int) -> np.ndarray:
    """Return a number for each pair of words.

    `target_size` is the number of target words; the number after the last word is padding.
    """
    return source * (target_size + 1) + target


def distinct_numbers(numbers: np.ndarray) -> np.ndarray:
    """Return the different numbers of an array, in rising order."""
    # np.unique hashes integers, which needs several times as long and twice the memory.
    numbers = np.sort(numbers)
    first = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]


def batches(
    source: NumberedSentences, target: NumberedSentences, sizes: tuple[int, int]
) -> Iterator[tuple[PairBatch, np.ndarray]]:
    """Yield batches of all sentence pairs that have words on both sides, each with its different pairs of words.

    The pairs of words are numbers of `pair_numbers` in rising order, (P,). `sizes` are the numbers of source and of
    target words.
    """
    lengths = np.stack([source.lengths, target.lengths], axis=1)
    for places in _similar_lengths(lengths):
        sides = source.padded(places, sizes[0]), target.padded(places, sizes[1])
        numbers = pair_numbers(sides[0][:, None, :], sides[1][:, :, None], sizes[1])
        pairs, cells = np.unique(numbers, return_inverse=True)
        yield PairBatch(places, *sides, *lengths[places].T, cells.reshape(numbers.shape).astype(np.int32)), pairs


def _similar_lengths(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the places of pairs that share a batch.

    Pairs are sorted by source length, where long sentences are rounded to a step, and then by target length. A batch is
    full where another pair would exceed CELLS_AT_ONCE or MOST_PADDING.
    """
    steps = 2 ** np.maximum(np.log2(np.maximum(lengths[:, 0], LENGTH_STEPS) / LENGTH_STEPS).astype(int), 0)
    order = np.lexsort((lengths[:, 1], -(-lengths[:, 0] // steps) * steps))
    places, width, height, cells = [], 0, 0, 0
    for place in order[lengths.all(axis=1)[order]].tolist():
        source_length, target_length = lengths[place].tolist()
        new_width, new_height = max(width, source_length), max(height, target_length)
        padded = (len(places) + 1) * new_width * new_height
        if places and padded > min(CELLS_AT_ONCE, (cells + source_length * target_length) / (1 - MOST_PADDING)):
            yield np.array(places)
            places, new_width, new_height, cells = [], source_length, target_length, 0
        places.append(place)
        width, height, cells = new_width, new_height, cells + source_length * target_length
    if places:
        yield np.array(places)
