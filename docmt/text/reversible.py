"""A tokenizer of any language whose tokens are joined to exactly the text that was cut, but for its white space.

A word is a run of letters, combining marks and digits, with the joiners of Persian and Indic scripts inside; what is
between words is cut into characters as people see them (grapheme clusters). Words are joined by a blank, but where
Chinese characters or Japanese letters meet others. Text that departs from this is marked: `￭` at the side of a token
where no blank is, and the token `▁` for a blank where none would be.

This module imports nothing of docmt, since `docmt export-model --to ctranslate2` copies it.
"""

from collections.abc import Callable, Iterator, Sequence

import regex

NO_BLANK, BLANK = "￭", "▁"
OTHERS = str.maketrans({NO_BLANK: "■", BLANK: "_"})  # What the two marks become where the text itself has them.
_HAN = r"\p{Han}\u3005-\u3007"
_KANA = r"\p{Hiragana}\p{Katakana}\u30fc"
_LETTER = rf"[[\p{{L}}\p{{N}}]--[{_HAN}{_KANA}]]"
_INSIDE = rf"[[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[{_HAN}{_KANA}]]"
_PART = regex.compile(
    rf"(?V1)(?P<han>[{_HAN}]+)|[{_KANA}]+\p{{M}}*|{_LETTER}{_INSIDE}*(?:(?<=\p{{N}})[.,](?=\p{{N}}){_INSIDE}+)*|\X"
)
_WORD = regex.compile(r"[\p{L}\p{N}]")
# Chinese characters, Japanese letters, and their punctuation, between which no blank is.
_WIDE = regex.compile(rf"[{_HAN}{_KANA}\u3000-\u303f\uff00-\uff9f]")
_CONTROL = regex.compile(r"[\p{Cc}\p{Cs}]+")


class Reversible:
    """The tokenizer of a language; `words` cuts a run of Chinese characters, which else is one token."""

    def __init__(self, words: Callable[[str], list[str]] | None = None) -> None:
        """Keep the function."""
        self._words = words

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence; control characters are removed."""
        tokens: list[str] = []
        for chunk in sentence.translate(OTHERS).split():
            parts = [*self._parts(_CONTROL.sub("", chunk))]
            if tokens and parts and not _has_blank(tokens[-1], parts[0]):
                tokens.append(BLANK)
            for number, part in enumerate(parts):
                if number and _has_blank(parts[number - 1], part):
                    # The mark is at the side of what is no word, so that words are the same everywhere.
                    if _WORD.match(part) and not _WORD.match(parts[number - 1]):
                        tokens[-1] += NO_BLANK
                    else:
                        part = NO_BLANK + part
                tokens.append(part)
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Return the plain text of tokens."""
        text, before, is_open = "", "", False
        for token in tokens:
            if token == BLANK:
                text, before = text + " ", ""
                continue
            bare = token.strip(NO_BLANK) or token
            if before and not is_open and not token.startswith(NO_BLANK) and _has_blank(before, bare):
                text += " "
            text, before, is_open = text + bare, bare, token.endswith(NO_BLANK)
        return text.strip()

    def _parts(self, chunk: str) -> Iterator[str]:
        for match in _PART.finditer(chunk):
            if match["han"] and self._words is not None:
                yield from self._words(match[0])
            else:
                yield match[0]


def _has_blank(before: str, after: str) -> bool:
    return not (_WIDE.match(before[-1]) or _WIDE.match(after[0]))
