"""The casing of tokens (keep, lower or truecase), and the case of translations for their readers.

A truecased word has the case that the word most often has inside the sentences of the training corpus. The truecaser is
written here because the truecaser of sacremoses changes words in the middle of sentences where the scripts of Moses do
not. The output is that of Moses' train-truecaser.perl, truecase.perl and detruecase.perl
(tests/text/test_moses_parity.py).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, dropwhile, pairwise
from pathlib import Path

from docmt.base.artifacts import read_json, write_json
from docmt.base.errors import UserError
from docmt.settings.data import TextConfig
from docmt.text.truecase import OPENINGS, SENTENCE_ENDS, FrequentCase


class KeepCase:
    """The casing that changes nothing; the other casings have the same methods."""

    def cased(self, word: str, opens: bool) -> str:
        """Return a token in the case of this casing; `opens` says whether the token opens a sentence."""
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


class Truecaser(FrequentCase, KeepCase):
    """The casing that changes the first word of a sentence, and unknown spellings, to their most frequent case.

    An unknown spelling is a word that training never has in this case inside a sentence. `counts` has, for each word as
    written, the number of occurrences inside sentences (`words_with_known_case`).
    Departs: where two cases of a word are equally frequent, Moses takes either case (by the order of a hash table).
    This class takes the last in code points, which has fewer capital letters. A Greek word in capitals has the spelling
    with a final ς here; Moses lower-cases its last Σ to σ, and knows no such word.
    """

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        """Learn the cases from tokenised sentences."""
        return cls(Counter(chain.from_iterable(map(words_with_known_case, sentences))))

    def save(self, path: Path | str) -> None:
        """Write the counts of the words as JSON."""
        write_json(path, self.counts)

    @classmethod
    def load(cls, path: Path | str) -> "Truecaser":
        """Read the file that `save` wrote.

        Raises UserError where the file is missing, or is no JSON object with counts of words.
        """
        counts = read_json(path)
        if not isinstance(counts, dict) or not all(type(count) is int and count > 0 for count in counts.values()):
            raise UserError("not a truecase model of docmt", where=str(path), expected="counts of words")
        return cls(counts)


def has_case(word: str) -> bool:
    """Return whether a word has letters that can be upper or lower case."""
    return word.lower() != word.upper()


def words_with_known_case(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words from which a truecaser learns: words inside sentences whose letters may be capital or small."""
    # The first word of a sentence is left out, since it has a capital letter whatever its case is elsewhere. A first
    # word that follows a quote or a bracket is left out only at the beginning of the line.
    opened = dropwhile(OPENINGS.__contains__, tokens)
    return (word for before, word in pairwise(opened) if before not in SENTENCE_ENDS and has_case(word))


def learns_case(config: TextConfig, language: str) -> bool:
    """Return whether the case of a side is learnt from the training text of the side."""
    # Chinese is not truecased, since it has no capital letters; the few Latin words in it keep their case.
    return config.case == "truecase" and language != "zh"


def casing_of(config: TextConfig, language: str, truecaser: Callable[[], Truecaser] | None = None) -> KeepCase:
    """Return the casing of a side; the function `truecaser` is needed only where the case of the side is learnt."""
    if learns_case(config, language):
        return truecaser()
    return LowerCase() if config.case == "lower" else KeepCase()
