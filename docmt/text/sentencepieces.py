"""Pieces of raw text, by a model of the library `sentencepiece` (BPE): no tokenizer, no case, and no unknown piece.

A token is what stands between two blanks, with `▁` before it, as SentencePiece writes it. A character that no piece
has is cut into the bytes of its UTF-8 (byte fallback). So text returns exactly as it was, with all of its white space
but line breaks, which no sentence has.

The name of a piece that continues its token has `@@` before it, as the names of a pretrained checkpoint's pieces have
(`docmt.text.pretrained`): `▁re` `@@turn`.

This module imports nothing of docmt, since `docmt export-model --to ctranslate2` copies it.
"""

import re
from collections.abc import Iterable, Sequence
from string import ascii_letters

OPENS, CONTINUES = "▁", "@@"
AT = "@\u2060"
"""The replacement of `@` in tokens and names: `@` and a word joiner (U+2060). A name thus has `@@` only as the mark of
its piece."""
_MARK = "␠"
_BREAKS = str.maketrans("\n\r", "  ")
# Other white space than single blanks between tokens, and the two marks, each with what replaces it inside of a token.
_WHITE = (char for char in map(chr, range(0x3001)) if char.isspace() and char not in "\n\r")
_MARKED = {char: _MARK + letter for char, letter in zip((*_WHITE, OPENS, _MARK), ascii_letters, strict=False)}
_PLAIN = {marked: char for char, marked in _MARKED.items()}
_TO_MARK = re.compile(rf"[^\S ]|[{OPENS}{_MARK}]|(?<![^ ]) | \Z")
_VISIBLE = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]")


class RawText:
    """The tokenizer of raw text, which cuts at blanks."""

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence."""
        if not _VISIBLE.search(sentence):
            return []
        text = _TO_MARK.sub(lambda match: _MARKED[match[0]], sentence.translate(_BREAKS))
        return [OPENS + token for token in text.replace("@", AT).split(" ")]

    def detokenize(self, tokens: Iterable[str]) -> str:
        """Return the text of tokens."""
        text = " ".join(token.removeprefix(OPENS) for token in tokens).replace(AT, "@")
        return re.sub(rf"{_MARK}.", lambda match: _PLAIN.get(match[0], match[0]), text)


class SentencePieces:
    """A learnt model: it cuts tokens into pieces, and joins pieces to tokens."""

    merges = None
    """The pieces are no merges of words."""

    def __init__(self, content: bytes) -> None:
        """Read the content of a model. Raises RuntimeError where it is none."""
        # Imported here because most texts are cut without the library.
        from sentencepiece import SentencePieceProcessor

        self.content, self._model = content, SentencePieceProcessor(model_proto=content)

    def names(self) -> list[str]:
        """Return the names of all pieces, without `<unk>`, in the order of the model."""
        numbers = range(self._model.get_piece_size())
        return [_name(self._model.id_to_piece(n)) for n in numbers if not self._model.is_unknown(n)]

    def pieces(self, word: str) -> list[str]:
        """Return the names of the pieces of a token."""
        text = word.removeprefix(OPENS).replace(AT, "@")
        return [_name(piece) for piece in self._model.encode(text, out_type=str)]

    def join(self, names: Sequence[str]) -> list[str]:
        """Return the tokens that pieces form; `<unk>` is a token of its own."""
        pieces = [name.removeprefix(CONTINUES).replace(AT, "@") for name in names]
        # Bytes may form white space, of which a token has none.
        return [OPENS + word.replace("@", AT) for word in self._model.decode_pieces(pieces).split()]


def _name(piece: str) -> str:
    return ("" if piece.startswith(OPENS) else CONTINUES) + piece.replace("@", AT)
