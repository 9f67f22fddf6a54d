"""Counts that a corpus has only once later stages have cut it: read from the cards that they left under results/."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docmt.core.artifacts import read_json

INSTANCES = "3_views/{corpus}/*/tokens512/card.json"
"""G-Transformer: instances of at most 512 tokens."""
CHAINS = "4_chains/{corpus}/*/words/card.json"
"""Lexical chains of whole documents."""
CHAINS_OF_PARTS = "4_chains/{corpus}/*/sentences20*/card.json"
"""Lexical chains of sub-documents of at most 20 sentences, which the paper counts in training."""


@dataclass(frozen=True)
class Made:
    """Where a count stands, and what it is of a split in that card."""

    cards: str
    of_train: str
    value: Callable[[dict], float]


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


def made_counts(results: Path, corpus: str, split: str, count: str) -> Iterator[tuple[str, float]]:
    """The count in every text that has been made of the corpus: the text's name and the number."""
    made = COUNTS[count]
    pattern = made.of_train if split == "train" else made.cards
    for path in sorted(results.glob(pattern.format(corpus=corpus))):
        card = read_json(path)["splits"].get(split)
        if card:
            yield path.parent.parent.name, made.value(card)


def where_made(results: Path, corpus: str, split: str, count: str) -> str:
    """Where the count would stand, for a person who wants it."""
    made = COUNTS[count]
    pattern = made.of_train if split == "train" else made.cards
    return str(results / pattern.format(corpus=corpus).replace("*", "<text>", 1).replace("*", ""))
