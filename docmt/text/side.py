"""The source or target side of a corpus: all steps from a sentence of plain text to the ids of its pieces, and back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import atomic_file
from docmt.base.columns import TOKENS
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import checked_bytes
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.settings.data import TextConfig
from docmt.text.bpe import Segmenter, join_pieces
from docmt.text.casing import KeepCase, Truecaser, casing_of
from docmt.text.sentencepieces import SentencePieces
from docmt.text.tokenizers import Tokenizer, tokenizer_for


class WhitespaceTokenizer:
    """A tokenizer that cuts text at white space."""

    def tokenize(self, sentence: str) -> list[str]:
        """Return the parts of a sentence between white space."""
        return sentence.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Return the tokens joined by single spaces."""
        return " ".join(tokens)


class WholeTokens:
    """A segmenter that makes each token one piece; it has no merges."""

    merges: tuple[str, ...] = ()

    def pieces(self, word: str) -> list[str]:
        """Return the token as its only piece, or `<unk>` for a token with the name of a special symbol."""
        # Without this rule a word of the text could be mistaken for a special symbol.
        return [SPECIALS[UNK] if word in SPECIALS else word]

    def join(self, pieces: Iterable[str]) -> list[str]:
        """Return the words that the pieces of another tool form."""
        return join_pieces(pieces)

    def save(self, path: Path | str) -> None:
        """Write nothing, since there are no merges."""


Subwords = Segmenter | WholeTokens | SentencePieces
"""What cuts a token into pieces, and joins pieces to tokens."""

MODEL = "sentencepiece.{side}.model"  # The name of the file of a side's model of SentencePiece.

REMEMBERED_WORDS = 1 << 17
"""The largest number of words whose pieces are remembered, which takes about 40 MB.

When the limit is reached, all words are forgotten at once; frequent words are soon remembered again.
"""


@dataclass(frozen=True)
class Side:
    """The processing of one side: a sentence becomes tokens, tokens in the side's case, pieces and ids, and back.

    The pieces of a word are computed once and then remembered (REMEMBERED_WORDS).
    """

    tokenizer: Tokenizer
    casing: KeepCase
    segmenter: Subwords
    vocabulary: Vocabulary
    _known: dict[str, tuple[str, list[int]]] = field(default_factory=dict, repr=False, compare=False)

    def lookup(self, token: str) -> tuple[str, list[int]]:
        """Return the pieces of a token, joined by spaces, and the ids of the pieces."""
        entry = self._known.get(token)
        if entry is None:
            if len(self._known) == REMEMBERED_WORDS:
                self._known.clear()
            pieces = self.segmenter.pieces(token)
            entry = self._known[token] = " ".join(pieces), self.vocabulary.encode(pieces)
        return entry

    def tokens(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence of plain text, in the case of this side."""
        return self.casing.apply(self.tokenizer.tokenize(sentence))

    def words(self, sentence: str) -> tuple[list[str], list[int]]:
        """Return the tokens of a sentence and the number of pieces of each token.

        Lexical chains are computed from the tokens and these numbers.
        """
        tokens = self.tokens(sentence)
        return tokens, [len(self.lookup(token)[1]) for token in tokens]

    @property
    def merges(self) -> int | None:
        """The number of BPE merges that the side has learnt; None for a model of SentencePiece."""
        return None if self.segmenter.merges is None else len(self.segmenter.merges)

    def encode_column(self, lines: Iterable[str]) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Return the columns of tokens, pieces and ids of a TOKENS table for tokenised lines in their original case."""
        tokens = pa.array([" ".join(self.casing.apply(line.split(" "))) for line in lines], pa.string())
        words = pc.split_pattern(tokens, " ")
        # Each distinct word of the column is looked up once; Arrow copies the result to all occurrences of the word.
        coded = words.flatten().dictionary_encode()
        entries = [self.lookup(word) for word in coded.dictionary.to_pylist()]
        pieces = pa.array([pieces for pieces, _ in entries], pa.string()).take(coded.indices)
        ids = pa.array([ids for _, ids in entries], TOKENS.field("source_ids").type).take(coded.indices)
        return (
            tokens,
            pc.binary_join(pa.ListArray.from_arrays(words.offsets, pieces), " "),
            pa.ListArray.from_arrays(ids.offsets.take(words.offsets), ids.flatten()),
        )

    def encode(self, sentence: str) -> list[int]:
        """Return the ids of the pieces of a sentence of plain text; the list is empty for a sentence without tokens."""
        return [piece_id for token in self.tokens(sentence) for piece_id in self.lookup(token)[1]]

    def restore(self, ids: Iterable[int]) -> tuple[str, str]:
        """Return the ids that a model wrote as tokens (joined by spaces, in the case of this side) and as plain text.

        In the plain text the first word of each sentence is capitalised where the side is truecased; the text of a
        lower-cased side stays lower-cased. Special symbols are left out, except `<unk>`, which replaces a piece of the
        text.
        """
        names = self.vocabulary.decode(index for index in ids if index >= len(SPECIALS) or index == UNK)
        tokens = self.segmenter.join(names)
        return " ".join(tokens), self.tokenizer.detokenize(self.casing.restore(tokens))

    def rejoined(self, sentence: str) -> str:
        """Return the tokens of a sentence of plain text, joined to plain text again."""
        return self.tokenizer.detokenize(self.casing.restore(self.tokens(sentence)))

    def save(self, folder: Path, name: str) -> None:
        """Write the files of side `name` ("source" or "target") into a `text/` folder."""
        if isinstance(self.segmenter, SentencePieces):
            with atomic_file(folder / MODEL.format(side=name), "wb") as stream:
                stream.write(self.segmenter.content)
        else:
            self.segmenter.save(folder / f"codes.{name}")
        self.vocabulary.save(folder / f"vocabulary.{name}.txt")
        if isinstance(self.casing, Truecaser):
            self.casing.save(folder / f"truecase.{name}.json")

    @classmethod
    def of_pieces(cls, vocabulary: Vocabulary) -> "Side":
        """Return a side for text that another tool has cut into pieces, separated by white space.

        Such a side changes neither tokens nor case: it looks the pieces up in the vocabulary, and joins the pieces of a
        translation to words.
        """
        return cls(WhitespaceTokenizer(), KeepCase(), WholeTokens(), vocabulary)

    @classmethod
    def load(cls, folder: Path, name: str, language: str, config: TextConfig) -> "Side":
        """Read the files of side `name` from a `text/` folder; `language` is an ISO 639-1 code.

        Raises UserError where a file is missing or damaged.
        """
        vocabulary = Vocabulary.load(folder / f"vocabulary.{name}.txt")
        if config.sentencepiece is None:
            segmenter = Segmenter.load(folder / f"codes.{name}", vocabulary.pieces if config.threshold else None)
        else:
            segmenter = _load_model(folder / MODEL.format(side=name))
        return cls(
            tokenizer=tokenizer_for(language, config),
            casing=casing_of(config, language, lambda: Truecaser.load(folder / f"truecase.{name}.json")),
            segmenter=segmenter,
            vocabulary=vocabulary,
        )


def _load_model(path: Path) -> SentencePieces:
    with reading(path, "not a model of SentencePiece"):
        need_file(path)
        return SentencePieces(checked_bytes(path))
