"""Casing of tokens (keep, lower or truecase) and the case of a translation for its reader.

A truecased word has the case in which the training corpus has it inside sentences. The truecaser is written here
because sacremoses' changes words in the middle of sentences where Moses' scripts do not. This one gives what Moses'
train-truecaser.perl, truecase.perl and detruecase.perl print (tests/text/test_moses_parity.py).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, dropwhile, pairwise
from pathlib import Path

from docmt.base.artifacts import read_json, write_json
from docmt.base.errors import UserError
from docmt.settings.data import TextConfig

SENTENCE_ENDS = frozenset(".:?!")
"""Tokens after which a new sentence opens within a line."""
OPENINGS = frozenset("([]\"'")
"""Tokens that may precede the first word of a sentence. The closing bracket is in Moses' list too."""


class KeepCase:
    """The casing that changes nothing; the other kinds of casing have the same methods."""

    def cased(self, word: str, opens: bool) -> str:
        """Return a token in the case of this casing; `opens`: whether the token opens a sentence (`with_openings`)."""
        return word

    def apply(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens of a line in the case of this casing."""
        return list(tokens)

    def restore(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens in the case for a reader; a lower-cased text stays lower-cased."""
        return list(tokens)


class LowerCase(KeepCase):
    """The casing that lower-cases all tokens, which cannot be undone."""

    def cased(self, word: str, opens: bool) -> str:
        """Return the token in lower case, whether it opens a sentence or not."""
        return word.lower()

    def apply(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens of a line in lower case."""
        return [token.lower() for token in tokens]


class Truecaser(KeepCase):
    """The casing that writes a sentence's first word, and words never seen as written, in their most frequent case.

    `counts`: for each word, as written, its number of occurrences inside sentences (`words_with_known_case`).
    Departs: where two cases are equally frequent, Moses takes either one (by the order of a hash table). This class
    takes the last in code points, which is the one with fewer capitals.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        """Find the most frequent case of each word from the counts of the words as written."""
        self.counts = dict(sorted(counts.items()))
        by_frequency = sorted(self.counts, key=lambda word: (self.counts[word], word))
        self._best = {word.lower(): word for word in by_frequency}

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        """Learn the cases from tokenised sentences."""
        return cls(Counter(chain.from_iterable(map(words_with_known_case, sentences))))

    def cased(self, word: str, opens: bool) -> str:
        """Return a token in its most frequent case, or unchanged.

        A token that opens no sentence, and that training has as written, is unchanged; so is an unknown word.
        """
        seen = word in self.counts and not opens
        return word if seen else self._best.get(word.lower(), word)

    def apply(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens of a line in their true case."""
        return [self.cased(word, opens) for word, opens in with_openings(tokens)]

    def restore(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens with the first word of each sentence capitalised."""
        return [word[:1].upper() + word[1:] if opens else word for word, opens in with_openings(tokens)]

    def save(self, path: Path | str) -> None:
        """Write the counts of the words as JSON."""
        write_json(path, self.counts)

    @classmethod
    def load(cls, path: Path | str) -> "Truecaser":
        """Read what `save` wrote.

        Raises UserError where the file is missing or holds anything but counts of words.
        """
        counts = read_json(path)
        if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
            raise UserError("not a truecase model of docmt", where=str(path), expected="counts of words")
        return cls(counts)


def has_case(word: str) -> bool:
    """Return whether a word has letters that can be upper or lower case."""
    return word.lower() != word.upper()


def with_openings(tokens: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each token with whether it opens a sentence; a line may hold several sentences."""
    opens = True
    for word in tokens:
        yield word, opens
        opens = word in SENTENCE_ENDS or (opens and word in OPENINGS)


def words_with_known_case(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words from which a truecaser learns: all words with letters of two cases that open no sentence.

    The first word of a sentence is capitalised whatever its case is elsewhere.
    """
    opened = dropwhile(OPENINGS.__contains__, tokens)
    return (word for before, word in pairwise(opened) if before not in SENTENCE_ENDS and has_case(word))


def learns_case(config: TextConfig, language: str) -> bool:
    """Return whether the case of a side is learnt from its training text.

    Chinese is not truecased: it has no capitals, and its few Latin words open no sentence from which to learn.
    """
    return config.case == "truecase" and language != "zh"


def casing_of(config: TextConfig, language: str, truecaser: Callable[[], Truecaser]) -> KeepCase:
    """Return the casing of a side; `truecaser` is called for the learnt cases where the side has them."""
    if learns_case(config, language):
        return truecaser()
    return LowerCase() if config.case == "lower" else KeepCase()
