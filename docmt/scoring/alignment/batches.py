"""Sentence pairs of like lengths side by side: words by their numbers, in padded arrays.

Axes: B sentence pairs, J target words, I source words. A cell (b, j, i) is a possible link.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

CELLS_AT_ONCE = 1 << 18
"""Bounds the memory of a batch, unless one pair has more; what comes out does not depend on it, up to rounding."""

LIKE = 8
"""Source lengths that share a batch differ by less than an eighth of them, those below 16 not at all."""

MOST_PADDING = 0.25
"""Of a batch's cells, beside those of its sentences."""


@dataclass(frozen=True)
class PairBatch:
    """`places`: of each pair among the lines, (B,). `source` and `target`: numbers of words, (B, I) and (B, J); what
    stands behind a sentence's end is padding. `cells`: which of the batch's pairs of words each cell is, (B, J, I)."""

    places: np.ndarray
    source: np.ndarray
    target: np.ndarray
    source_lengths: np.ndarray
    target_lengths: np.ndarray
    cells: np.ndarray

    @property
    def source_words(self) -> np.ndarray:
        """Where there is a word and no padding, (B, I)."""
        return np.arange(self.source.shape[1]) < self.source_lengths[:, None]

    @property
    def target_words(self) -> np.ndarray:
        """The same of the target, (B, J)."""
        return np.arange(self.target.shape[1]) < self.target_lengths[:, None]


@dataclass(frozen=True)
class NumberedSentences:
    """`words`: the numbers of all words, sentence after sentence; `ends`: where among them each sentence ends, (N,)."""

    words: np.ndarray
    ends: np.ndarray

    @classmethod
    def numbered(cls, lines: Iterable[str], numbers: dict[str, int]) -> "NumberedSentences":
        """Words are lower-cased; new ones are given a number. White space parts words."""
        words, ends = array("q"), array("q")
        for line in lines:
            words.extend([numbers.setdefault(word, len(numbers)) for word in line.lower().split()])
            ends.append(len(words))
        return cls(np.array(words, dtype=np.int64), np.array(ends, dtype=np.int64))

    @property
    def lengths(self) -> np.ndarray:
        """How many words each sentence has, (N,)."""
        return np.diff(self.ends, prepend=0)

    def padded(self, places: np.ndarray, padding: int) -> np.ndarray:
        """The sentences at these places, none of which is empty, as the rows of an array."""
        starts, ends = np.where(places > 0, self.ends[places - 1], 0), self.ends[places]
        places_of_words = starts[:, None] + np.arange((ends - starts).max())
        return np.where(places_of_words < ends[:, None], self.words.take(places_of_words, mode="clip"), padding)


def pair_numbers(source: np.ndarray, target: np.ndarray, target_size: int) -> np.ndarray:
    """One number for a pair of words. `target_size`: how many target words there are; one more stands for padding."""
    return source * (target_size + 1) + target


def distinct_numbers(numbers: np.ndarray) -> np.ndarray:
    """Rising. (np.unique hashes integers, and takes several times as long and twice the memory.)"""
    numbers = np.sort(numbers)
    first = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]


def batches(
    source: NumberedSentences, target: NumberedSentences, sizes: tuple[int, int]
) -> Iterator[tuple[PairBatch, np.ndarray]]:
    """All sentence pairs that have words on both sides; and with each batch its different pairs of words, by
    `pair_numbers`, rising, (P,). `sizes`: how many source and target words there are."""
    lengths = np.stack([source.lengths, target.lengths], axis=1)
    for places in _like_lengths(lengths):
        sides = source.padded(places, sizes[0]), target.padded(places, sizes[1])
        numbers = pair_numbers(sides[0][:, None, :], sides[1][:, :, None], sizes[1])
        pairs, cells = np.unique(numbers, return_inverse=True)
        yield PairBatch(places, *sides, *lengths[places].T, cells.reshape(numbers.shape).astype(np.int32)), pairs


def _like_lengths(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Places of pairs that fit together: sorted by source length, long ones roughly, then by target length."""
    steps = 2 ** np.maximum(np.log2(np.maximum(lengths[:, 0], LIKE) / LIKE).astype(int), 0)
    order = np.lexsort((lengths[:, 1], -(-lengths[:, 0] // steps) * steps))
    taken, words, others, cells = [], 0, 0, 0
    for place in order[lengths.all(axis=1)[order]].tolist():
        own_words, own_others = lengths[place].tolist()
        wide, high = max(words, own_words), max(others, own_others)
        padded = (len(taken) + 1) * wide * high
        if taken and padded > min(CELLS_AT_ONCE, (cells + own_words * own_others) / (1 - MOST_PADDING)):
            yield np.array(taken)
            taken, wide, high, cells = [], own_words, own_others, 0
        taken.append(place)
        words, others, cells = wide, high, cells + own_words * own_others
    if taken:
        yield np.array(taken)
