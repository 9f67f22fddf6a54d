"""The lexical chains that LTCR and HHI look at: what a document repeats on its source side.

Paper: lexical chains, appendix A. With the rules' defaults they are the chains of `docmt chains words`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise

from docmt.base.chains import Words, chains_of_pieces, repeated_words, words_of_pieces
from docmt.scoring.stop_lists import cased
from docmt.settings.scoring import ConsistencyConfig


@dataclass(frozen=True)
class Chain:
    """A repeated word of a document. `places`: (sentence, token), sentences counted through all documents."""

    document: str
    places: tuple[tuple[int, int], ...]


def find_chains(
    documents: Sequence[str], lines: Sequence[str], stop_words: frozenset[str], config: ConsistencyConfig
) -> list[Chain]:
    """`documents`: each line's, by name; `lines`: source sentences, of pieces where chains are.

    A word is left out where it is a stop word, or where it has no letter and no digit and the rules say so. A word has
    the same pieces wherever it stands.

    >>> lines = ["A cat .", "the cat .", "a cat"]
    >>> [one.places for one in find_chains(["x", "x", "y"], lines, frozenset({"."}), ConsistencyConfig())]
    [((0, 1), (1, 1))]
    >>> pieces = ["ca@@ ts sit", "all ca@@ ts"]
    >>> [one.places for one in find_chains(["x", "x"], pieces, frozenset(), ConsistencyConfig(chains="pieces"))]
    [((0, 0), (1, 1)), ((0, 1), (1, 2))]
    """
    found, first = [], 0
    for name, group in groupby(zip(documents, lines, strict=True), key=lambda pair: pair[0]):
        sentences = [line.split() for _, line in group]
        places = [(first + number, token) for number, line in enumerate(sentences) for token in range(len(line))]
        for members in _repeated([_words(line, config) for line in sentences], stop_words, config):
            found.append(Chain(name, tuple(places[member] for member in members)))
        first += len(sentences)
    return found


def _words(tokens: list[str], config: ConsistencyConfig) -> Words:
    return words_of_pieces(tokens) if config.chains == "pieces" else (tokens, [1] * len(tokens))


def _repeated(sentences: Sequence[Words], stop_words: frozenset[str], config: ConsistencyConfig) -> list[list[int]]:
    """The members of each chain, as places among the tokens of all sentences."""
    words = [cased(word, config.source_case == "lower") for line, _ in sentences for word in line]
    if not config.source_punctuation:
        stop_words |= {word for word in words if not has_letters(word)}
    counts = chain.from_iterable(counts for _, counts in sentences)
    members, lengths = chains_of_pieces(repeated_words(words, stop_words), counts)
    return [members[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def has_letters(word: str) -> bool:
    """Or digits: whether it is more than punctuation."""
    return any(map(str.isalnum, word))
