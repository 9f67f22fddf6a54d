"""A side whose pieces are those of a pretrained checkpoint, cut by its own tokenizer (`tokenizer.json`).

Sentence -> pieces -> ids, and back by the tokenizer's decoder; neither Moses nor jieba comes before it. The vocabulary
is ours: special symbols, then the pieces that training has, the most frequent first. With it goes a list of the
checkpoint's rows for them, by which training takes their embeddings.

Pieces go by names from which the words can be told. A piece that goes on with a word has `@@` before its name, whatever
the tokenizer writes; one that opens a word has the tokenizer's own. So tokens are pieces joined, as with BPE, where
`@@` stands on the other side.

| tokenizer | a word's pieces | their names | the token |
| --- | --- | --- | --- |
| SentencePiece (mBART) | `▁re` `turn` | `▁re` `@@turn` | `▁return` |
| byte-level BPE (BART) | `Ġre` `turn` | `Ġre` `@@turn` | `Ġreturn` |
| WordPiece (BERT) | `re` `##turn` | `re` `@@turn` | `return` |

A word of the first two is what stands between spaces, punctuation included: a Chinese sentence is one word. (Our
reading; lexical chains of such a text are therefore coarse. A model that looks at chains needs a text of our own.)

Departs: mBART's language codes stand in none of our frames, so they are in no vocabulary. White space in a sentence
counts as single spaces.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.vocabulary import BOS, CONTINUES, EOS, MASK, PAD, SPECIALS, UNK, Vocabulary
from docmt.settings.pretrained import ROWS, TOKENIZER, read_rows

ROLES: Mapping[int, tuple[str, ...]] = {
    PAD: ("<pad>", "[PAD]"),
    BOS: ("<s>", "[CLS]"),
    EOS: ("</s>", "[SEP]"),
    UNK: ("<unk>", "[UNK]"),
    MASK: ("<mask>", "[MASK]"),
}
"""What tokenizers call our special symbols; `<sep>` and `<cls>` have no counterpart."""

AT = "@\u2060"
"""Stands for `@` in names: with a word joiner after it, so that no name ends or begins like an unfinished word."""


@dataclass(frozen=True)
class Spelling:
    """How a tokenizer marks words: `opens` stands before pieces that open one, or `within` before those that do not."""

    opens: str = ""
    within: str = ""

    @classmethod
    def of(cls, tokenizer: Mapping[str, Any]) -> "Spelling | None":
        """That of a tokenizer.json; None where it marks no words."""
        model = tokenizer["model"]
        if model.get("type") == "WordPiece":
            return cls(within=model.get("continuing_subword_prefix", "##"))
        for part in section_steps(tokenizer.get("decoder"), "decoders"):
            if part["type"] == "Metaspace":
                return cls(opens=part.get("replacement", "▁"))
            if part["type"] == "ByteLevel":
                return cls(opens="Ġ")
        return None

    def name(self, piece: str) -> str:
        continues = piece.startswith(self.within) if self.within else not piece.startswith(self.opens)
        shown = (piece.removeprefix(self.within) if continues else piece).replace("@", AT)
        return CONTINUES + shown if continues else shown

    def piece(self, name: str) -> str:
        """What `name` was made from."""
        continues = name.startswith(CONTINUES)
        piece = name.removeprefix(CONTINUES).replace(AT, "@")
        return self.within + piece if continues else piece

    def unknown(self, surface: str, follows_space: bool) -> str:
        """A name for text that has no piece, as it stands in the sentence."""
        shown = surface.strip().replace(" ", "_").replace("@", AT)
        opens = follows_space or bool(self.within)
        return self.opens + shown if opens else CONTINUES + shown


def section_steps(section: Mapping[str, Any] | None, key: str) -> list[Mapping[str, Any]]:
    """The steps of a tokenizer's section, which may be a sequence of them."""
    if section is None:
        return []
    return list(section[key]) if section["type"] == "Sequence" else [section]


def join_names(names: Iterable[str]) -> str:
    """The tokens that the pieces make, joined by spaces."""
    return "".join(f" {name}" for name in names).replace(f" {CONTINUES}", "").strip(" ")


class PretrainedTokenizer:
    """Cuts sentences into pieces and joins them again."""

    def __init__(self, content: bytes, where: str) -> None:
        """`content`: that of tokenizer.json. Raises: UserError where it is none, or cannot undo its cuts."""
        from tokenizers import Tokenizer  # here only: most texts have pieces of our own

        with reading(where, "not a tokenizer of the tokenizers library"):
            self._tokenizer = Tokenizer.from_buffer(content)
            spelling = Spelling.of(json.loads(content))
        if self._tokenizer.decoder is None or spelling is None:
            raise UserError(
                "a tokenizer that does not say how pieces become words",
                where=where,
                expected="SentencePiece, byte-level BPE or WordPiece, with its decoder",
            )
        self.content, self._spelling = content, spelling
        # A sentence of words that look like special symbols is a sentence; none is cut short.
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._unknown = self._special_row(UNK)

    @classmethod
    def load(cls, path: Path) -> "PretrainedTokenizer":
        """Raises: UserError where the file is missing or is no such tokenizer."""
        if not path.exists():
            raise UserError("file not found", where=str(path), remedy="see texts in config.yaml: pretrained")
        with reading(path, "cannot be read"):
            content = path.read_bytes()
        return cls(content, str(path))

    def tokenize(self, sentence: str) -> list[str]:
        """The names of its pieces; what has none stands there as it is."""
        sentence = " ".join(sentence.split())
        encoded = self._tokenizer.encode(sentence, add_special_tokens=False)
        names = []
        for number, (start, end) in zip(encoded.ids, encoded.offsets, strict=True):
            if number != self._unknown:
                names.append(self._spelling.name(self._tokenizer.id_to_token(number)))
            elif surface := sentence[start:end].strip():
                follows_space = start == 0 or " " in sentence[start - 1 : start + 1]
                names.append(self._spelling.unknown(surface, follows_space))
        return names

    def row(self, name: str) -> int | None:
        """The tokenizer's number of a piece, which is its row in the checkpoint's embeddings."""
        number = self._tokenizer.token_to_id(self._spelling.piece(name))
        return None if number == self._unknown else number

    def special_rows(self) -> list[int | None]:
        """Those of our special symbols."""
        return [self._special_row(role) for role in range(len(SPECIALS))]

    def _special_row(self, role: int) -> int | None:
        found = (self._tokenizer.token_to_id(name) for name in ROLES.get(role, ()))
        return next((number for number in found if number is not None), None)

    def text(self, names: Iterable[str]) -> str:
        """One line of plain text; `<unk>` stands for itself."""
        unknown = SPECIALS[UNK]
        pieces = [self._spelling.opens + unknown if n == unknown else self._spelling.piece(n) for n in names]
        return " ".join(self._tokenizer.decoder.decode(pieces).split())


@dataclass(frozen=True)
class PretrainedSide:
    """See above; the same methods as `docmt.text.side.Side`."""

    tokenizer: PretrainedTokenizer
    vocabulary: Vocabulary
    rows: Sequence[int | None]
    """Of each piece of the vocabulary."""

    merges = None
    """None were learnt."""

    @classmethod
    def learn(cls, tokenizer: PretrainedTokenizer, counts: Counter[str], threshold: int) -> "PretrainedSide":
        """`counts`: of the names of pieces in training."""
        known = {name: count for name, count in counts.items() if tokenizer.row(name) is not None}
        vocabulary = Vocabulary.from_counts(known, threshold)
        rows = [tokenizer.row(name) for name in vocabulary.pieces[len(SPECIALS) :]]
        return cls(tokenizer, vocabulary, [*tokenizer.special_rows(), *rows])

    def encode_column(self, lines: Iterable[str]) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Tokens, pieces and ids of lines of names; columns of TOKENS."""
        pieces = list(lines)
        split = [line.split(" ") for line in pieces]
        tokens = pa.array([join_names(names) for names in split], pa.string())
        return (
            tokens,
            pa.array(pieces, pa.string()),
            pa.array([self.vocabulary.encode(names) for names in split], TOKENS.field("source_ids").type),
        )

    def tokens(self, sentence: str) -> list[str]:
        return join_names(self.tokenizer.tokenize(sentence)).split(" ")

    def encode(self, sentence: str) -> list[int]:
        """Empty for a sentence without any piece."""
        return self.vocabulary.encode(self.tokenizer.tokenize(sentence))

    def restore(self, ids: Iterable[int]) -> tuple[str, str]:
        """A model's ids as tokens (joined by spaces) and as plain text, without special symbols but `<unk>`."""
        names = self.vocabulary.decode(n for n in ids if n >= len(SPECIALS) or n == UNK)
        return join_names(names), self.tokenizer.text(names)

    def save(self, folder: Path, name: str) -> None:
        """Write the files of side `name` into a `text/` folder; both sides have one tokenizer."""
        with atomic_file(folder / TOKENIZER, "wb") as stream:
            stream.write(self.tokenizer.content)
        self.vocabulary.save(folder / f"vocabulary.{name}.txt")
        write_json(folder / ROWS.format(side=name), list(self.rows))

    @classmethod
    def load(cls, folder: Path, name: str) -> "PretrainedSide":
        """Raises: UserError where a file is missing or damaged."""
        return cls(
            PretrainedTokenizer.load(folder / TOKENIZER),
            Vocabulary.load(folder / f"vocabulary.{name}.txt"),
            read_rows(folder / ROWS.format(side=name)),
        )
