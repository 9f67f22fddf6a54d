"""Byte-pair encoding (BPE): merges are learnt from counts of words, and cut words into pieces.

The learner of this module learns the merges that subword-nmt would learn, but in seconds. The function `learn_bpe` of
subword-nmt scans all pairs for each merge and keeps a dictionary for each pair: it would take most of the time of stage
2 on one core, and a kilobyte of memory for each distinct word. Here all words are stored one after another in arrays, a
heap gives the most frequent pair, and only the pairs that may soon be merged are remembered. The package subword-nmt
applies the merges to words; callers cut each distinct word only once.

Paper: Sennrich et al. 2016, algorithm 1, with the end-of-word mark of version 0.2.
Departs: the counts of pairs are exact. The counts in subword-nmt are not exact where two merges give the same symbol
(`ab c` and `a bc`), nor for pairs that subword-nmt has set aside as rare. On real text docmt and subword-nmt learn the
same merges (tests/text/test_merges.py).
"""

import heapq
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import numpy as np
from subword_nmt.apply_bpe import BPE

from docmt.base.artifacts import atomic_file, read_text
from docmt.base.errors import UserError
from docmt.base.vocabulary import CONTINUES, check_once
from docmt.base.workers import Done

HEADER = "#version: 0.2"
"""The first line of a file of merges: the version of the format."""

END_OF_WORD = "</w>"  # The end-of-word mark, with which the last symbol of a word ends

LEAST_COUNT = 2  # The number of occurrences that a pair needs to be merged

REMEMBERED_PAIRS = 20_000
"""The number of the most frequent pairs that are remembered after all pairs are counted.

Pairs as frequent as the last of them are remembered too. The merges do not depend on this number.
"""

LAST_OFFSET = 0x110000
"""The number that is added to the code point of the last character of a word.

The last character of a word thus becomes another symbol than the same character inside a word.
"""


def learn_merges(counts: Mapping[str, int], merges: int) -> tuple[str, ...]:
    """Return at most `merges` merges, in the order in which they are learnt.

    Fewer than `merges` merges are returned where no pair is left that occurs twice. `counts` has the number of
    occurrences of each word.
    """
    # Each merge joins the pair of symbols that is the most frequent when the merge is learnt.
    learner = MergeLearner(counts)
    return tuple(takewhile(lambda merge: merge is not None, (learner.merge() for _ in range(merges))))


class Segmenter:
    """A segmenter that cuts words into pieces by merges; without merges it cuts words into characters."""

    def __init__(self, merges: Sequence[str], vocabulary: Collection[str] | None = None) -> None:
        """Prepare the merges, in the order in which they were learnt; a merge is two symbols joined by a space.

        A piece that `vocabulary` lacks is cut where it was merged, until its parts are in the vocabulary or cannot be
        cut (the vocabulary threshold of subword-nmt). None: no piece is cut again.
        """
        self.merges = tuple(merges)
        codes = io.StringIO("\n".join((HEADER, *self.merges)))
        known = None if vocabulary is None else set(vocabulary)
        # Without the argument `merges`, subword-nmt would read an empty list of merges as one damaged merge.
        self._bpe = BPE(codes, merges=len(self.merges), separator=CONTINUES, vocab=known)

    def pieces(self, word: str) -> list[str]:
        """Return the pieces of a word; each piece but the last ends with `@@`."""
        # The cache of subword-nmt has no limit. It is emptied, since `docmt.text.side.Side` remembers a bounded number
        # of words.
        self._bpe.cache.clear()
        return self._bpe.segment_tokens([word])

    def join(self, pieces: Iterable[str]) -> list[str]:
        """Return the words that the pieces form."""
        return join_pieces(pieces)

    def save(self, path: Path | str) -> None:
        """Write the merges in the format of subword-nmt: a header, then one merge on each line."""
        with atomic_file(path) as stream:
            stream.writelines(line + "\n" for line in (HEADER, *self.merges))

    @classmethod
    def load(cls, path: Path | str, vocabulary: Collection[str] | None = None) -> "Segmenter":
        """Read the merges that `save` or subword-nmt wrote; `vocabulary` has the same meaning as in `__init__`.

        Raises UserError where the file is missing, where its format has another version, and where a line is not two
        symbols, or occurs twice.
        """
        header, *merges = read_text(path).split("\n")[:-1] or [""]
        if header != HEADER:
            raise UserError("not BPE codes of subword-nmt", where=f"{path}:1", found=repr(header), expected=HEADER)
        for number, line in enumerate(merges, start=2):
            if len(line.split(" ")) != 2:
                raise UserError("not a merge", where=f"{path}:{number}", found=repr(line), expected="two symbols")
        check_once("merge", merges, path, "remove this line, which has no effect", first=2)
        return cls(merges, vocabulary)


class PieceCounter:
    """A function from counts of words to counts of pieces, which worker processes call."""

    def __init__(self, merges: Sequence[str], vocabulary: Collection[str] | None = None) -> None:
        """Prepare the segmenter of these arguments; this is done once in each worker process."""
        self._segmenter = Segmenter(merges, vocabulary)

    def __call__(self, counts: Iterable[tuple[str, int]]) -> Done[Counter[str]]:
        """Return the number of occurrences of each piece; `counts` has words with their numbers of occurrences."""
        pieces: Counter[str] = Counter()
        for word, count in counts:
            for piece in self._segmenter.pieces(word):
                pieces[piece] += count
        return Done(pieces, 0)


def join_pieces(pieces: Iterable[str]) -> list[str]:
    """Return the words that the pieces form.

    A piece that ends with `@@` continues in the next piece. Where the last piece ends with `@@`, it ends the last word
    without `@@`.
    """
    text = " ".join(pieces) + " "
    return text.replace(f"{CONTINUES} ", "").split()


class WordSymbols:
    """The symbols of all distinct words, one word after another, and the neighbours of each symbol in its word.

    The arrays have an entry for each position, which is a character of a word at first. `symbols` has the number of the
    symbol at each position, or -1 where the symbol was merged into the symbol before. `left` and `right` have the
    positions of the neighbours, or -1 at the edge of the word. `weights` has the number of occurrences of the word. The
    arrays take 20 bytes for each position. `names` has the text of each symbol, by the number of the symbol.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        """Start with one symbol for each character of each word in `counts`."""
        words = sorted(counts)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        ends = np.cumsum(lengths)
        points = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32).astype(np.int64)
        points[ends - 1] += LAST_OFFSET
        used, symbols = np.unique(points, return_inverse=True)
        self.names = [chr(p) if p < LAST_OFFSET else chr(p - LAST_OFFSET) + END_OF_WORD for p in used.tolist()]
        self.symbols = symbols.astype(np.int32)
        positions = np.arange(len(points), dtype=np.int32)
        self.left, self.right = positions - 1, positions + 1
        self.left[ends - lengths] = self.right[ends - 1] = -1
        self.weights = np.repeat(np.fromiter((counts[word] for word in words), np.int64, len(words)), lengths)
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def pairs(self, *positions: np.ndarray) -> "Pairs":
        """Return the pairs of the symbols at `positions` with their right neighbours.

        A position that is given several times counts once. A position without a right neighbour gives no pair; the
        position -1, which stands for no neighbour, gives none either.
        """
        lefts = np.sort(np.concatenate(positions))
        # The first difference is 0 where the lowest position is -1 ("no neighbour"), so that -1 is removed as a
        # duplicate.
        lefts = lefts[np.diff(lefts, prepend=-1) > 0]
        lefts = lefts[self.right[lefts] >= 0]
        codes = self.symbols[lefts].astype(np.int64) << 32 | self.symbols[self.right[lefts]]
        return Pairs(codes, lefts, self.weights)

    def positions_of(self, pair: int, candidates: np.ndarray) -> np.ndarray:
        """Return the positions among `candidates` at which the pair now occurs."""
        first, second = pair >> 32, pair & 0xFFFFFFFF
        positions = candidates[self.symbols[candidates] == first]
        positions = positions[self.right[positions] >= 0]
        positions = np.sort(positions[self.symbols[self.right[positions]] == second])
        # Two occurrences of a pair of equal symbols may overlap, as `a a` does in `a a a`; then the later occurrence is
        # left out.
        return positions if first != second else self._apart(positions)

    def _apart(self, positions: np.ndarray) -> np.ndarray:
        # A position is left out where its symbol is the second symbol of the occurrence selected last.
        selected, covered = [], -1
        for position, following in zip(positions.tolist(), self.right[positions].tolist(), strict=True):
            if position != covered:
                selected.append(position)
                covered = following
        return np.array(selected, np.int32)

    def join(self, positions: np.ndarray, pair: int) -> int:
        """Merge the symbol at each position with its right neighbour; return the number of the resulting symbol."""
        name = self.names[pair >> 32] + self.names[pair & 0xFFFFFFFF]
        symbol = self._numbers.setdefault(name, len(self.names))
        if symbol == len(self.names):
            self.names.append(name)
        gone = self.right[positions]
        following = self.right[gone]
        self.symbols[positions], self.right[positions] = symbol, following
        inside = following >= 0
        self.left[following[inside]] = positions[inside]
        self.symbols[gone] = self.right[gone] = -1
        return symbol


class Pairs:
    """The distinct pairs of symbols, with the number of occurrences and the positions of each pair.

    `codes` has each pair as the number `left symbol << 32 | right symbol`; the codes are sorted. `totals` has the
    number of occurrences of each pair in the text: the sum of the weights of its positions. The positions of pair i are
    `positions[bounds[i] : bounds[i + 1]]`.
    """

    def __init__(self, codes: np.ndarray, positions: np.ndarray, weights: np.ndarray) -> None:
        """Group equal pairs; `codes[i]` is the code of the pair at `positions[i]`.

        `weights` has an entry for each position of the words, also for positions without a pair.
        """
        order = np.argsort(codes, kind="stable")
        codes, self.positions = codes[order], positions[order]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self.codes, self.bounds = codes[starts], np.append(starts, len(codes))
        self.totals = np.add.reduceat(weights[self.positions], starts) if len(starts) else starts

    def of(self, number: int) -> tuple[int, int, np.ndarray]:
        """Return the code, the number of occurrences and the positions of the pair at place `number` of `codes`."""
        first, end = self.bounds[number : number + 2]
        return int(self.codes[number]), int(self.totals[number]), self.positions[first:end]


class MergeLearner:
    """A learner that repeatedly merges the most frequent pair; of equally frequent pairs, the last in code points."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        """Count the pairs of the words in `counts`."""
        self.words = WordSymbols(counts)
        self._positions_of_symbol: dict[int, np.ndarray] = {}
        self._reversed: list[str] = []
        self._remember_frequent()

    def merge(self) -> str | None:
        """Merge the most frequent pair and return it as `left right`.

        Returns None where no pair is left that occurs `LEAST_COUNT` times.
        """
        pair = self._most_frequent()
        if pair is None:
            return None
        words, positions = self.words, self.words.positions_of(pair, self._positions.pop(pair))
        before = words.pairs(words.left[positions], positions, words.right[positions])
        for code, total in zip(before.codes.tolist(), before.totals.tolist(), strict=True):
            if code in self._counts:
                self._counts[code] -= total
        del self._counts[pair]
        symbol = words.join(positions, pair)
        if symbol in self._positions_of_symbol:  # an earlier merge gave the same symbol (`ab c`, `a bc`)
            positions = np.union1d(positions, self._positions_of_symbol[symbol])
            positions = positions[words.symbols[positions] == symbol]
        self._positions_of_symbol[symbol] = positions
        self._remember(words.pairs(words.left[positions], positions))
        return f"{words.names[pair >> 32]} {words.names[pair & 0xFFFFFFFF]}"

    def _most_frequent(self) -> int | None:
        while True:
            while self._heap:
                negative, left, right, pair = heapq.heappop(self._heap)
                count = self._counts.get(pair, 0)
                if count == -negative:
                    return pair
                # The heap is not updated when counts fall: an entry with an old count is put back with the present
                # count.
                if self._threshold <= count < -negative:
                    heapq.heappush(self._heap, (-count, left, right, pair))
            if self._threshold == LEAST_COUNT:
                return None
            self._remember_frequent()

    def _remember_frequent(self) -> None:
        self._counts: dict[int, int] = {}
        self._positions: dict[int, np.ndarray] = {}
        self._heap: list[tuple[int, str, str, int]] = []
        pairs = self.words.pairs(np.flatnonzero(self.words.right >= 0).astype(np.int32))
        rank = len(pairs.totals) - REMEMBERED_PAIRS
        # A pair that is not remembered occurs fewer than `_threshold` times, so that it is not the most frequent pair
        # while a remembered pair still occurs `_threshold` times.
        self._threshold = max(LEAST_COUNT, int(np.partition(pairs.totals, rank)[rank])) if rank > 0 else LEAST_COUNT
        self._remember(pairs)

    def _remember(self, pairs: Pairs) -> None:
        for number in np.flatnonzero(pairs.totals >= self._threshold).tolist():
            pair, count, positions = pairs.of(number)
            self._counts[pair], self._positions[pair] = count, positions
            heapq.heappush(self._heap, (-count, self._reverse(pair >> 32), self._reverse(pair & 0xFFFFFFFF), pair))

    def _reverse(self, symbol: int) -> str:
        """Return a text for a symbol, such that these texts sort in the opposite order of the symbols' names."""
        # The heap returns its lowest entry, but of equally frequent pairs the last in code points is merged.
        for name in self.words.names[len(self._reversed) :]:
            self._reversed.append("".join([chr(0x10FFFF - ord(c)) for c in name]) + "\U0010ffff")
        return self._reversed[symbol]
