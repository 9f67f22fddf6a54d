"""Lexical chains: a chain is the list of the places at which a text has the same word.

Paper: lexical chains, section 3 (S = (a_k, b_k), k = 1..K) and appendix A.

In this module a text is a document, or a segment of a document. Several texts are given as one array of all their
words, text after text, and the number of words of each text. Chains are ordered by text, and within a text by their
first member. The chains of all texts are a ragged array: a list for each chain, of the places of the words.

`@@` at the end of a BPE piece means that the next piece continues the word. A pretrained tokenizer's piece that
continues a word has `@@` at its start instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.ragged import Ragged, places, starts
from docmt.base.vocabulary import CONTINUES, by_frequency

Words = tuple[list[str], list[int]]  # Words, and the number of pieces of each word.


def most_frequent(counts: Mapping[str, int], number: int) -> list[str]:
    """Return the `number` most frequent words, the most frequent first; ties are in the order of code points.

    Our reading of the paper: punctuation marks count as words, and most of them are among the most frequent words.
    """
    return by_frequency(counts)[:number]


def repeated(words: pa.Array, lengths: np.ndarray, stop_words: Iterable[str]) -> Ragged:
    """Return the lexical chains of texts: a chain for each word that its text repeats and that is no stop word.

    `words` has the words of all texts, as strings or dictionary-encoded; members are places in it. `lengths` is the
    number of words of each text. Words are compared with the case that stage 2 gave them, and before BPE, so that two
    different words never share a chain.
    """
    import polars as pl  # a fifth of a second, which readers of this file's other functions need not wait for

    frame = pl.DataFrame({"text": np.repeat(np.arange(len(lengths)), lengths), "word": pl.from_arrow(words)})
    candidates = frame.with_row_index("place").filter(~pl.col("word").is_in(list(stop_words)))
    by_word = candidates.group_by("text", "word", maintain_order=True).agg("place")["place"]
    chains = by_word.filter(by_word.list.len() > 1)
    return Ragged.of(*(part.to_numpy().astype(np.int64) for part in (chains.explode(), chains.list.len())))


def chains_of_pieces(chains: Ragged, piece_counts: np.ndarray) -> Ragged:
    """Convert chains of words to chains of pieces: the chain of a word of p pieces gives p chains, one for each piece.

    `piece_counts` is the number of pieces of every word of all texts. Members of the result are places among all
    pieces.
    """
    pieces = piece_counts[chains.values[chains.starts]]  # all members of a chain are the same word
    of_word = chains.take(np.repeat(np.arange(len(chains)), pieces))
    members = starts(piece_counts)[of_word.flat()] + np.repeat(places(pieces), of_word.lengths)
    return Ragged.of(members, of_word.lengths)


def chains_of(
    words: Sequence[Sequence[str]], piece_counts: Sequence[Sequence[int]], stop_words: frozenset[str]
) -> tuple[list[int], list[int]]:
    """Return the lexical chains of one text as chains of pieces: members and sizes (`chains_of_pieces`).

    `words` has the words of each sentence, `piece_counts` the number of BPE pieces of each word.
    """
    text = pa.array(chain.from_iterable(words), pa.string())
    word_chains = repeated(text, np.array([len(text)]), stop_words)
    chains = chains_of_pieces(word_chains, np.fromiter(chain.from_iterable(piece_counts), np.int64))
    return chains.flat().tolist(), chains.lengths.tolist()


def words_of_pieces(pieces: Sequence[str], lengths: np.ndarray | None = None) -> Words:
    """Join pieces to words, without their marks of continuation.

    `lengths` is the number of pieces of each sentence; without it all pieces are one sentence.
    """
    counts = count_pieces(pa.array(pieces, pa.string()), np.array([len(pieces)]) if lengths is None else lengths)
    parts = (piece.removeprefix(CONTINUES).removesuffix(CONTINUES) for piece in pieces)
    return ["".join(islice(parts, count)) for count in counts.tolist()], counts.tolist()


def count_pieces(pieces: pa.Array, lengths: np.ndarray) -> np.ndarray:
    """Return the number of pieces of each word; `lengths` is the number of pieces of each sentence."""
    marks = (mark(pieces, CONTINUES).to_numpy(zero_copy_only=False) for mark in (pc.starts_with, pc.ends_with))
    continues, is_continued = marks
    opens = ~continues
    opens[1:] &= ~is_continued[:-1]
    # The first piece of a sentence starts a word, whatever the marks say.
    opens[starts(lengths)[lengths > 0]] = True
    return np.diff(np.flatnonzero(opens), append=len(pieces))
