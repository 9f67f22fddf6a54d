"""What happens to the case of tokens, and what is undone in a translation: keep, lower, truecase.

A truecased word has the case that it has when it does not open a sentence, learnt from a corpus. The truecaser is our
own, since sacremoses' changes words in the middle of sentences where Moses' scripts do not: this one gives what Moses'
train-truecaser.perl, truecase.perl and detruecase.perl print (a test holds it to them).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, dropwhile, pairwise
from pathlib import Path

from docmt.base.artifacts import read_json, write_json
from docmt.base.errors import UserError
from docmt.settings.data import TextConfig

SENTENCE_ENDS = frozenset(".:?!")
OPENINGS = frozenset("([]\"'")
"""Tokens between the start of a sentence and its first word. The closing bracket is Moses' own list's."""


class KeepCase:
    """No change; the other kinds of casing have the same methods."""

    def cased(self, word: str, opens: bool) -> str:
        """What `apply` makes of a token; `opens`: whether it opens a sentence (`with_openings`)."""
        return word

    def apply(self, tokens: Iterable[str]) -> list[str]:
        return list(tokens)

    def restore(self, tokens: Iterable[str]) -> list[str]:
        """The case for a reader; what was lowered stays so."""
        return list(tokens)


class LowerCase(KeepCase):
    def cased(self, word: str, opens: bool) -> str:
        return word.lower()

    def apply(self, tokens: Iterable[str]) -> list[str]:
        return [token.lower() for token in tokens]


class Truecaser(KeepCase):
    """Gives the first word of a sentence, and words never seen as written, their most frequent case.

    `counts`: the number of occurrences of each word, as written, that do not open a sentence
    (`words_with_known_case`).
    Departs: where two cases are equally frequent Moses takes either (by hash order), we the last in code points,
    which is the one with fewer capitals.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(sorted(counts.items()))
        by_frequency = sorted(self.counts, key=lambda word: (self.counts[word], word))
        self._best = {word.lower(): word for word in by_frequency}

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        """From tokenised sentences."""
        return cls(Counter(chain.from_iterable(map(words_with_known_case, sentences))))

    def cased(self, word: str, opens: bool) -> str:
        seen = word in self.counts and not opens
        return word if seen else self._best.get(word.lower(), word)

    def apply(self, tokens: Iterable[str]) -> list[str]:
        return [self.cased(word, opens) for word, opens in with_openings(tokens)]

    def restore(self, tokens: Iterable[str]) -> list[str]:
        """The first word of every sentence capitalised."""
        return [word[:1].upper() + word[1:] if opens else word for word, opens in with_openings(tokens)]

    def save(self, path: Path | str) -> None:
        write_json(path, self.counts)

    @classmethod
    def load(cls, path: Path | str) -> "Truecaser":
        """Raises UserError where the file is missing or holds anything but counts of words."""
        counts = read_json(path)
        if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
            raise UserError("not a truecase model of docmt", where=str(path), expected="counts of words")
        return cls(counts)


def has_case(word: str) -> bool:
    return word.lower() != word.upper()


def with_openings(tokens: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each token, and whether it opens a sentence (in a line there may be several)."""
    opens = True
    for word in tokens:
        yield word, opens
        opens = word in SENTENCE_ENDS or (opens and word in OPENINGS)


def words_with_known_case(tokens: Sequence[str]) -> Iterator[str]:
    """The words that training counts: without those that open a sentence, which show no case."""
    opened = dropwhile(OPENINGS.__contains__, tokens)
    return (word for before, word in pairwise(opened) if before not in SENTENCE_ENDS and has_case(word))


def learns_case(config: TextConfig, language: str) -> bool:
    """Whether case follows from what training shows.

    Chinese is not truecased: it has no capitals, and the few Latin words in it no sentence starts to learn from.
    """
    return config.case == "truecase" and language != "zh"


def casing_of(config: TextConfig, language: str, truecaser: Callable[[], Truecaser]) -> KeepCase:
    """`truecaser` gives what was learnt, where case is learnt."""
    if learns_case(config, language):
        return truecaser()
    return LowerCase() if config.case == "lower" else KeepCase()
