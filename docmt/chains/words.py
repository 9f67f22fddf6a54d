"""The words behind ids, and how many pieces each word has."""

from collections.abc import Sequence

from docmt.base.chains import Words, words_of_pieces
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary


def words_of_ids(ids: Sequence[int], vocabulary: Vocabulary) -> Words:
    """From a sentence's ids, where nothing else is known of it.

    A piece outside the vocabulary ends its word: whether it went on is lost with it.
    """
    return words_of_pieces(vocabulary.decode(ids))


def is_unknown(word: str) -> bool:
    """Whether a word of `words_of_ids` holds `<unk>`, and so may stand for any word. No token does."""
    return SPECIALS[UNK] in word
