"""The case that words most often have, and the words that open sentences.

This module imports nothing of docmt, since `docmt export-model --to ctranslate2` copies it.
"""

from collections.abc import Iterable, Iterator, Mapping

SENTENCE_ENDS = frozenset(".:?!")  # Tokens after which a new sentence begins within a line
OPENINGS = frozenset("([]\"'")
"""Tokens that may precede the first word of a sentence; the closing bracket `]` is in the list of Moses too."""


class FrequentCase:
    """The case that each word most often has inside the sentences of the training text."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        """Find the most frequent case of each word from the counts of the words as written."""
        self.counts = dict(sorted(counts.items()))
        by_frequency = sorted(self.counts, key=lambda word: (self.counts[word], word))
        self._best = {word.lower(): word for word in by_frequency}

    def cased(self, word: str, opens: bool) -> str:
        """Return a token in its most frequent case, or unchanged; `opens` says whether it opens a sentence.

        A token is unchanged where it opens no sentence and training has it as written, or where training has the word
        in no case.
        """
        seen = word in self.counts and not opens
        return word if seen else self._best.get(word.lower(), word)

    def apply(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens of a line, truecased."""
        return [self.cased(word, opens) for word, opens in with_openings(tokens)]

    def restore(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens with the first word of each sentence capitalised."""
        return capitalised(tokens)


def with_openings(tokens: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each token and whether it opens a sentence; a line may have several sentences."""
    opens = True
    for word in tokens:
        yield word, opens
        opens = word in SENTENCE_ENDS or (opens and word in OPENINGS)


def capitalised(tokens: Iterable[str]) -> list[str]:
    """Return the tokens of a line with the first word of each sentence capitalised."""
    return [word[:1].upper() + word[1:] if opens else word for word, opens in with_openings(tokens)]
