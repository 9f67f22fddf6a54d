"""Batches of sentence pairs of similar lengths, as padded arrays of the ids of words.

Axes: B sentence pairs, J target words, I source words. A cell (b, j, i) is a possible link.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from docmt.base.ragged import Ragged

CELLS_AT_ONCE = 1 << 18
"""The largest number of cells of a batch, unless a single sentence pair has more.

The number limits the memory; results do not depend on it, up to rounding.
"""

LENGTH_STEPS = 8
"""The number of steps from a length to twice the length, to which source lengths are rounded up for sorting.

The rounding changes a length by less than an eighth, and does not change lengths below 16.
"""

MOST_PADDING = 0.25  # The largest share of padding among the cells of a batch, from 0 to 1


@dataclass(frozen=True)
class PairBatch:
    """A batch of B sentence pairs, with padding after the end of each sentence."""

    places: np.ndarray  # (B,): the number of the line of each sentence pair
    source: np.ndarray  # (B, I): the ids of the source words
    target: np.ndarray  # (B, J): the ids of the target words
    source_lengths: np.ndarray  # (B,): the numbers of source words
    target_lengths: np.ndarray  # (B,): the numbers of target words
    cells: np.ndarray  # (B, J, I): the index of the pair of words of each cell, among the different pairs of the batch

    @property
    def source_words(self) -> np.ndarray:
        """The mask of the source: True for a word, False for padding, (B, I)."""
        return np.arange(self.source.shape[1]) < self.source_lengths[:, None]

    @property
    def target_words(self) -> np.ndarray:
        """The mask of the target: True for a word, False for padding, (B, J)."""
        return np.arange(self.target.shape[1]) < self.target_lengths[:, None]


def numbered(lines: Iterable[str], numbers: dict[str, int]) -> Ragged:
    """Return the ids of the words of each line; words are lower-cased and separated by white space.

    `numbers` has the id of each word; new words are added to it.
    """
    words, lengths = array("q"), array("q")
    for line in lines:
        ids = [numbers.setdefault(word, len(numbers)) for word in line.lower().split()]
        words.extend(ids)
        lengths.append(len(ids))
    return Ragged.of(*(np.array(part, dtype=np.int64) for part in (words, lengths)))


def padded(sentences: Ragged, padding: int) -> np.ndarray:
    """Return sentences as rows of an array, with `padding` after their ends; no sentence may be empty."""
    places = np.arange(sentences.lengths.max())
    words = sentences.values.take(sentences.starts[:, None] + places, mode="clip")
    return np.where(places < sentences.lengths[:, None], words, padding)


def pair_numbers(source: np.ndarray, target: np.ndarray, target_size: int) -> np.ndarray:
    """Return a number for each pair of words, given by the ids of a source word and a target word.

    `target_size` is the number of target words, and also the id of padding.
    """
    return source * (target_size + 1) + target


def distinct_numbers(numbers: np.ndarray) -> np.ndarray:
    """Return the different numbers of an array, in rising order."""
    # np.unique is not used, since it hashes integers, which takes several times as long and twice the memory.
    numbers = np.sort(numbers)
    first = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]


def batches(source: Ragged, target: Ragged, sizes: tuple[int, int]) -> Iterator[tuple[PairBatch, np.ndarray]]:
    """Yield batches of all sentence pairs that have words on both sides, each with its different pairs of words.

    The pairs of words are numbers from `pair_numbers`, in rising order, (P,). `sizes` are the number of source words
    and the number of target words.
    """
    lengths = np.stack([source.lengths, target.lengths], axis=1)
    for places in _similar_lengths(lengths):
        sides = padded(source.take(places), sizes[0]), padded(target.take(places), sizes[1])
        numbers = pair_numbers(sides[0][:, None, :], sides[1][:, :, None], sizes[1])
        pairs, cells = np.unique(numbers, return_inverse=True)
        yield PairBatch(places, *sides, *lengths[places].T, cells.reshape(numbers.shape).astype(np.int32)), pairs


def _similar_lengths(lengths: np.ndarray) -> Iterator[np.ndarray]:
    steps = 2 ** np.maximum(np.log2(np.maximum(lengths[:, 0], LENGTH_STEPS) / LENGTH_STEPS).astype(int), 0)
    # Sentence pairs are sorted by source length, rounded up to one of the LENGTH_STEPS, and then by target length.
    order = np.lexsort((lengths[:, 1], -(-lengths[:, 0] // steps) * steps))
    places, width, height, cells = [], 0, 0, 0
    for place in order[lengths.all(axis=1)[order]].tolist():
        source_length, target_length = lengths[place].tolist()
        new_width, new_height = max(width, source_length), max(height, target_length)
        padded = (len(places) + 1) * new_width * new_height
        # A batch is full where another pair would exceed CELLS_AT_ONCE or MOST_PADDING.
        if places and padded > min(CELLS_AT_ONCE, (cells + source_length * target_length) / (1 - MOST_PADDING)):
            yield np.array(places)
            places, new_width, new_height, cells = [], source_length, target_length, 0
        places.append(place)
        width, height, cells = new_width, new_height, cells + source_length * target_length
    if places:
        yield np.array(places)
