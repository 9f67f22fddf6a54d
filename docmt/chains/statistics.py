"""How much of a corpus its lexical chains are.

Paper: lexical chains, table 5.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from docmt.base.chains import repeated_words
from docmt.base.counts import Counts
from docmt.base.names import SPLITS

COUNTED = ("texts", "words", "chains", "words_in_chains")
"""What is counted: a text is a whole document, or a segment of a view."""


def count_texts(texts: Iterable[Sequence[str]], stop_words: frozenset[str]) -> dict[str, int]:
    """Of texts as words, one after another."""
    counts = dict.fromkeys(COUNTED, 0)
    for words in texts:
        chains = repeated_words(words, stop_words).values()
        for name, number in zip(COUNTED, (1, len(words), len(chains), sum(map(len, chains))), strict=True):
            counts[name] += number
    return counts


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
