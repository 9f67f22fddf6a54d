"""A side with the pieces of a pretrained checkpoint, cut by the tokenizer of the checkpoint (`tokenizer.json`).

The tokenizer cuts a sentence into pieces, which get ids; the tokenizer's decoder joins pieces to plain text. Neither
Moses nor jieba is applied. The vocabulary is built here: it has the special symbols, then the pieces that occur in
training, the most frequent piece first. A list beside the vocabulary has the row of each piece in the checkpoint's
embeddings; training copies these rows.

Each piece gets a name that says whether it opens a word. A piece that continues a word has `@@` before its name,
whatever mark the tokenizer itself writes; a piece that opens a word keeps the tokenizer's spelling. Therefore the names
of the pieces of a token can be joined to the token, as with BPE, where `@@` is at the end of a piece.

| tokenizer | a word's pieces | their names | the token |
| --- | --- | --- | --- |
| SentencePiece (mBART) | `▁re` `turn` | `▁re` `@@turn` | `▁return` |
| byte-level BPE (BART) | `Ġre` `turn` | `Ġre` `@@turn` | `Ġreturn` |
| WordPiece (BERT) | `re` `##turn` | `re` `@@turn` | `return` |

For SentencePiece and byte-level BPE a word is the text between two spaces, punctuation included, so that a Chinese
sentence is one word. Lexical chains of such a text are therefore coarse: a model that reads chains needs a text whose
pieces docmt learns. (This definition of a word is our reading.)

The code of the target language ends a document of G-Transformer's code on mBART; the frame `closed` has `<sep>` there.
So `<sep>` has the row of this code, where the tokenizer has language codes.

Departs: no other symbol has a language code, and no frame has one in the source. A run of white space in a sentence
counts as a single space.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.columns import TOKENS
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import checked_bytes
from docmt.base.vocabulary import BOS, CONTINUES, EOS, MASK, PAD, SEP, SPECIALS, UNK, Vocabulary
from docmt.settings.pretrained import ROWS, TOKENIZER, read_rows
from docmt.text.sentencepieces import AT

ROLES: Mapping[int, tuple[str, ...]] = {
    PAD: ("<pad>", "[PAD]"),
    BOS: ("<s>", "[CLS]"),
    EOS: ("</s>", "[SEP]"),
    UNK: ("<unk>", "[UNK]"),
    MASK: ("<mask>", "[MASK]"),
}
"""The names that tokenizers give to the special symbols; `<cls>` has no name there, `<sep>` a language code at most."""


@dataclass(frozen=True)
class Spelling:
    """A tokenizer's mark of words: `opens`, before pieces that open a word, or `within`, before all other pieces."""

    opens: str = ""
    within: str = ""

    @classmethod
    def of(cls, tokenizer: Mapping[str, Any]) -> "Spelling | None":
        """Return the spelling of a tokenizer.json, or None where it does not mark words."""
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
        """Return the name of a piece, which begins with `@@` where the piece continues a word."""
        continues = piece.startswith(self.within) if self.within else not piece.startswith(self.opens)
        spelling = (piece.removeprefix(self.within) if continues else piece).replace("@", AT)
        return CONTINUES + spelling if continues else spelling

    def piece(self, name: str) -> str:
        """Return the tokenizer's piece that has this name."""
        continues = name.startswith(CONTINUES)
        piece = name.removeprefix(CONTINUES).replace(AT, "@")
        return self.within + piece if continues else piece

    def unknown(self, surface: str, follows_space: bool) -> str:
        """Return a name for a part of a sentence for which the tokenizer has no piece.

        The name has the text of the sentence (`surface`), with `_` in place of spaces. `follows_space` says that a
        space or the start of the sentence is before the text.
        """
        spelling = surface.strip().replace(" ", "_").replace("@", AT)
        opens = follows_space or bool(self.within)
        return self.opens + spelling if opens else CONTINUES + spelling


def section_steps(section: Mapping[str, Any] | None, key: str) -> list[Mapping[str, Any]]:
    """Return the steps of a section of tokenizer.json, which is one step or a sequence of steps."""
    if section is None:
        return []
    return list(section[key]) if section["type"] == "Sequence" else [section]


def join_names(names: Iterable[str]) -> str:
    """Return the tokens that these pieces form, joined by spaces."""
    return "".join(f" {name}" for name in names).replace(f" {CONTINUES}", "").strip(" ")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    # JSON itself would read the last of two equal keys.
    if len(value) < len(pairs):
        raise ValueError("a piece or key twice")
    return value


def check_pieces(model: Mapping[str, Any]) -> None:
    """Raise ValueError where a tokenizer's model has a piece, the number of a piece, or a merge twice."""
    pieces, merges = model["vocab"], model.get("merges", ())
    numbers = pieces.values() if isinstance(pieces, dict) else [piece for piece, _ in pieces]
    for what, values in (("piece", numbers), ("merge", map(str, merges))):
        values = list(values)
        if len({*values}) < len(values):
            raise ValueError(f"a {what} twice")


class PretrainedTokenizer:
    """A pretrained tokenizer, which cuts sentences into names of pieces and joins them again."""

    def __init__(self, content: bytes, where: str) -> None:
        """Read the content of a tokenizer.json; `where` names it in messages.

        Raises UserError where the content is no tokenizer, or where it does not say how pieces are joined to words.
        """
        # Imported here because most texts have no pretrained pieces and do not need the library.
        from tokenizers import Tokenizer

        with reading(where, "not a tokenizer of the tokenizers library"):
            self._tokenizer = Tokenizer.from_buffer(content)
            settings = json.loads(content, object_pairs_hook=_each_once)
            check_pieces(settings["model"])
            spelling = Spelling.of(settings)
            self._added = [token["content"] for token in settings.get("added_tokens", ())]
        if self._tokenizer.decoder is None or spelling is None:
            raise UserError(
                "a tokenizer that does not say how pieces become words",
                where=where,
                expected="SentencePiece, byte-level BPE or WordPiece, with its decoder",
            )
        self.content, self._spelling, self._where = content, spelling, where
        # Words that look like special symbols are read as text. A tokenizer.json may set a maximum length, which is
        # ignored.
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._unknown = self._special_row(UNK)

    @classmethod
    def load(cls, path: Path) -> "PretrainedTokenizer":
        """Read a tokenizer.json.

        Raises UserError where the file is missing or is no tokenizer that `__init__` accepts.
        """
        if not path.exists():
            raise UserError("file not found", where=str(path), remedy="see texts in config.yaml: pretrained")
        with reading(path, "cannot be read"):
            need_file(path)
            content = checked_bytes(path)
        return cls(content, str(path))

    def tokenize(self, sentence: str) -> list[str]:
        """Return the names of the pieces of a sentence.

        Text without a piece gets a name by `Spelling.unknown`; no vocabulary has such a name.
        """
        sentence = " ".join(sentence.split())
        with reading(self._where, "a tokenizer that fails"):
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
        """Return the tokenizer's number of a piece, which is its row in the checkpoint's embeddings.

        Returns None for a name that the tokenizer does not know.
        """
        number = self._tokenizer.token_to_id(self._spelling.piece(name))
        return None if number == self._unknown else number

    def special_rows(self, language: str) -> list[int | None]:
        """Return the rows of the special symbols, in the order of SPECIALS; None for a symbol without a counterpart."""
        rows = [self._special_row(role) for role in range(len(SPECIALS))]
        # `<sep>` has the row of the code of the target language, `language` (see this module's docstring).
        rows[SEP] = self._language_row(language)
        return rows

    def _language_row(self, language: str) -> int | None:
        # A code is a name such as de_DE.
        code = re.compile(rf"{re.escape(language)}_[A-Z]{{2}}")
        return next((self._tokenizer.token_to_id(name) for name in self._added if code.fullmatch(name)), None)

    def _special_row(self, role: int) -> int | None:
        numbers = (self._tokenizer.token_to_id(name) for name in ROLES.get(role, ()))
        # The symbol has the first of its names that the tokenizer has.
        return next((number for number in numbers if number is not None), None)

    def text(self, names: Iterable[str]) -> str:
        """Return one line of plain text for names of pieces; `<unk>` is written as it is."""
        unknown = SPECIALS[UNK]
        pieces = [self._spelling.opens + unknown if n == unknown else self._spelling.piece(n) for n in names]
        with reading(self._where, "a tokenizer that fails"):
            return " ".join(self._tokenizer.decoder.decode(pieces).split())


@dataclass(frozen=True)
class PretrainedSide:
    """A side with pretrained pieces; it has the methods of `docmt.text.side.Side`."""

    tokenizer: PretrainedTokenizer
    vocabulary: Vocabulary
    rows: Sequence[int | None]
    """The row of each piece of the vocabulary in the checkpoint's embeddings; None where a piece has no row."""

    merges = None
    """No merges are learnt for pretrained pieces."""

    @classmethod
    def learn(
        cls, tokenizer: PretrainedTokenizer, counts: Counter[str], threshold: int, language: str
    ) -> "PretrainedSide":
        """Return the side whose vocabulary has the pieces of the training text that the tokenizer knows.

        `counts` has the number of occurrences of each piece, by the name of the piece. Pieces that occur fewer than
        `threshold` times are left out. `language` is the target language of the corpus.
        """
        known = {name: count for name, count in counts.items() if tokenizer.row(name) is not None}
        vocabulary = Vocabulary.from_counts(known, threshold)
        rows = [tokenizer.row(name) for name in vocabulary.pieces[len(SPECIALS) :]]
        return cls(tokenizer, vocabulary, [*tokenizer.special_rows(language), *rows])

    def encode_column(self, lines: Iterable[str]) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Return the columns of tokens, pieces and ids (as in TOKENS) for lines of names joined by single spaces."""
        pieces = list(lines)
        split = [line.split(" ") for line in pieces]
        tokens = pa.array([join_names(names) for names in split], pa.string())
        return (
            tokens,
            pa.array(pieces, pa.string()),
            pa.array([self.vocabulary.encode(names) for names in split], TOKENS.field("source_ids").type),
        )

    def tokens(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence of plain text."""
        return join_names(self.tokenizer.tokenize(sentence)).split(" ")

    def encode(self, sentence: str) -> list[int]:
        """Return the ids of a sentence of plain text; the list is empty for a sentence without any piece."""
        return self.vocabulary.encode(self.tokenizer.tokenize(sentence))

    def restore(self, ids: Iterable[int]) -> tuple[str, str]:
        """Return the ids that a model wrote as tokens (joined by spaces) and as plain text.

        All special symbols but `<unk>` are left out.
        """
        names = self.vocabulary.decode(n for n in ids if n >= len(SPECIALS) or n == UNK)
        return join_names(names), self.tokenizer.text(names)

    def rejoined(self, sentence: str) -> str:
        """Return the pieces of a sentence of plain text, joined to plain text again."""
        return self.tokenizer.text(self.tokenizer.tokenize(sentence))

    def save(self, folder: Path, name: str) -> None:
        """Write the files of side `name` into a `text/` folder; both sides share one tokenizer file."""
        with atomic_file(folder / TOKENIZER, "wb") as stream:
            stream.write(self.tokenizer.content)
        self.vocabulary.save(folder / f"vocabulary.{name}.txt")
        write_json(folder / ROWS.format(side=name), list(self.rows))

    @classmethod
    def load(cls, folder: Path, name: str) -> "PretrainedSide":
        """Read the files of side `name` from a `text/` folder. Raises UserError where a file is missing or damaged."""
        return cls(
            PretrainedTokenizer.load(folder / TOKENIZER),
            Vocabulary.load(folder / f"vocabulary.{name}.txt"),
            read_rows(folder / ROWS.format(side=name)),
        )
