"""Statistics of lexical chains: the number of chains, and the share of a corpus' words that are in chains.

Paper: lexical chains, table 5.
"""

from typing import Any

import numpy as np

from docmt.base.names import SPLITS
from docmt.base.shards import Counts

COUNTED = ("texts", "words", "chains", "words_in_chains")
"""The names of the counts: texts, words, chains, and words in chains. A text is a document, or a segment of a view."""


def count(lengths: np.ndarray, sizes: np.ndarray) -> dict[str, int]:
    """Return the counts of texts, words and chains.

    `lengths`: the number of words of each text. `sizes`: the number of members of each chain.
    """
    return dict(zip(COUNTED, map(int, (len(lengths), lengths.sum(), len(sizes), sizes.sum())), strict=True))


def cards(counts: Counts) -> dict[str, dict[str, Any]]:
    """Return the card of each split; a split without counts has a card with zeros."""
    return {split: card(counts.get(split, {})) for split in SPLITS}


def card(counts: dict[str, int]) -> dict[str, Any]:
    """Return the counts, and the columns of table 5 of the paper, which are 0 where there is nothing to count."""
    texts, words, chains, words_in_chains = (counts.get(name, 0) for name in COUNTED)
    return {
        **dict(zip(COUNTED, (texts, words, chains, words_in_chains), strict=True)),
        # The percentage of words that are in chains.
        "perc": 100 * words_in_chains / max(words, 1),
        # The mean number of words of a chain, and of chains of a text.
        "avg_k": words_in_chains / max(chains, 1),
        "avg_m": chains / max(texts, 1),
    }
