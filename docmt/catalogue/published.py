"""Counts of a corpus that papers state, such as the number of its documents, in the form in which they are printed.

`41,341` is exact; `9K` and `0.21M` are rounded. Some counts, such as the number of instances, do not follow from the
corpus alone: a later stage computes them and writes them to its `card.json`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from docmt.base.checks import BadValue, Checked, in_schema, need, needed, section, setting, within
from docmt.base.paths import CHAIN_WORDS, CHAINS, TOKENS, VIEW, Folder
from docmt.base.vocabulary import SPECIALS

NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)([KM]?)")  # The form of a printed number.
ANY = "*"  # The pattern of every view.
UNITS = {"": 1, "K": 1_000, "M": 1_000_000}  # The factor of each suffix of a printed number.


@dataclass(frozen=True)
class Stated:
    """A printed number.

    `text` is the printed form, `value` the value of the number. `half` is half a unit of the last printed digit, or 0
    where the number is exact.
    """

    text: str
    value: float
    half: float

    def covers(self, count: float) -> bool:
        """Return whether `count` becomes the printed number when it is rounded to the same digit."""
        return abs(count - self.value) <= self.half * (1 + 1e-9)  # 1e-9 covers the rounding of `half`


def stated(printed: int | float | str) -> Stated:
    """Read a number in the form in which papers print it. Raises ValueError for a value of any other form."""
    text = str(printed)
    match = NUMBER.fullmatch(text)
    if match is None or isinstance(printed, bool):
        raise ValueError(text)
    digits, unit = match[1].replace(",", ""), UNITS[match[2]]
    decimals = len(digits.partition(".")[2])
    rounded = unit > 1 or decimals > 0
    return Stated(text, float(digits) * unit, 0.5 * unit / 10**decimals if rounded else 0.0)


Printed = int | float | str  # A number in the form in which a paper prints it.


@in_schema(minimum=0, pattern=f"^{NUMBER.pattern}$")
def need_number(name: str, printed: Printed) -> None:
    """Raise BadValue where `printed` is not a number as papers print it."""
    try:
        stated(printed)
    except ValueError:
        raise BadValue(name, printed, "a number as the paper prints it, such as 887, 41,341, 9K, 0.21M") from None


@dataclass(frozen=True)
class StatedCounts(Checked):
    """The printed counts that a paper states of one split or one contrastive set; None = the paper states no number."""

    documents: Printed | None = setting(None, "number of documents", need_number)
    sentences: Printed | None = setting(None, "number of sentence pairs", need_number)
    instances: Printed | None = setting(
        None, "instances: parts of documents of at most a number of tokens; of a contrastive set its items", need_number
    )
    sentences_per_instance: Printed | None = setting(None, "mean number of sentences of an instance", need_number)
    tokens_per_instance: Printed | None = setting(None, "mean number of tokens of an instance", need_number)
    words_in_chains_percent: Printed | None = setting(
        None, "source words in lexical chains, in percent of all source words", need_number
    )
    words_per_chain: Printed | None = setting(None, "mean number of words of a lexical chain", need_number)
    chains_per_document: Printed | None = setting(None, "mean number of lexical chains of a document", need_number)
    source_vocabulary: Printed | None = setting(
        None, "of the training split: pieces of the source vocabulary, no special symbols", need_number
    )
    target_vocabulary: Printed | None = setting(
        None, "of the training split: pieces of the target vocabulary, no special symbols", need_number
    )

    def __post_init__(self) -> None:
        """Raise BadValue where no count is stated."""
        super().__post_init__()
        need(bool(self.items), "documents", "nothing", f"one of {', '.join(f.name for f in fields(self))}")

    @property
    def items(self) -> list[tuple[str, Any]]:
        """The name and the printed number of each count that is stated."""
        pairs = [(f.name, getattr(self, f.name)) for f in fields(self)]
        return [(name, printed) for name, printed in pairs if printed is not None]


@dataclass(frozen=True)
class PublishedCounts:
    """The counts that one paper states.

    `paper` names the paper, and `place` the table or section with the counts. `counts` has the counts by split or
    contrastive set. `why` has the reasons of known differences from our counts; its keys are the name of a count, of a
    split, or `split.count`.
    """

    paper: str = needed("name of the paper")
    place: str = needed("the table or section with the counts")
    counts: dict[str, StatedCounts] = needed("counts by split, or by contrastive set")
    why: dict[str, str] = section(dict, "why our count differs, by the name of a count, of a split, or `split.count`")

    def __post_init__(self) -> None:
        """Raise BadValue where `why` explains a count that is not stated."""
        known = {
            name for split, counts in self.counts.items() for count, _ in counts.items for name in _names(split, count)
        }
        wrong = sorted(self.why.keys() - known)
        need(not wrong, "why", wrong, "names of counts that are stated, such as documents, dev.documents or dev")

    def reason(self, split: str, count: str) -> str | None:
        """Return why our number for `count` of `split` differs from the paper's; None where no reason is stated."""
        return next((self.why[name] for name in _names(split, count) if name in self.why), None)


@dataclass(frozen=True)
class StatedPart(Checked):
    """A part of a training split whose documents are of one kind, such as sentence pairs or groups of four sentences.

    The numbers have the form in which papers print them. The time of a training is estimated from them until stage 2
    has counted.
    """

    documents: Printed = needed("documents of the part", need_number)
    sentences: Printed = needed("sentence pairs of the part", need_number)
    pieces: float | None = setting(
        None,
        "mean number of target pieces of a sentence; none = as stated for instances, or a guess",
        within("more than 0, or none", exclusiveMinimum=0),
    )

    def __post_init__(self) -> None:
        """Raise BadValue where there are fewer sentences than documents."""
        super().__post_init__()
        fewest = stated(self.documents).value
        need(stated(self.sentences).value >= fewest > 0, "sentences", self.sentences, "at least one in each document")


def _names(split: str, count: str) -> tuple[str, str, str]:
    """Return the keys of `why` that may explain a count, the most specific key first."""
    return f"{split}.{count}", count, split


@dataclass(frozen=True)
class CountSource:
    """The source of a count that a later stage computes: the cards with the count, and how to read it from a card.

    `folder` is the folder of the stage. `view` is a pattern for the name of the view whose card has the count of dev,
    test and contrastive sets; `of_train` is the pattern for the training split. `values` has the possible readings of
    the count: functions that compute the count of a split from a card, and return None where the card has no such
    split. The key of a function describes the reading; it is empty where the count has one reading. `unclear` says what
    a paper with several possible readings leaves open.
    """

    folder: Folder
    view: str
    of_train: str
    values: Mapping[str, Callable[[dict, str], float | None]]
    unclear: str = ""

    def view_of(self, split: str) -> str:
        """Return the pattern for the name of the view whose card has the counts of a split."""
        return self.of_train if split == "train" else self.view

    def place(self, corpus: str, text: str, split: str) -> str:
        """Return the place, below the folder of results, of the outputs that have the counts of a split: a pattern."""
        view = self.view_of(split)
        return (CHAIN_WORDS if view == WORDS else self.folder).part(corpus=corpus, text=text, view=view)


def of_split(value: Callable[[dict], float]) -> Callable[[dict, str], float | None]:
    """Return a function from a card and a split to `value` of the part of the card about the split, if it has one."""

    def value_of_split(card: dict, split: str) -> float | None:
        part = card["splits"].get(split)
        return value(part) if part else None

    return value_of_split


def _per_segment(part: dict, side: str, of_sentence: int) -> float:
    """Return the mean pieces of a side over the segments of a split; `side` is empty where no pieces count."""
    pieces = part[side]["pieces"] if side else 0
    return (pieces + of_sentence * part["sentences_in_segments"]) / max(part["segments"], 1)


def of_vocabulary(side: str) -> Callable[[dict, str], float | None]:
    """Return a function from a card of stage 2 and a split to the size of the side's vocabulary."""
    # Only the training split has a vocabulary. The size in the card includes the special symbols, which papers may
    # count in part or not at all; here they are subtracted.
    return lambda card, split: card["vocabulary"][side] - len(SPECIALS) if split == "train" else None


# The pattern, in the place of one for views, of the chains of whole documents by words, which need no view.
WORDS = "words"
# The source of the counts of instances: the view with instances of at most 512 tokens, as in G-Transformer.
INSTANCES = (VIEW, "tokens512", "tokens512")
IN_CHAINS = (CHAINS, WORDS, "sentences20*")
"""The source of the counts of lexical chains: the chains of whole documents and, for the training split, the chains of
sub-documents of at most 20 sentences, as the paper counts them."""
IN_TEXT = (TOKENS, ANY, ANY)  # The source of the sizes of vocabularies: the text, which needs no view.
# The source of each count that does not follow from the corpus alone: a later stage computes it.
COUNTS: dict[str, CountSource] = {
    "instances": CountSource(*INSTANCES, {"": of_split(lambda part: part["segments"])}),
    "sentences_per_instance": CountSource(*INSTANCES, {"": of_split(lambda part: _per_segment(part, "", 1))}),
    "tokens_per_instance": CountSource(
        *INSTANCES,
        {
            f"{side} pieces{with_symbols}": of_split(partial(_per_segment, side=side, of_sentence=symbols))
            for with_symbols, symbols in (("", 0), (", <s> and </s>", 2))
            for side in ("source", "target")
        },
        "the paper does not say of which side, and whether <s> and </s> count; the larger side of each sentence, by "
        "which instances are cut, has at least as many pieces",
    ),
    "words_in_chains_percent": CountSource(*IN_CHAINS, {"": of_split(lambda part: part["perc"])}),
    "words_per_chain": CountSource(*IN_CHAINS, {"": of_split(lambda part: part["avg_k"])}),
    "chains_per_document": CountSource(*IN_CHAINS, {"": of_split(lambda part: part["avg_m"])}),
    "source_vocabulary": CountSource(*IN_TEXT, {"": of_vocabulary("source")}),
    "target_vocabulary": CountSource(*IN_TEXT, {"": of_vocabulary("target")}),
}


def readings_of(count: str) -> tuple[str, ...]:
    """Return the descriptions of the possible readings of a count; one empty text where it has one reading."""
    return tuple(COUNTS[count].values) if count in COUNTS else ("",)
