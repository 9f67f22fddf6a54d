"""The lexical chains that LTCR and HHI look at: what a document repeats on its source side.

Paper: lexical chains, appendix A. With the rules' defaults they are the chains of `docmt chains words`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise

import numpy as np
import pyarrow as pa

from docmt.base.chains import Words, chains_of_pieces, repeated, words_of_pieces
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
    sentences = [_words(line.split(), config) for line in lines]
    words = [cased(word, config.source_case == "lower") for line, _ in sentences for word in line]
    if not config.source_punctuation:
        stop_words |= {word for word in words if not has_letters(word)}
    counts = np.fromiter(chain.from_iterable(counts for _, counts in sentences), np.int64)
    pairs = groupby(zip(documents, sentences, strict=True), key=lambda pair: pair[0])
    lengths = np.array([sum(len(line) for _, (line, _) in group) for _, group in pairs])
    members, sizes = chains_of_pieces(repeated(pa.array(words, pa.string()), lengths, stop_words), counts)
    places = [(number, token) for number, (_, own) in enumerate(sentences) for token in range(sum(own))]
    found = [places[member] for member in members.tolist()]
    ends = accumulate(sizes.tolist(), initial=0)
    return [Chain(documents[found[start][0]], tuple(found[start:end])) for start, end in pairwise(ends)]


def _words(tokens: list[str], config: ConsistencyConfig) -> Words:
    return words_of_pieces(tokens) if config.chains == "pieces" else (tokens, [1] * len(tokens))


def has_letters(word: str) -> bool:
    """Or digits: whether it is more than punctuation."""
    return any(map(str.isalnum, word))
