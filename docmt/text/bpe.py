"""Subword pieces by byte-pair encoding: learnt on counts of words, applied once a word type (subword-nmt)."""

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from subword_nmt.apply_bpe import BPE

from docmt.base.artifacts import atomic_file, read_text
from docmt.base.errors import UserError
from docmt.base.vocabulary import CONTINUES
from docmt.base.workers import Done
from docmt.text.merges import Learner

HEADER = "#version: 0.2"


def learn_merges(counts: Mapping[str, int], merges: int) -> tuple[str, ...]:
    """At most `merges` operations, the most frequent pair first; fewer where no pair is left that occurs twice."""
    learner = Learner(counts)
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
