"""Tokenizers: Moses for languages that write spaces; jieba or single characters for Chinese; reversible ones of each.

A text of SentencePiece is cut at blanks alone.

Every other tokenizer cuts at `<`, `>` and `@` (tests/text/test_tokenizers.py). Therefore no token is equal to a special
symbol such as `<s>`, and no token ends with `@@`, the mark of an unfinished word.
"""

from collections.abc import Sequence
from typing import Protocol

from docmt.settings.data import TextConfig
from docmt.text.chinese import Chinese
from docmt.text.moses import Moses
from docmt.text.reversible import Reversible
from docmt.text.sentencepieces import RawText


class Tokenizer(Protocol):
    """The methods of a tokenizer.

    A token has no white space. A sentence of white space and control characters alone has no tokens.
    """

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of one sentence of plain text."""

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Return the plain text of tokens."""


def tokenizer_for(language: str, text: TextConfig) -> Tokenizer:
    """Return the tokenizer of a language (an ISO 639-1 code) with the settings of `text`.

    For Chinese, the settings `normalise` and `aggressive` of `text` have no effect.
    """
    if text.sentencepiece is not None:
        return RawText()
    if text.join == "reversible":
        return Reversible(Chinese(text.chinese).tokenize if language == "zh" else None)
    return Chinese(text.chinese) if language == "zh" else Moses(language, text.normalise, text.aggressive)
