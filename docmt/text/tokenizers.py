"""From a sentence to tokens and back: Moses for languages that write spaces, jieba or characters for Chinese.

No tokenizer here gives a special symbol or a token that ends like an unfinished piece: all of them cut at `<`, `>`
and `@` (a test holds them to it), so that text cannot pass for a symbol of ours.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Protocol

from docmt.settings.data import TextConfig
from docmt.text.moses import Moses

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTERS = re.compile(rf"[{HAN}]|[^\W_{HAN}]+|\S")
_NEEDLESS_SPACE = re.compile(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])")


class Tokenizer(Protocol):
    """Tokens hold no white space; a sentence of nothing but white space and control characters has none."""

    def tokenize(self, sentence: str) -> list[str]: ...

    def detokenize(self, tokens: Sequence[str]) -> str: ...


class Chinese:
    """Words by jieba, or single characters (a run of Latin letters or digits is one token).

    Joined again without spaces, except between two tokens of Latin letters or digits, which would run together.
    """

    def __init__(self, segmenter: str) -> None:
        self._segmenter = segmenter

    @cached_property
    def _cut(self) -> Callable[[str], list[str]]:
        """jieba's dictionary takes a second and 100 MB, which who only joins tokens does not need."""
        return _CHARACTERS.findall if self._segmenter == "characters" else _jieba()

    def tokenize(self, sentence: str) -> list[str]:
        return [token for piece in self._cut(sentence) for token in piece.split()]

    def detokenize(self, tokens: Sequence[str]) -> str:
        return _NEEDLESS_SPACE.sub("", " ".join(tokens))


@cache
def _jieba() -> Callable[[str], list[str]]:
    """jieba's segmentation (with its HMM for unknown words), the dictionary read from the package itself.

    jieba would rather read a cache in the common temporary folder, which may be that of another version or user.
    """
    import jieba

    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter.lcut


def tokenizer_for(language: str, text: TextConfig) -> Tokenizer:
    """`language`: an ISO 639-1 code. Punctuation and hyphens of Chinese stay as they are, whatever `text` says."""
    return Chinese(text.chinese) if language == "zh" else Moses(language, text.normalise, text.aggressive)
