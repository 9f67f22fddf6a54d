"""Counts of a corpus that only a later stage's cards have, once it has cut the documents."""

from collections.abc import Callable
from dataclasses import dataclass

INSTANCES = "3_views/{corpus}/{text}/tokens512/card.json"
"""G-Transformer: instances of at most 512 tokens."""
CHAINS = "4_chains/{corpus}/{text}/words/card.json"
"""Lexical chains of whole documents."""
CHAINS_OF_PARTS = "4_chains/{corpus}/{text}/sentences20*/card.json"
"""Lexical chains of sub-documents of at most 20 sentences, which the paper counts in training."""


@dataclass(frozen=True)
class Made:
    """Where a count stands, and what it is of a split in that card."""

    cards: str
    of_train: str
    value: Callable[[dict], float]

    def of_split(self, split: str) -> str:
        return self.of_train if split == "train" else self.cards


COUNTS: dict[str, Made] = {
    "instances": Made(INSTANCES, INSTANCES, lambda card: card["segments"]),
    "sentences_per_instance": Made(
        INSTANCES, INSTANCES, lambda card: card["sentences_in_segments"] / max(card["segments"], 1)
    ),
    "words_in_chains_percent": Made(CHAINS, CHAINS_OF_PARTS, lambda card: card["perc"]),
    "words_per_chain": Made(CHAINS, CHAINS_OF_PARTS, lambda card: card["avg_k"]),
    "chains_per_document": Made(CHAINS, CHAINS_OF_PARTS, lambda card: card["avg_m"]),
}
UNCLEAR = {"tokens_per_instance": "the paper does not say of which side, and whether <s> and </s> count"}
"""Counts that cannot be compared, and why."""
LATER = {*COUNTS, *UNCLEAR}
"""Counts of splits that reading a corpus does not give."""


def view_pattern(count: str, split: str) -> str:
    """The folder of the card, as a pattern of names of views; `words` is that of chains of whole documents."""
    return COUNTS[count].of_split(split).split("/")[-2]
