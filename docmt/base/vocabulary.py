"""Vocabularies: the special symbols, and the ids of pieces."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from docmt.base.artifacts import atomic_file, read_text
from docmt.base.errors import UserError, quoted
from docmt.base.foreign import MEND

# Ids of the special symbols, the same in every vocabulary. Corpora may not contain the symbols' names.
PAD, BOS, EOS, UNK, SEP, MASK, CLS = range(7)

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>", "<sep>", "<mask>", "<cls>")
"""The names of the special symbols, by id. `<s>` starts a sentence, `</s>` ends a sentence, `<sep>` separates the
sentences of a joined window, `<mask>` replaces a dropped word, `<cls>` stands for a whole source sentence in GC-Attn.
`<pad>` fills a stream up to a fixed budget on GPUs and is never attended to."""

CONTINUES = "@@"
"""The mark at the end of a piece whose word continues in the next piece. A piece of a pretrained checkpoint has the
mark at its start instead, where the piece continues the word of the piece before it."""


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return the keys of counts, the most frequent first; ties are in the order of code points."""
    return sorted(counts, key=lambda key: (-counts[key], key))


def check_once(what: str, lines: Iterable[str], path: Path | str, remedy: str, first: int = 1) -> None:
    """Raise UserError, with its number, for a line that is equal to an earlier line of the file.

    `what` is the noun of a line, and `first` the number of the first of `lines`.
    """
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines, first):
        if numbers.setdefault(line, number) != number:
            twice, where = f"{quoted(line)}, also in line {numbers[line]}", f"{path}:{number}"
            raise UserError(f"a {what} occurs twice", where=where, found=twice, remedy=remedy)


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary: its pieces in the order of their ids, where the special symbols come first."""

    pieces: tuple[str, ...]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], threshold: int = 0) -> "Vocabulary":
        """Build the vocabulary of the pieces that occur `threshold` times or more, the most frequent first."""
        frequent = [piece for piece in by_frequency(counts) if counts[piece] >= threshold and piece not in SPECIALS]
        return cls(SPECIALS + tuple(frequent))

    @classmethod
    def load(cls, path: Path | str) -> "Vocabulary":
        """Read a vocabulary, a piece on each line. Raises UserError for a missing or other file, and a piece twice."""
        pieces = tuple(read_text(path).split("\n")[:-1])  # a piece may contain U+2028, at which splitlines would cut
        if pieces[: len(SPECIALS)] != SPECIALS:
            raise UserError(
                "not a vocabulary of docmt",
                where=str(path),
                found=f"first lines {' '.join(pieces[: len(SPECIALS)])!r}",
                expected=" ".join(SPECIALS),
            )
        check_once("piece", pieces, path, MEND)
        return cls(pieces)

    def save(self, path: Path | str) -> None:
        """Write a piece on each line, in the order of ids."""
        with atomic_file(path) as stream:
            stream.writelines(piece + "\n" for piece in self.pieces)

    def __len__(self) -> int:
        """Return the number of pieces, special symbols included."""
        return len(self.pieces)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces)}

    def encode(self, pieces: Iterable[str]) -> list[int]:
        """Return the ids of pieces; a piece that the vocabulary lacks has the id of `<unk>`."""
        ids = self._ids
        return [ids.get(piece, UNK) for piece in pieces]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the pieces of ids."""
        return [self.pieces[number] for number in ids]
