"""Counts of a corpus that only a later stage's cards have, once it has cut the documents."""

from collections.abc import Callable
from dataclasses import dataclass

from docmt.base.paths import CHAIN_WORDS, CHAINS, VIEW, Folder


def _card(folder: Folder) -> str:
    return f"{folder.stage}/{folder.places}/card.json"


INSTANCES = _card(VIEW.named("view", "tokens512"))
"""G-Transformer: instances of at most 512 tokens."""
CHAINS_OF_DOCUMENTS = _card(CHAIN_WORDS)
"""Lexical chains of whole documents."""
CHAINS_OF_PARTS = _card(CHAINS.named("view", "sentences20*"))
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
    "words_in_chains_percent": Made(CHAINS_OF_DOCUMENTS, CHAINS_OF_PARTS, lambda card: card["perc"]),
    "words_per_chain": Made(CHAINS_OF_DOCUMENTS, CHAINS_OF_PARTS, lambda card: card["avg_k"]),
    "chains_per_document": Made(CHAINS_OF_DOCUMENTS, CHAINS_OF_PARTS, lambda card: card["avg_m"]),
}
UNCLEAR = {"tokens_per_instance": "the paper does not say of which side, and whether <s> and </s> count"}
"""Counts that cannot be compared, and why."""
LATER = {*COUNTS, *UNCLEAR}
"""Counts of splits that reading a corpus does not give."""


def view_pattern(count: str, split: str) -> str:
    """The folder of the card, as a pattern of names of views; `words` is that of chains of whole documents."""
    return COUNTS[count].of_split(split).split("/")[-2]
