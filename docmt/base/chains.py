"""What a lexical chain is: the places of a word that a text repeats.

Paper: lexical chains, section 3 (S = (a_k, b_k), k = 1..K) and appendix A.

`@@` ends a BPE piece that the next one continues, and opens a pretrained tokenizer's piece that continues the one
before.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain

from docmt.base.vocabulary import CONTINUES

Words = tuple[list[str], list[int]]
"""Words, and how many pieces each of them has."""


def repeated_words(words: Iterable[str], stop_words: frozenset[str]) -> dict[str, list[int]]:
    """The places of each word that occurs two or more times and is no stop word, by first occurrence.

    Words are compared as they are: cased as stage 2 cased them, and before BPE, so that two words never share a chain.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if word not in stop_words:
            places.setdefault(word, []).append(place)
    return {word: found for word, found in places.items() if len(found) > 1}


def chains_of_pieces(repeated: Mapping[str, Sequence[int]], piece_counts: Iterable[int]) -> tuple[list[int], list[int]]:
    """`repeated_words` as chains of pieces: a word of p pieces gives p chains, one for each piece's number in it.

    `piece_counts`: of every word of the text. Returns the members, places of pieces in the whole text, chain after
    chain in the order of their first members, and how many members each chain has.
    """
    starts = list(accumulate(piece_counts, initial=0))
    members: list[int] = []
    lengths: list[int] = []
    for places in repeated.values():
        first = places[0]
        for piece in range(starts[first + 1] - starts[first]):
            members += [starts[place] + piece for place in places]
            lengths.append(len(places))
    return members, lengths


def chains_of(
    words: Sequence[Sequence[str]], piece_counts: Sequence[Sequence[int]], stop_words: frozenset[str]
) -> tuple[list[int], list[int]]:
    """The lexical chains of a text, be it a document or a segment of one, as (members, lengths).

    `words`: of each sentence; `piece_counts`: how many BPE pieces each of them has. See `chains_of_pieces`.
    """
    repeated = repeated_words(chain.from_iterable(words), stop_words)
    return chains_of_pieces(repeated, chain.from_iterable(piece_counts))


def words_of_pieces(pieces: Sequence[str]) -> Words:
    """The words that pieces make, marks of continuation left out."""
    words, start = [], 0
    counts = count_pieces(pieces)
    for count in counts:
        parts = (piece.removeprefix(CONTINUES).removesuffix(CONTINUES) for piece in pieces[start : start + count])
        words.append("".join(parts))
        start += count
    return words, counts


def count_pieces(pieces: Sequence[str]) -> list[int]:
    """Of each word; a last piece that would continue ends there, a first one opens a word."""
    counts, is_open = [], False
    for piece in pieces:
        if counts and (is_open or piece.startswith(CONTINUES)):
            counts[-1] += 1
        else:
            counts.append(1)
        is_open = piece.endswith(CONTINUES)
    return counts
