"""Subword pieces by byte-pair encoding: learnt on counts of words, applied once a word type (subword-nmt).

What is learnt is what subword-nmt learns, in seconds. Its `learn_bpe` looks through all pairs for each merge, and keeps
a dictionary for each of them: it takes most of the time of stage 2 on one core, and a kilobyte for each word that
differs. Here the words stand one after another in arrays, a heap knows the most frequent pair, and only pairs that may
soon be merged are remembered.

Paper: Sennrich et al. 2016, algorithm 1, with the end-of-word mark of version 0.2.
Departs: the counts of pairs are exact. Those of subword-nmt are not where two ways lead to one symbol (`ab c`, `a bc`),
nor for pairs that it has set aside as rare; on real text both learn the same (a test holds them to it).
"""

import heapq
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import numpy as np
from subword_nmt.apply_bpe import BPE

from docmt.base.artifacts import atomic_file, read_text
from docmt.base.errors import UserError
from docmt.base.vocabulary import CONTINUES
from docmt.base.workers import Done

HEADER = "#version: 0.2"

END_OF_WORD = "</w>"
"""Ends the last symbol of a word."""

LEAST_COUNT = 2
"""A pair that occurs less often is not merged."""

REMEMBERED_PAIRS = 20_000
"""Pairs that are remembered when all are counted; what is learnt does not depend on it."""

LAST_OFFSET = 0x110000
"""Added to the code point of a word's last character, so that it is another symbol."""


def learn_merges(counts: Mapping[str, int], merges: int) -> tuple[str, ...]:
    """At most `merges` operations, the most frequent pair first; fewer where no pair is left that occurs twice."""
    learner = MergeLearner(counts)
    return tuple(takewhile(lambda merge: merge is not None, (learner.merge() for _ in range(merges))))


class Segmenter:
    """Cuts words into pieces by merge operations; without any, into characters."""

    def __init__(self, merges: Sequence[str]) -> None:
        self.merges = tuple(merges)
        # Saying how many there are keeps subword-nmt from reading an empty list as one damaged line.
        self._bpe = BPE(io.StringIO("\n".join((HEADER, *self.merges))), merges=len(self.merges), separator=CONTINUES)

    def pieces(self, word: str) -> list[str]:
        self._bpe.cache.clear()  # it would keep every word for ever; `Side` remembers some
        return self._bpe.segment_tokens([word])

    def save(self, path: Path | str) -> None:
        with atomic_file(path) as stream:
            stream.writelines(line + "\n" for line in (HEADER, *self.merges))

    @classmethod
    def load(cls, path: Path | str) -> "Segmenter":
        """Raises UserError where the file is missing, of another version, or has a line that is no pair of units."""
        header, *merges = read_text(path).split("\n")[:-1] or [""]
        if header != HEADER:
            raise UserError("not BPE codes of subword-nmt", where=f"{path}:1", found=repr(header), expected=HEADER)
        for number, line in enumerate(merges, start=2):
            if len(line.split(" ")) != 2:
                raise UserError("not a merge", where=f"{path}:{number}", found=repr(line), expected="two units")
        return cls(merges)


class PieceCounter:
    """How often each piece occurs where each word occurs so many times."""

    def __init__(self, merges: Sequence[str]) -> None:
        self._segmenter = Segmenter(merges)

    def __call__(self, counts: Iterable[tuple[str, int]]) -> Done[Counter[str]]:
        pieces: Counter[str] = Counter()
        for word, count in counts:
            for piece in self._segmenter.pieces(word):
                pieces[piece] += count
        return Done(pieces, 0)


def join_pieces(pieces: Iterable[str]) -> list[str]:
    """The words that the pieces make; a last piece that would continue ends there."""
    text = " ".join(pieces) + " "
    return text.replace(f"{CONTINUES} ", "").split()


class WordSymbols:
    """All words that differ, one after another: places of symbols, each with its neighbours within the word.

    `symbols`: at each place, -1 where it became part of the one before; `left`, `right`: the neighbours' places, -1
    where the word ends; `weights`: how often the word occurs. Memory: 20 bytes a place.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        words = sorted(counts)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        ends = np.cumsum(lengths)
        points = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32).astype(np.int64)
        points[ends - 1] += LAST_OFFSET
        used, symbols = np.unique(points, return_inverse=True)
        self.names = [chr(p) if p < LAST_OFFSET else chr(p - LAST_OFFSET) + END_OF_WORD for p in used.tolist()]
        self.symbols = symbols.astype(np.int32)
        places = np.arange(len(points), dtype=np.int32)
        self.left, self.right = places - 1, places + 1
        self.left[ends - lengths] = self.right[ends - 1] = -1
        self.weights = np.repeat(np.fromiter((counts[word] for word in words), np.int64, len(words)), lengths)
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def pairs(self, *places: np.ndarray) -> "Pairs":
        """The pairs of these places, each taken once, with their right neighbours, where they have one."""
        found = np.sort(np.concatenate(places))
        found = found[np.diff(found, prepend=-1) > 0]  # -1, no neighbour, is left out with what is there twice
        found = found[self.right[found] >= 0]
        codes = self.symbols[found].astype(np.int64) << 32 | self.symbols[self.right[found]]
        return Pairs(codes, found, self.weights)

    def places_of(self, pair: int, candidates: np.ndarray) -> np.ndarray:
        """Those of `candidates` where the pair stands now, without the later one of two that overlap (`a a a`)."""
        first, second = pair >> 32, pair & 0xFFFFFFFF
        places = candidates[self.symbols[candidates] == first]
        places = places[self.right[places] >= 0]
        places = np.sort(places[self.symbols[self.right[places]] == second])
        return places if first != second else self._apart(places)

    def _apart(self, places: np.ndarray) -> np.ndarray:
        kept, taken = [], -1
        for place, following in zip(places.tolist(), self.right[places].tolist(), strict=True):
            if place != taken:
                kept.append(place)
                taken = following
        return np.array(kept, np.int32)

    def join(self, places: np.ndarray, pair: int) -> int:
        """Make one symbol of each of these places and its right neighbour; returns the symbol's number."""
        name = self.names[pair >> 32] + self.names[pair & 0xFFFFFFFF]
        symbol = self._numbers.setdefault(name, len(self.names))
        if symbol == len(self.names):
            self.names.append(name)
        gone = self.right[places]
        following = self.right[gone]
        self.symbols[places], self.right[places] = symbol, following
        inside = following >= 0
        self.left[following[inside]] = places[inside]
        self.symbols[gone] = self.right[gone] = -1
        return symbol


class Pairs:
    """Pairs of symbols that differ, as `left symbol << 32 | right symbol`: how often each occurs, and where."""

    def __init__(self, codes: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
        order = np.argsort(codes, kind="stable")
        codes, self.places = codes[order], places[order]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self.codes, self.bounds = codes[starts], np.append(starts, len(codes))
        self.totals = np.add.reduceat(weights[self.places], starts) if len(starts) else starts

    def of(self, number: int) -> tuple[int, int, np.ndarray]:
        first, end = self.bounds[number : number + 2]
        return int(self.codes[number]), int(self.totals[number]), self.places[first:end]


class MergeLearner:
    """Gives the most frequent pair, the last in code points of those that are equally frequent, and merges it."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.words = WordSymbols(counts)
        self._places_of_symbol: dict[int, np.ndarray] = {}
        self._reversed: list[str] = []
        self._remember_frequent()

    def merge(self) -> str | None:
        """The next operation, `left right`; None where no pair is left that occurs `LEAST_COUNT` times."""
        pair = self._most_frequent()
        if pair is None:
            return None
        words, places = self.words, self.words.places_of(pair, self._places.pop(pair))
        before = words.pairs(words.left[places], places, words.right[places])
        for code, total in zip(before.codes.tolist(), before.totals.tolist(), strict=True):
            if code in self._counts:
                self._counts[code] -= total
        del self._counts[pair]
        symbol = words.join(places, pair)
        if symbol in self._places_of_symbol:  # it came from another pair before
            places = np.union1d(places, self._places_of_symbol[symbol])
            places = places[words.symbols[places] == symbol]
        self._places_of_symbol[symbol] = places
        self._remember(words.pairs(words.left[places], places))
        return f"{words.names[pair >> 32]} {words.names[pair & 0xFFFFFFFF]}"

    def _most_frequent(self) -> int | None:
        while True:
            while self._heap:
                negative, left, right, pair = heapq.heappop(self._heap)
                count = self._counts.get(pair, 0)
                if count == -negative:
                    return pair
                if self._threshold <= count < -negative:  # it was more frequent when it was put there
                    heapq.heappush(self._heap, (-count, left, right, pair))
            if self._threshold == LEAST_COUNT:
                return None
            self._remember_frequent()

    def _remember_frequent(self) -> None:
        """Count all pairs and remember the most frequent ones: any other is rarer until these are used up."""
        self._counts: dict[int, int] = {}
        self._places: dict[int, np.ndarray] = {}
        self._heap: list[tuple[int, str, str, int]] = []
        pairs = self.words.pairs(np.flatnonzero(self.words.right >= 0).astype(np.int32))
        rank = len(pairs.totals) - REMEMBERED_PAIRS
        self._threshold = max(LEAST_COUNT, int(np.partition(pairs.totals, rank)[rank])) if rank > 0 else LEAST_COUNT
        self._remember(pairs)

    def _remember(self, pairs: Pairs) -> None:
        for number in np.flatnonzero(pairs.totals >= self._threshold).tolist():
            pair, count, places = pairs.of(number)
            self._counts[pair], self._places[pair] = count, places
            heapq.heappush(self._heap, (-count, self._reverse(pair >> 32), self._reverse(pair & 0xFFFFFFFF), pair))

    def _reverse(self, symbol: int) -> str:
        """A text that comes the earlier, the later the symbol's name does."""
        for name in self.words.names[len(self._reversed) :]:
            self._reversed.append("".join([chr(0x10FFFF - ord(c)) for c in name]) + "\U0010ffff")
        return self._reversed[symbol]
