"""Text that comes as pieces already, parted by blanks, as the tools of an imported model made them."""

from collections.abc import Sequence
from pathlib import Path

from docmt.base.vocabulary import SPECIALS, UNK


class Blanks:
    """Tokens are what white space parts; they are joined again by blanks."""

    def tokenize(self, sentence: str) -> list[str]:
        return sentence.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)


class Uncut:
    """Each token is a piece. One that is called like a special symbol is unknown: text cannot pass for a symbol."""

    merges: tuple[str, ...] = ()

    def pieces(self, word: str) -> list[str]:
        return [SPECIALS[UNK] if word in SPECIALS else word]

    def save(self, path: Path | str) -> None:
        """There are no codes to keep."""
