"""One side of a corpus, source or target: all that lies between its sentences and the ids of their pieces."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import TOKENS
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.settings.data import TextConfig
from docmt.text.bpe import Segmenter, join_pieces
from docmt.text.casing import KeepCase, Truecaser, casing_of
from docmt.text.tokenizers import Tokenizer, tokenizer_for


class WhitespaceTokenizer:
    """Tokens are what white space parts; they are joined again by blanks."""

    def tokenize(self, sentence: str) -> list[str]:
        return sentence.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)


class WholeTokens:
    """Each token is a piece. One that is called like a special symbol is unknown: text cannot pass for a symbol."""

    merges: tuple[str, ...] = ()

    def pieces(self, word: str) -> list[str]:
        return [SPECIALS[UNK] if word in SPECIALS else word]

    def save(self, path: Path | str) -> None:
        """There are no codes to keep."""


REMEMBERED_WORDS = 1 << 17
"""Words whose pieces are known, about 40 MB; then they are forgotten, of which the frequent ones are soon back."""


@dataclass(frozen=True)
class Side:
    """Sentence -> tokens, cased -> pieces -> ids, and back. A word's pieces are looked up once and remembered."""

    tokenizer: Tokenizer
    casing: KeepCase
    segmenter: Segmenter | WholeTokens
    vocabulary: Vocabulary
    _known: dict[str, tuple[str, list[int]]] = field(default_factory=dict, repr=False, compare=False)

    def lookup(self, token: str) -> tuple[str, list[int]]:
        """A token's pieces, joined by spaces, and their ids."""
        found = self._known.get(token)
        if found is None:
            if len(self._known) == REMEMBERED_WORDS:
                self._known.clear()
            pieces = self.segmenter.pieces(token)
            found = self._known[token] = " ".join(pieces), self.vocabulary.encode(pieces)
        return found

    def tokens(self, sentence: str) -> list[str]:
        """In the case that was learnt."""
        return self.casing.apply(self.tokenizer.tokenize(sentence))

    def words(self, sentence: str) -> tuple[list[str], list[int]]:
        """The tokens, and how many pieces each of them has: what lexical chains are found from."""
        tokens = self.tokens(sentence)
        return tokens, [len(self.lookup(token)[1]) for token in tokens]

    @property
    def merges(self) -> int:
        """How many were learnt."""
        return len(self.segmenter.merges)

    def encode_column(self, lines: Iterable[str]) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Tokens, pieces and ids of lines of tokens, whose case is changed here; columns of TOKENS."""
        tokens = pa.array([" ".join(self.casing.apply(line.split(" "))) for line in lines], pa.string())
        words = pc.split_pattern(tokens, " ")
        coded = words.flatten().dictionary_encode()
        found = [self.lookup(word) for word in coded.dictionary.to_pylist()]
        pieces = pa.array([pieces for pieces, _ in found], pa.string()).take(coded.indices)
        ids = pa.array([ids for _, ids in found], TOKENS.field("source_ids").type).take(coded.indices)
        return (
            tokens,
            pc.binary_join(pa.ListArray.from_arrays(words.offsets, pieces), " "),
            pa.ListArray.from_arrays(ids.offsets.take(words.offsets), ids.flatten()),
        )

    def encode(self, sentence: str) -> list[int]:
        """Empty for a sentence without any token."""
        return [number for token in self.tokens(sentence) for number in self.lookup(token)[1]]

    def restore(self, ids: Iterable[int]) -> tuple[str, str]:
        """A model's ids as tokens (joined by spaces, in the case that was learnt) and as plain text.

        The text opens its sentences with a capital where the side is truecased, and stays lower-cased where it was
        lowered. Special symbols are left out, except `<unk>`, which stands for something.
        """
        tokens = join_pieces(self.vocabulary.decode(n for n in ids if n >= len(SPECIALS) or n == UNK))
        return " ".join(tokens), self.tokenizer.detokenize(self.casing.restore(tokens))

    def save(self, folder: Path, name: str) -> None:
        """Write the files of side `name` ("source" or "target") into a `text/` folder."""
        self.segmenter.save(folder / f"codes.{name}")
        self.vocabulary.save(folder / f"vocabulary.{name}.txt")
        if isinstance(self.casing, Truecaser):
            self.casing.save(folder / f"truecase.{name}.json")

    @classmethod
    def of_pieces(cls, vocabulary: Vocabulary) -> "Side":
        """For text that comes as pieces, parted by blanks: they are looked up, and joined to words."""
        return cls(WhitespaceTokenizer(), KeepCase(), WholeTokens(), vocabulary)

    @classmethod
    def load(cls, folder: Path, name: str, language: str, config: TextConfig) -> "Side":
        """Raises UserError where a file is missing or damaged."""
        return cls(
            tokenizer=tokenizer_for(language, config),
            casing=casing_of(config, language, lambda: Truecaser.load(folder / f"truecase.{name}.json")),
            segmenter=Segmenter.load(folder / f"codes.{name}"),
            vocabulary=Vocabulary.load(folder / f"vocabulary.{name}.txt"),
        )
