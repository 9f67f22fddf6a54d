"""What papers state of a corpus, as they print it: `41,341` is exact, `9K` and `0.21M` are rounded.

Some of these counts only the cards of a later stage have, once it has cut the documents.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from docmt.base.checks import BadValue, need, setting
from docmt.base.paths import CHAINS, VIEW, WORDS, Folder

NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)([KM]?)")
UNITS = {"": 1, "K": 1_000, "M": 1_000_000}


@dataclass(frozen=True)
class Stated:
    """A printed number: `value`, give or take `half`, which is half a unit of its last digit (0 = exact)."""

    text: str
    value: float
    half: float

    def covers(self, found: float) -> bool:
        """Whether `found` is what was printed, once it is rounded as that is."""
        return abs(found - self.value) <= self.half * (1 + 1e-9)


def stated(printed: int | float | str) -> Stated:
    """Read a number as papers print it. Raises ValueError for anything else."""
    text = str(printed)
    match = NUMBER.fullmatch(text)
    if match is None or isinstance(printed, bool):
        raise ValueError(text)
    digits, unit = match[1].replace(",", ""), UNITS[match[2]]
    decimals = len(digits.partition(".")[2])
    rounded = unit > 1 or decimals > 0
    return Stated(text, float(digits) * unit, 0.5 * unit / 10**decimals if rounded else 0.0)


@dataclass(frozen=True)
class StatedCounts:
    """What a paper says of one split, or of one contrastive set, as it prints it; none = it does not say."""

    documents: Any = setting(None, "documents")
    sentences: Any = setting(None, "sentence pairs")
    instances: Any = setting(None, "parts of documents, cut at a number of tokens; items of a contrastive set")
    sentences_per_instance: Any = setting(None, "sentences of an instance, on average")
    tokens_per_instance: Any = setting(None, "tokens of an instance, on average")
    words_in_chains_percent: Any = setting(None, "source words in lexical chains, in percent of all")
    words_per_chain: Any = setting(None, "words of a lexical chain, on average")
    chains_per_document: Any = setting(None, "lexical chains of a document, on average")

    def __post_init__(self) -> None:
        for name, printed in self.items:
            try:
                stated(printed)
            except ValueError:
                raise BadValue(
                    name, printed, "a number as the paper prints it, such as 887, 41,341, 9K, 0.21M"
                ) from None
        need(bool(self.items), "documents", "nothing", f"one of {', '.join(f.name for f in fields(self))}")

    @property
    def items(self) -> list[tuple[str, Any]]:
        """Name and printed number of each count that is stated."""
        pairs = [(f.name, getattr(self, f.name)) for f in fields(self)]
        return [(name, printed) for name, printed in pairs if printed is not None]


@dataclass(frozen=True)
class PublishedCounts:
    """The counts of one paper. `why` explains a known difference by `count`, `split.count` or `split`."""

    paper: str
    place: str
    counts: dict[str, StatedCounts]
    why: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {
            name for split, counts in self.counts.items() for count, _ in counts.items for name in _names(split, count)
        }
        wrong = sorted(self.why.keys() - known)
        need(not wrong, "why", wrong, "names of counts that are stated, such as documents, dev.documents or dev")

    def reason(self, split: str, count: str) -> str | None:
        """Why `count` of `split` is known to differ; none where it is not."""
        return next((self.why[name] for name in _names(split, count) if name in self.why), None)


def _names(split: str, count: str) -> tuple[str, str, str]:
    return f"{split}.{count}", count, split


@dataclass(frozen=True)
class CountSource:
    """In whose cards a count stands, and what it is of a split in such a card.

    `folder`: of the stage that counts it; `view`: a pattern of names of views, `of_train`: where training has another.
    """

    folder: Folder
    view: str
    of_train: str
    value: Callable[[dict], float]

    def view_of(self, split: str) -> str:
        return self.of_train if split == "train" else self.view

    def card(self, corpus: str, text: str, view: str) -> str:
        """Its path below the results."""
        return f"{self.folder.part(corpus=corpus, text=text, view=view)}/card.json"


INSTANCES = (VIEW, "tokens512", "tokens512")
"""G-Transformer: instances of at most 512 tokens."""
IN_CHAINS = (CHAINS, WORDS, "sentences20*")
"""Of whole documents; in training the paper counts sub-documents of at most 20 sentences."""
COUNTS: dict[str, CountSource] = {
    "instances": CountSource(*INSTANCES, lambda card: card["segments"]),
    "sentences_per_instance": CountSource(
        *INSTANCES, lambda card: card["sentences_in_segments"] / max(card["segments"], 1)
    ),
    "words_in_chains_percent": CountSource(*IN_CHAINS, lambda card: card["perc"]),
    "words_per_chain": CountSource(*IN_CHAINS, lambda card: card["avg_k"]),
    "chains_per_document": CountSource(*IN_CHAINS, lambda card: card["avg_m"]),
}
UNCLEAR = {"tokens_per_instance": "the paper does not say of which side, and whether <s> and </s> count"}
"""Counts that cannot be compared, and why."""
LATER = {*COUNTS, *UNCLEAR}
"""Counts of splits that reading a corpus does not give."""
