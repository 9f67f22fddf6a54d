"""What happens to the case of tokens, and what is undone in a translation: keep, lower, truecase."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from docmt.core.config import TextConfig
from docmt.text.truecase import Truecaser, detruecase


class Casing(Protocol):
    def apply(self, tokens: Sequence[str]) -> list[str]: ...

    def restore(self, tokens: Sequence[str]) -> list[str]:
        """The case for a reader; what was lowered stays so."""
        ...


class Keep:
    def apply(self, tokens: Sequence[str]) -> list[str]:
        return list(tokens)

    restore = apply


class Lower:
    def apply(self, tokens: Sequence[str]) -> list[str]:
        return [token.lower() for token in tokens]

    def restore(self, tokens: Sequence[str]) -> list[str]:
        return list(tokens)


class Truecase:
    def __init__(self, truecaser: Truecaser) -> None:
        self.truecaser = truecaser

    def apply(self, tokens: Sequence[str]) -> list[str]:
        return self.truecaser.apply(tokens)

    def restore(self, tokens: Sequence[str]) -> list[str]:
        return detruecase(tokens)


def _kind(config: TextConfig, language: str) -> str:
    """Chinese is not truecased: it has no capitals, and the few Latin words in it no sentence starts to learn from."""
    return "keep" if config.case == "truecase" and language == "zh" else config.case


def learn_casing(config: TextConfig, language: str, sentences: Iterable[Sequence[str]]) -> Casing:
    """`sentences`: tokens of the training split, needed where a truecaser is learnt."""
    kind = _kind(config, language)
    if kind == "truecase":
        return Truecase(Truecaser.train(sentences))
    return Lower() if kind == "lower" else Keep()


def load_casing(config: TextConfig, language: str, path: Path) -> Casing:
    """`path`: the truecase model, where there is one. Raises UserError where it is missing or damaged."""
    kind = _kind(config, language)
    if kind == "truecase":
        return Truecase(Truecaser.load(path))
    return Lower() if kind == "lower" else Keep()
