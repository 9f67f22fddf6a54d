"""The tokenizer of Chinese: words by jieba, or single characters.

This module, `docmt.text.moses` and `docmt.text.truecase` import nothing of docmt, since `docmt export-model --to
ctranslate2` copies them.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ranges of Chinese characters, for use within the brackets of a regular expression."""
_CHARACTERS = re.compile(rf"[{HAN}]|[^\W_{HAN}]+|\S")
_NEEDLESS_SPACE = re.compile(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])")


class Chinese:
    """The tokenizer of Chinese into words (by jieba) or characters; a run of Latin letters or digits is one token."""

    def __init__(self, segmenter: str) -> None:
        """Choose the segmenter, "jieba" or "characters"; the dictionary of jieba is read when it is first needed."""
        self._segmenter = segmenter

    @cached_property
    def _cut(self) -> Callable[[str], list[str]]:
        # Loaded for the first sentence: the dictionary of jieba takes a second and 100 MB, and a process that only
        # detokenizes does not need it.
        return _CHARACTERS.findall if self._segmenter == "characters" else _jieba()

    def tokenize(self, sentence: str) -> list[str]:
        """Return the words or characters of a sentence, without white space."""
        return [token for piece in self._cut(sentence) for token in piece.split()]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Join tokens without spaces, but for a space between two tokens of Latin letters or digits."""
        return _NEEDLESS_SPACE.sub("", " ".join(tokens))


@cache
def _jieba() -> Callable[[str], list[str]]:
    import jieba

    # The dictionary is read from the package. The loader of jieba would prefer a cache in the common temporary folder,
    # which another version of jieba or another user may have written.
    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter.lcut
