"""How much of a corpus its lexical chains are.

Paper: lexical chains, table 5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Statistics:
    """Counts of one split, added up text by text; a text is a whole document, or a segment of a view."""

    texts: int = 0
    words: int = 0
    chains: int = 0
    words_in_chains: int = 0

    def add(self, words: int, chains: Iterable[Sequence[int]]) -> None:
        """`words`: of the text; `chains`: the places of each of its repeated words."""
        lengths = [len(chain) for chain in chains]
        self.texts += 1
        self.words += words
        self.chains += len(lengths)
        self.words_in_chains += sum(lengths)

    def card(self) -> dict[str, Any]:
        """The counts and table 5's columns: `perc` (of the words, those in chains, in percent), `avg_k` (words of a
        chain) and `avg_m` (chains of a text); 0 where there is nothing to count.
        """
        return {
            "texts": self.texts,
            "words": self.words,
            "chains": self.chains,
            "words_in_chains": self.words_in_chains,
            "perc": 100 * self.words_in_chains / max(self.words, 1),
            "avg_k": self.words_in_chains / max(self.chains, 1),
            "avg_m": self.chains / max(self.texts, 1),
        }
