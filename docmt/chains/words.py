"""The words behind ids, and how many pieces each word has.

`@@` ends a BPE piece that the next one continues, and opens a pretrained tokenizer's piece that continues the one
before.
"""

from collections.abc import Sequence

from docmt.core.vocabulary import CONTINUES, SPECIALS, UNK, Vocabulary

Words = tuple[list[str], list[int]]
"""Words, and how many pieces each of them has."""


def words_of_ids(ids: Sequence[int], vocabulary: Vocabulary) -> Words:
    """From a sentence's ids, where nothing else is known of it.

    A piece outside the vocabulary ends its word: whether it went on is lost with it.
    """
    pieces = vocabulary.decode(ids)
    counts = _piece_counts(pieces)
    words, start = [], 0
    for count in counts:
        parts = (piece.removeprefix(CONTINUES).removesuffix(CONTINUES) for piece in pieces[start : start + count])
        words.append("".join(parts))
        start += count
    return words, counts


def is_unknown(word: str) -> bool:
    """Whether a word of `words_of_ids` holds `<unk>`, and so may stand for any word. No token does."""
    return SPECIALS[UNK] in word


def _piece_counts(pieces: Sequence[str]) -> list[int]:
    """Of each word; a last piece that would continue ends there, a first one opens a word."""
    counts, is_open = [], False
    for piece in pieces:
        if counts and (is_open or piece.startswith(CONTINUES)):
            counts[-1] += 1
        else:
            counts.append(1)
        is_open = piece.endswith(CONTINUES)
    return counts
