"""The special symbols, and the numbering of subword pieces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from docmt.base.artifacts import atomic_file, read_text
from docmt.base.errors import UserError

PAD, BOS, EOS, UNK, SEP, MASK, CLS = range(7)
"""Ids of the special symbols, the same in every vocabulary. Corpora may not contain their names."""

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>", "<sep>", "<mask>", "<cls>")
"""`<s>` opens a sentence, `</s>` ends one, `<sep>` stands between the sentences of a joined window,
`<mask>` replaces a dropped word, `<cls>` is the sentence summary of GC attention; `<pad>` fills a
stream up to a fixed budget on GPUs and is never attended to."""

CONTINUES = "@@"
"""Ends a piece that the next piece continues; opens a pretrained checkpoint's piece that continues the one before."""


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """What was counted, the most frequent first, ties in the order of code points."""
    return sorted(counts, key=lambda counted: (-counts[counted], counted))


@dataclass(frozen=True)
class Vocabulary:
    """Pieces by id; the special symbols come first."""

    pieces: tuple[str, ...]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], threshold: int = 0) -> "Vocabulary":
        """The most frequent piece first, ties in the order of code points; rarer than `threshold` left out."""
        kept = [piece for piece in by_frequency(counts) if counts[piece] >= threshold and piece not in SPECIALS]
        return cls(SPECIALS + tuple(kept))

    @classmethod
    def load(cls, path: Path | str) -> "Vocabulary":
        """Raises UserError where the file is missing, or does not start with the special symbols."""
        pieces = tuple(read_text(path).split("\n")[:-1])
        if pieces[: len(SPECIALS)] != SPECIALS:
            raise UserError(
                "not a vocabulary of docmt",
                where=str(path),
                found=f"first lines {' '.join(pieces[: len(SPECIALS)])!r}",
                expected=" ".join(SPECIALS),
            )
        return cls(pieces)

    def save(self, path: Path | str) -> None:
        with atomic_file(path) as stream:
            stream.writelines(piece + "\n" for piece in self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces)}

    def encode(self, pieces: Iterable[str]) -> list[int]:
        ids = self._ids
        return [ids.get(piece, UNK) for piece in pieces]

    def decode(self, ids: Iterable[int]) -> list[str]:
        return [self.pieces[number] for number in ids]
