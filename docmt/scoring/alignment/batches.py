"""Sentence pairs of like lengths side by side: words by their numbers, in padded arrays.

Axes: B sentence pairs, J target words, I source words. A cell (b, j, i) is a possible link.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

CELLS_AT_ONCE = 1 << 18
"""Bounds the memory of a batch, unless one pair has more; what comes out does not depend on it, up to rounding."""

LIKE = 8
"""Source lengths that share a batch differ by less than an eighth of them, those below 16 not at all."""

MOST_PADDING = 0.25
"""Of a batch's cells, beside those of its sentences."""


@dataclass(frozen=True)
class Batch:
    """`places`: of each pair among the lines, (B,). `source` and `target`: numbers of words, (B, I) and (B, J); what
    stands behind a sentence's end is padding. `pairs`: the different pairs of words by `pair_numbers`, rising, (P,);
    `cells`: which of them a cell is, (B, J, I)."""

    places: np.ndarray
    source: np.ndarray
    target: np.ndarray
    source_lengths: np.ndarray
    target_lengths: np.ndarray
    pairs: np.ndarray
    cells: np.ndarray

    @property
    def source_words(self) -> np.ndarray:
        """Where there is a word and no padding, (B, I)."""
        return np.arange(self.source.shape[1]) < self.source_lengths[:, None]

    @property
    def target_words(self) -> np.ndarray:
        """The same of the target, (B, J)."""
        return np.arange(self.target.shape[1]) < self.target_lengths[:, None]


def numbered(lines: Sequence[str], numbers: dict[str, int]) -> list[np.ndarray]:
    """Each line's words, lower-cased, by their numbers; new words are given one. White space parts words."""
    words = [line.lower().split() for line in lines]
    return [np.array([numbers.setdefault(word, len(numbers)) for word in line], dtype=np.int64) for line in words]


def pair_numbers(source: np.ndarray, target: np.ndarray, target_size: int) -> np.ndarray:
    """One number for a pair of words. `target_size`: how many target words there are; one more stands for padding."""
    return source * (target_size + 1) + target


def batches(source: Sequence[np.ndarray], target: Sequence[np.ndarray], sizes: tuple[int, int]) -> Iterator[Batch]:
    """All pairs that have words on both sides. `sizes`: how many source and target words there are."""
    lengths = np.array([(len(words), len(others)) for words, others in zip(source, target, strict=True)])
    for places in _like_lengths(lengths.reshape(-1, 2)):
        sides = (_padded([side[n] for n in places], size) for side, size in zip((source, target), sizes, strict=True))
        yield _batch(places, *sides, *lengths[places].T, sizes[1])


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


def _padded(sentences: list[np.ndarray], padding: int) -> np.ndarray:
    array = np.full((len(sentences), max(map(len, sentences))), padding, dtype=np.int64)
    for row, words in zip(array, sentences, strict=True):
        row[: len(words)] = words
    return array


def _batch(
    places: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    source_lengths: np.ndarray,
    target_lengths: np.ndarray,
    target_size: int,
) -> Batch:
    numbers = pair_numbers(source[:, None, :], target[:, :, None], target_size)
    pairs, cells = np.unique(numbers, return_inverse=True)
    cells = cells.reshape(numbers.shape).astype(np.int32)
    return Batch(places, source, target, source_lengths, target_lengths, pairs, cells)
