"""How much of a corpus its lexical chains are.

Paper: lexical chains, table 5.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from docmt.base.chains import repeated
from docmt.base.counts import Counts
from docmt.base.names import SPLITS

COUNTED = ("texts", "words", "chains", "words_in_chains")
"""What is counted: a text is a whole document, or a segment of a view."""


def count(lengths: np.ndarray, sizes: np.ndarray) -> dict[str, int]:
    """Of texts with so many words each, and chains with so many members."""
    return dict(zip(COUNTED, map(int, (len(lengths), lengths.sum(), len(sizes), sizes.sum())), strict=True))


def count_texts(texts: Sequence[Sequence[str]], stop_words: frozenset[str]) -> dict[str, int]:
    """Of texts as words, one after another."""
    lengths = np.fromiter(map(len, texts), np.int64)
    return count(lengths, repeated(pa.array(chain.from_iterable(texts), pa.string()), lengths, stop_words)[1])


def cards(counts: Counts) -> dict[str, dict[str, Any]]:
    return {split: card(counts.get(split, {})) for split in SPLITS}


def card(counts: dict[str, int]) -> dict[str, Any]:
    """The counts and table 5's columns: `perc` (of the words, those in chains, in percent), `avg_k` (words of a chain)
    and `avg_m` (chains of a text); 0 where there is nothing to count.
    """
    texts, words, chains, words_in_chains = (counts.get(name, 0) for name in COUNTED)
    return {
        **dict(zip(COUNTED, (texts, words, chains, words_in_chains), strict=True)),
        "perc": 100 * words_in_chains / max(words, 1),
        "avg_k": words_in_chains / max(chains, 1),
        "avg_m": chains / max(texts, 1),
    }
