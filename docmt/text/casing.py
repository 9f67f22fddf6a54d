"""What happens to the case of tokens, and what is undone in a translation: keep, lower, truecase."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from docmt.settings.data import TextConfig
from docmt.text.truecase import Truecaser, detruecase


class Casing(Protocol):
    def apply(self, tokens: Sequence[str]) -> list[str]: ...

    def cased(self, word: str, opens: bool) -> str:
        """What `apply` makes of a token; `opens`: whether it opens a sentence (`truecase.with_openings`)."""
        ...

    def restore(self, tokens: Sequence[str]) -> list[str]:
        """The case for a reader; what was lowered stays so."""
        ...


class Keep:
    def apply(self, tokens: Sequence[str]) -> list[str]:
        return list(tokens)

    def cased(self, word: str, opens: bool) -> str:
        return word

    restore = apply


class Lower:
    def apply(self, tokens: Sequence[str]) -> list[str]:
        return [token.lower() for token in tokens]

    def cased(self, word: str, opens: bool) -> str:
        return word.lower()

    def restore(self, tokens: Sequence[str]) -> list[str]:
        return list(tokens)


class Truecase:
    def __init__(self, truecaser: Truecaser) -> None:
        self.truecaser = truecaser

    def apply(self, tokens: Sequence[str]) -> list[str]:
        return self.truecaser.apply(tokens)

    def cased(self, word: str, opens: bool) -> str:
        return self.truecaser.cased(word, opens)

    def restore(self, tokens: Sequence[str]) -> list[str]:
        return detruecase(tokens)


def _kind(config: TextConfig, language: str) -> str:
    """Chinese is not truecased: it has no capitals, and the few Latin words in it no sentence starts to learn from."""
    return "keep" if config.case == "truecase" and language == "zh" else config.case


def is_learnt(config: TextConfig, language: str) -> bool:
    """Whether case follows from what training shows."""
    return _kind(config, language) == "truecase"


def learn_casing(config: TextConfig, language: str, shown: Mapping[str, int]) -> Casing:
    """`shown`: counts of `truecase.shown_cases` in the training split, needed where case is learnt."""
    return _casing(config, language, lambda: Truecaser(shown))


def load_casing(config: TextConfig, language: str, path: Path) -> Casing:
    """`path`: the truecase model, where there is one. Raises UserError where it is missing or damaged."""
    return _casing(config, language, lambda: Truecaser.load(path))


def _casing(config: TextConfig, language: str, truecaser: Callable[[], Truecaser]) -> Casing:
    kind = _kind(config, language)
    if kind == "truecase":
        return Truecase(truecaser())
    return Lower() if kind == "lower" else Keep()
