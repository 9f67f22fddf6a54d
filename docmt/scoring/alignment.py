"""Word alignment without weights: IBM Model 1 with a prior for the diagonal, as in fast_align.

Paper: Dyer, Chahuneau, Smith: A Simple, Fast, and Effective Reparameterization of IBM Model 2, NAACL 2013, eq. 1-3.
Departs: the tension of the diagonal is 4 (fast_align can learn it), after iterations without any, since between
languages of another order a table that starts on the diagonal stays there; the table is the maximum likelihood one
(fast_align can put a Dirichlet prior on it). The same sentences give the same alignment, always.

Each target word links to one source word, or to none. A cell is such a possible link. The cells of a sentence pair
are a matrix by rows: for target word j = 1..m those of source word i = 0..n, where 0 is the empty word, no link.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

NULL_PROBABILITY = 0.08
"""p0: of a target word that no source word has a part in."""

TENSION = 4.0
"""lambda: how strongly links keep to the diagonal."""

TENSIONS = (0.0,) * 5 + (TENSION,) * 5
"""Of each iteration of training; 0 is IBM Model 1."""

UNSEEN = 1e-9
"""Probability of a pair of words that training does not hold, as in fast_align."""

CELLS_AT_ONCE = 1 << 20
"""Bounds the memory of a step; what comes out does not depend on it, up to rounding."""

NULL = 0
"""The number of the empty source word."""


@dataclass(frozen=True)
class Aligner:
    """t(target word | source word), for the pairs that occur together in a training sentence.

    `pairs` are the sorted numbers of these pairs: source word * (target words + 1) + target word, the one number
    more being that of all unknown target words.
    """

    source: dict[str, int]
    target: dict[str, int]
    pairs: np.ndarray
    probabilities: np.ndarray

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[list[int | None]]:
        """For each target word the place of the source word that it translates, none where it translates none.

        Lines of words joined by single spaces. The most probable link (Viterbi); of equal ones the first.
        """
        chunks = Chunk.of_lines(numbered(source, self.source), numbered(target, self.target))
        return [links for chunk in chunks for links in self._best(chunk)]

    def _best(self, chunk: "Chunk") -> Iterator[list[int | None]]:
        pairs = chunk.pairs(len(self.target) + 1)
        found = np.minimum(np.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        scores = np.where(self.pairs[found] == pairs, self.probabilities[found], UNSEEN) * chunk.prior(TENSION)
        for (first, last), source, target in zip(pairwise(chunk.offsets), chunk.source, chunk.target, strict=True):
            best = scores[first:last].reshape(len(target), len(source) + 1).argmax(axis=1)
            yield [place - 1 if place else None for place in best.tolist()]


@dataclass(frozen=True)
class Chunk:
    """Some sentence pairs: the numbers of each one's words."""

    source: list[np.ndarray]
    target: list[np.ndarray]

    @classmethod
    def of_lines(cls, source: list[np.ndarray], target: list[np.ndarray]) -> "Iterator[Chunk]":
        """Consecutive pairs with about CELLS_AT_ONCE cells together; one pair at least."""
        first, cells = 0, 0
        for last, (words, others) in enumerate(zip(source, target, strict=True), start=1):
            cells += (len(words) + 1) * len(others)
            if cells >= CELLS_AT_ONCE or last == len(source):
                yield cls(source[first:last], target[first:last])
                first, cells = last, 0

    @property
    def choices(self) -> np.ndarray:
        """How many cells each target word has."""
        lengths = [len(words) + 1 for words in self.source]
        return np.repeat(lengths, [len(words) for words in self.target])

    @property
    def offsets(self) -> list[int]:
        """Where each sentence pair's cells begin, and the end of the last."""
        cells = [(len(words) + 1) * len(others) for words, others in zip(self.source, self.target, strict=True)]
        return [0, *np.cumsum(cells).tolist()]

    def pairs(self, width: int) -> np.ndarray:
        """The number of each cell's pair of words; see `Aligner.pairs`."""
        sentences = zip(self.source, self.target, strict=True)
        return np.concatenate(
            [np.add.outer(others, np.append(NULL, words) * width).ravel() for words, others in sentences]
        )

    def prior(self, tension: float) -> np.ndarray:
        """The probability of each cell before its words are looked at."""
        sentences = zip(self.source, self.target, strict=True)
        return np.concatenate([diagonal_prior(len(words), len(others), tension) for words, others in sentences])


@lru_cache(1 << 12)
def diagonal_prior(source_length: int, target_length: int, tension: float) -> np.ndarray:
    """Of a sentence pair's cells: p0 for the empty word, and the rest by exp(-tension |i/n - j/m|) (eq. 1 and 2)."""
    source, target = (np.arange(1, length + 1) / max(length, 1) for length in (source_length, target_length))
    weight = np.exp(-tension * np.abs(np.subtract.outer(target, source)))
    weight *= (1 - NULL_PROBABILITY) / np.maximum(weight.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.hstack([np.full((target_length, 1), NULL_PROBABILITY), weight]).ravel()


def numbered(lines: Sequence[str], numbers: dict[str, int], grow: bool = False) -> list[np.ndarray]:
    """Each line's words by their numbers; `numbers` is filled where it may `grow`, else new words have the next one."""
    if grow:
        for line in lines:
            for word in line.split():
                numbers.setdefault(word, len(numbers))
    unknown = len(numbers)
    return [np.array([numbers.get(word, unknown) for word in line.split()], dtype=np.int64) for line in lines]


def train_aligner(source: Sequence[str], target: Sequence[str]) -> Aligner:
    """Expectation maximisation over sentence pairs, from a uniform start. Lines of words joined by single spaces.

    Takes 4 bytes a cell, and memory for the different pairs of words.
    """
    numbers: tuple[dict[str, int], dict[str, int]] = ({"": NULL}, {})
    chunks = list(Chunk.of_lines(numbered(source, numbers[0], grow=True), numbered(target, numbers[1], grow=True)))
    width = len(numbers[1]) + 1
    pairs = np.unique(np.concatenate([np.unique(chunk.pairs(width)) for chunk in chunks]))
    cells = [np.searchsorted(pairs, chunk.pairs(width)).astype(np.int32) for chunk in chunks]
    probabilities = np.ones(len(pairs))
    for tension in TENSIONS:
        counts = np.zeros(len(pairs))
        for chunk, pair in zip(chunks, cells, strict=True):
            counts += np.bincount(pair, _shares(chunk, probabilities[pair] * chunk.prior(tension)), len(pairs))
        of_source = np.bincount(pairs // width, counts)
        probabilities = counts / of_source[pairs // width]
    return Aligner(*numbers, pairs, probabilities)


def _shares(chunk: Chunk, scores: np.ndarray) -> np.ndarray:
    """Of each cell in its target word, which is one in all."""
    choices = chunk.choices
    sums = np.add.reduceat(scores, np.cumsum(choices) - choices) if len(choices) else scores
    return scores / np.repeat(sums, choices)
