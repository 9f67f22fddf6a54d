"""Subword pieces by byte-pair encoding (subword-nmt): learnt on counts of words, applied once a word type."""

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from pathlib import Path

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from docmt.core.artifacts import atomic_file
from docmt.core.errors import UserError
from docmt.core.vocabulary import CONTINUES

HEADER = "#version: 0.2"


def learn_merges(counts: Mapping[str, int], merges: int) -> tuple[str, ...]:
    """At most `merges` operations, the most frequent pair first; fewer where no pair is left that occurs twice."""
    if merges == 0 or all(len(word) == 1 for word in counts):
        return ()
    vocabulary = io.StringIO("".join(f"{word} {count}\n" for word, count in sorted(counts.items())))
    codes = io.StringIO()
    # learn_bpe draws a progress bar and tells of exhaustion on stderr; the card tells how many merges were learnt.
    with redirect_stderr(io.StringIO()):
        learn_bpe(vocabulary, codes, merges, is_dict=True)
    return tuple(codes.getvalue().split("\n")[1:-1])


class Segmenter:
    """Cuts words into pieces by merge operations; without any, into characters."""

    def __init__(self, merges: Sequence[str]) -> None:
        self.merges = tuple(merges)
        # Saying how many there are keeps subword-nmt from reading an empty list as one damaged line.
        self._bpe = BPE(io.StringIO("\n".join((HEADER, *self.merges))), merges=len(self.merges), separator=CONTINUES)

    def pieces(self, word: str) -> list[str]:
        return self._bpe.segment_tokens([word])

    def count_pieces(self, counts: Mapping[str, int]) -> Counter[str]:
        """How often each piece occurs where each word occurs `counts[word]` times."""
        pieces: Counter[str] = Counter()
        for word, count in counts.items():
            for piece in self.pieces(word):
                pieces[piece] += count
        return pieces

    def save(self, path: Path | str) -> None:
        with atomic_file(path) as stream:
            stream.writelines(line + "\n" for line in (HEADER, *self.merges))

    @classmethod
    def load(cls, path: Path | str) -> "Segmenter":
        """Raises UserError where the file is missing, of another version, or has a line that is no pair of units."""
        try:
            header, *merges = Path(path).read_text(encoding="utf-8").split("\n")[:-1] or [""]
        except FileNotFoundError:
            raise UserError("BPE codes not found", where=str(path)) from None
        if header != HEADER:
            raise UserError("not BPE codes of subword-nmt", where=f"{path}:1", found=repr(header), expected=HEADER)
        for number, line in enumerate(merges, start=2):
            if len(line.split(" ")) != 2:
                raise UserError("not a merge", where=f"{path}:{number}", found=repr(line), expected="two units")
        return cls(merges)


def join_pieces(pieces: Iterable[str]) -> list[str]:
    """The words that the pieces make; a last piece that would continue ends there."""
    text = " ".join(pieces) + " "
    return text.replace(f"{CONTINUES} ", "").split()
