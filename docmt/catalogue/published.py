"""Counts that papers state of a corpus, in the form in which they print them.

`41,341` is exact; `9K` and `0.21M` are rounded. Some counts are computed only by a later stage, after it has cut the
documents; they are in that stage's cards.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from docmt.base.checks import BadValue, need, setting
from docmt.base.paths import CHAINS, VIEW, WORDS, Folder

NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)([KM]?)")
"""The form of a printed number."""
UNITS = {"": 1, "K": 1_000, "M": 1_000_000}
"""The factor of each suffix of a printed number."""


@dataclass(frozen=True)
class Stated:
    """A printed number.

    `text` is its printed form, `value` its value, and `half` is half a unit of its last digit (0 = the number is
    exact).
    """

    text: str
    value: float
    half: float

    def covers(self, count: float) -> bool:
        """Return whether `count` becomes the printed number when it is rounded to the same digit."""
        return abs(count - self.value) <= self.half * (1 + 1e-9)  # 1e-9: 0.5 units may be rounded below in binary


def stated(printed: int | float | str) -> Stated:
    """Read a number as papers print it.

    Raises ValueError for anything else.
    """
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
    """The counts that a paper states of one split, or of one contrastive set, as printed; none = not stated."""

    documents: Any = setting(None, "documents")
    sentences: Any = setting(None, "sentence pairs")
    instances: Any = setting(None, "parts of documents, cut at a number of tokens; items of a contrastive set")
    sentences_per_instance: Any = setting(None, "sentences of an instance, on average")
    tokens_per_instance: Any = setting(None, "tokens of an instance, on average")
    words_in_chains_percent: Any = setting(None, "source words in lexical chains, in percent of all")
    words_per_chain: Any = setting(None, "words of a lexical chain, on average")
    chains_per_document: Any = setting(None, "lexical chains of a document, on average")

    def __post_init__(self) -> None:
        """Check that each count is a number as papers print it, and that there is one at least."""
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
        """The name and the printed number of each count that is stated."""
        pairs = [(f.name, getattr(self, f.name)) for f in fields(self)]
        return [(name, printed) for name, printed in pairs if printed is not None]


@dataclass(frozen=True)
class PublishedCounts:
    """The counts that one paper states.

    `paper` is the paper, `place` the place in it, `counts` has the counts by split or contrastive set. `why` explains
    known differences from our counts; its keys are `count`, `split.count` or `split`.
    """

    paper: str
    place: str
    counts: dict[str, StatedCounts]
    why: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that `why` explains only counts that are stated."""
        known = {
            name for split, counts in self.counts.items() for count, _ in counts.items for name in _names(split, count)
        }
        wrong = sorted(self.why.keys() - known)
        need(not wrong, "why", wrong, "names of counts that are stated, such as documents, dev.documents or dev")

    def reason(self, split: str, count: str) -> str | None:
        """Return the reason for which `count` of `split` is known to differ; none where there is no such reason."""
        return next((self.why[name] for name in _names(split, count) if name in self.why), None)


def _names(split: str, count: str) -> tuple[str, str, str]:
    """Return the keys of `why` that hold for a count, the most specific first."""
    return f"{split}.{count}", count, split


@dataclass(frozen=True)
class CountSource:
    """The cards that have a count which reading a corpus does not give, and how to compute the count from a card.

    `folder` is the folder of the stage that counts it. `view` is the view of a split: a pattern of views' names;
    `of_train` is that of the training split. `value` computes the count from the part of a card about one split.
    """

    folder: Folder
    view: str
    of_train: str
    value: Callable[[dict], float]

    def view_of(self, split: str) -> str:
        """Return the pattern of the names of a split's views."""
        return self.of_train if split == "train" else self.view

    def card(self, corpus: str, text: str, view: str) -> str:
        """Return the path of a card, relative to the results folder."""
        return f"{self.folder.part(corpus=corpus, text=text, view=view)}/card.json"


INSTANCES = (VIEW, "tokens512", "tokens512")
"""The cards of instances: G-Transformer has instances of at most 512 tokens."""
IN_CHAINS = (CHAINS, WORDS, "sentences20*")
"""The cards of lexical chains: those of whole documents, and for training those of sub-documents of at most 20
sentences, as the paper counts."""
COUNTS: dict[str, CountSource] = {
    "instances": CountSource(*INSTANCES, lambda card: card["segments"]),
    "sentences_per_instance": CountSource(
        *INSTANCES, lambda card: card["sentences_in_segments"] / max(card["segments"], 1)
    ),
    "words_in_chains_percent": CountSource(*IN_CHAINS, lambda card: card["perc"]),
    "words_per_chain": CountSource(*IN_CHAINS, lambda card: card["avg_k"]),
    "chains_per_document": CountSource(*IN_CHAINS, lambda card: card["avg_m"]),
}
"""The source of each count that a later stage computes."""
UNCLEAR = {"tokens_per_instance": "the paper does not say of which side, and whether <s> and </s> count"}
"""The counts that cannot be compared, and the reason."""
LATER = {*COUNTS, *UNCLEAR}
"""The counts of splits that reading a corpus does not give."""
