"""What a lexical chain is: the places of a word that a text repeats.

Paper: lexical chains, section 3 (S = (a_k, b_k), k = 1..K) and appendix A.

A text is a document, or a segment of one. Texts stand one after another: an array of all their words, and how many
words each text has. Chains stand text by text, in the order of their first members, as `members`, places one chain
after another, and `sizes`, how many members each chain has.

`@@` ends a BPE piece that the next one continues, and opens a pretrained tokenizer's piece that continues the one
before.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.runs import places, spans, starts
from docmt.base.vocabulary import CONTINUES, by_frequency

Words = tuple[list[str], list[int]]
"""Words, and how many pieces each of them has."""

Chains = tuple[np.ndarray, np.ndarray]
"""Members and sizes."""


def most_frequent(counts: Mapping[str, int], number: int) -> list[str]:
    """The `number` most frequent words, the most frequent first, ties in the order of code points.

    Our reading: punctuation counts as words, and most of it is among them.
    """
    return by_frequency(counts)[:number]


def repeated(words: pa.Array, lengths: np.ndarray, stop_words: Iterable[str]) -> Chains:
    """The chains of texts: of each word that its text has two or more times and that is no stop word.

    `words`: of all texts, strings or a dictionary of them; members are places among them. `lengths`: words of each.
    Words are compared as they are: cased as stage 2 cased them, and before BPE, so that two words never share a chain.
    """
    coded = words.dictionary_encode()
    codes = coded.indices.to_numpy()
    stopped = pc.is_in(coded.dictionary, pa.array(stop_words, pa.string())).to_numpy(zero_copy_only=False)
    kept = np.flatnonzero(~stopped[codes])
    keys = np.repeat(np.arange(len(lengths)), lengths)[kept] * len(coded.dictionary) + codes[kept]
    order = np.argsort(keys, kind="stable")
    found = kept[order]
    opens = np.flatnonzero(np.diff(keys[order], prepend=-1))
    sizes = np.diff(opens, append=len(found))
    opens, sizes = opens[sizes > 1], sizes[sizes > 1]
    by_place = np.argsort(found[opens])
    return found[spans(opens[by_place], sizes[by_place])], sizes[by_place]


def chains_of_pieces(chains: Chains, piece_counts: np.ndarray) -> Chains:
    """`repeated` words as chains of pieces: a word of p pieces gives p chains, one for each piece's number in it.

    `piece_counts`: of every word of all texts. Members are places among all pieces.
    """
    members, sizes = chains
    opens = starts(sizes)
    pieces = piece_counts[members[opens]]
    of = np.repeat(np.arange(len(sizes)), pieces)
    found = starts(piece_counts)[members[spans(opens[of], sizes[of])]]
    return found + np.repeat(places(pieces), sizes[of]), sizes[of]


def chains_of(
    words: Sequence[Sequence[str]], piece_counts: Sequence[Sequence[int]], stop_words: frozenset[str]
) -> tuple[list[int], list[int]]:
    """The lexical chains of one text, by its pieces.

    `words`: of each sentence; `piece_counts`: how many BPE pieces each of them has. See `chains_of_pieces`.
    """
    text = pa.array(chain.from_iterable(words), pa.string())
    found = repeated(text, np.array([len(text)]), stop_words)
    members, sizes = chains_of_pieces(found, np.fromiter(chain.from_iterable(piece_counts), np.int64))
    return members.tolist(), sizes.tolist()


def words_of_pieces(pieces: Sequence[str], lengths: np.ndarray | None = None) -> Words:
    """The words that pieces make, marks of continuation left out; of sentences with so many pieces, or of one."""
    counts = count_pieces(pa.array(pieces, pa.string()), np.array([len(pieces)]) if lengths is None else lengths)
    parts = (piece.removeprefix(CONTINUES).removesuffix(CONTINUES) for piece in pieces)
    return ["".join(islice(parts, count)) for count in counts.tolist()], counts.tolist()


def count_pieces(pieces: pa.Array, lengths: np.ndarray) -> np.ndarray:
    """Of each word of sentences with so many pieces.

    A last piece that would continue ends there, a first one opens a word.
    """
    marks = (mark(pieces, CONTINUES).to_numpy(zero_copy_only=False) for mark in (pc.starts_with, pc.ends_with))
    continues, is_continued = marks
    opens = ~continues
    opens[1:] &= ~is_continued[:-1]
    opens[starts(lengths)[lengths > 0]] = True
    return np.diff(np.flatnonzero(opens), append=len(pieces))
