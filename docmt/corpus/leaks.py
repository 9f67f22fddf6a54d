"""The text that splits share: documents, sentence pairs and source sentences of dev and test that are in another split.

Each split is compared with the splits before it in the order train, dev, test, and contrastive items with train. Text
is compared as it is after reading, character by character, and folded (`docmt.corpus.folding`), by 64-bit hashes that
are collected while the documents pass. A split takes 32 bytes for each sentence pair and, for each document of several
sentences, 24 bytes and the bytes of its name; the arrays may have room for an eighth more. 6 million pairs therefore
take about 220 MB, and a comparison 30 MB more. Two different texts of such a corpus and a test split of 20,000
sentences have the same hash by chance once in 50 million corpora.
"""

import dataclasses
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

import numpy as np

from docmt.base.errors import quoted
from docmt.base.names import SPLITS
from docmt.catalogue.corpus import MostShared
from docmt.catalogue.held_out import TRAIN
from docmt.corpus.folding import fold
from docmt.corpus.inputs import ContrastiveItem, Document, Problems, SideText

HASHES_AT_ONCE = 1_000_000  # The number of hashes that are compared at once, which limits the memory of a comparison
FIRST_PAIRS = 3  # The number of shared pairs whose places are told

Sides = tuple[Sequence[str], Sequence[str]]
"""The source and the target sentences of documents."""


class Hashes:
    """The hashes of text, to which documents are added one by one."""

    def __init__(self) -> None:
        """Start with no documents."""
        self.pairs = array("q")  # The hash of each sentence pair
        self.sources = array("q")  # The hash of each source sentence
        self.documents = array("q")
        """The hash of each document of several sentences; a document of one sentence counts as a pair alone."""

    def add(self, lengths: Sequence[int], sources: Sequence[str], targets: Sequence[str]) -> None:
        """Add the sentences of documents, of which each has as many as `lengths` says."""
        pairs = list(map(hash, zip(sources, targets, strict=True)))
        self.pairs.extend(pairs)
        self.sources.extend(map(hash, sources))
        for length, end in zip(lengths, accumulate(lengths), strict=True):
            if length > 1:
                self.documents.append(hash(tuple(pairs[end - length : end])))


class SplitHashes:
    """The hashes of a split's text as it is (`exact`) and `folded`, to which documents are added."""

    def __init__(self) -> None:
        """Start with no documents."""
        self.exact, self.folded = Hashes(), Hashes()
        self._names, self._ends = bytearray(), array("q")
        self._firsts: list[int] = []  # The number of the first pair of each document of dev and test
        self._sides: list[SideText] = []  # The places of their sentences

    def add(self, documents: Sequence[Document], exact: Sides, folded: Sides) -> None:
        """Add documents with their sentences, as they are and folded."""
        lengths = [len(document.source.sentences) for document in documents]
        for length, document in zip(lengths, documents, strict=True):
            if length > 1:
                self._names += document.name.encode(errors="backslashreplace")
                self._ends.append(len(self._names))
        starts = accumulate(lengths, initial=len(self.exact.pairs))
        # Train is the first split: of its pairs, no place is told.
        for start, document in zip(starts, documents, strict=False):
            if document.split != TRAIN:
                self._firsts.append(start)
                self._sides.append(dataclasses.replace(document.source, sentences=()))
        self.exact.add(lengths, *exact)
        self.folded.add(lengths, *folded)

    def name(self, number: int) -> str:
        """Return the name of a document of several sentences; `number` is its index in `documents`."""
        start = self._ends[number - 1] if number else 0
        return self._names[start : self._ends[number]].decode()

    def location(self, number: int) -> str:
        """Return the place of a sentence pair of dev or test; `number` is its index in `pairs`."""
        document = bisect_right(self._firsts, number) - 1
        return self._sides[document].location(number - self._firsts[document])


@dataclass(frozen=True)
class SharedCount:
    """How many units of a split are also in another split: `count` of `of`; `share` is the quotient, 0 of none."""

    count: int
    of: int
    share: float


@dataclass(frozen=True)
class SharedUnits:
    """The text that two splits share.

    `documents` counts documents of several sentences of which all sentence pairs are a document of the other split, in
    the same order. `pairs` counts sentence pairs, and `sources` counts source sentences. `example` has the names of the
    first shared document, in both splits; None where no document is shared.
    """

    documents: SharedCount
    pairs: SharedCount
    sources: SharedCount
    example: tuple[str, str] | None


@dataclass(frozen=True)
class Shared(SharedUnits):
    """The text of `split` that is also in the split `earlier`, character by character.

    `folded` is the text that they share if only letters and digits count, without case and in one form of Unicode.
    `first` has the places of the first sentence pairs of it.
    """

    split: str
    earlier: str
    folded: SharedUnits
    first: tuple[str, ...]


@dataclass(frozen=True)
class SharedItems:
    """The items of a contrastive set whose text is in train, folded.

    `items` counts those all of whose pairs are, of the context and of the judged sentence with its right variant;
    `judged` counts those of which the judged pair is.
    """

    set: str
    items: SharedCount
    judged: SharedCount


def shared_text(splits: Mapping[str, SplitHashes]) -> list[Shared]:
    """Return what each split shares with each split before it; the list is empty where there is one split."""
    present = [split for split in SPLITS if split in splits]
    return [_shared(split, earlier, splits) for earlier, split in combinations(present, 2)]


def _shared(split: str, earlier: str, splits: Mapping[str, SplitHashes]) -> Shared:
    later, before = splits[split], splits[earlier]
    exact, _ = _units(later, before, later.exact, before.exact)
    folded, pairs = _units(later, before, later.folded, before.folded)
    first = tuple(map(later.location, np.flatnonzero(pairs)[:FIRST_PAIRS].tolist()))
    return Shared(**vars(exact), split=split, earlier=earlier, folded=folded, first=first)


def _units(split: SplitHashes, other: SplitHashes, later: Hashes, before: Hashes) -> tuple[SharedUnits, np.ndarray]:
    documents = _are_among(later.documents, before.documents)
    example = None
    if documents.any():
        number = int(documents.argmax())
        example = (split.name(number), other.name(before.documents.index(later.documents[number])))
    pairs, sources = _are_among(later.pairs, before.pairs), _are_among(later.sources, before.sources)
    return SharedUnits(_count(documents), _count(pairs), _count(sources), example), pairs


class ItemHashes:
    """The hashes of the folded text of contrastive items, by set, to which items are added one by one."""

    def __init__(self, items: Iterable[ContrastiveItem] = ()) -> None:
        """Start with `items`."""
        self._pairs: dict[str, array] = {}
        self._firsts: dict[str, list[int]] = {}  # The number of the first pair of each item
        for item in items:
            self.add(item)

    def add(self, item: ContrastiveItem) -> None:
        """Add the pairs of an item: those of its context, and the judged sentence with its right variant."""
        source, target = item.source, (*item.target_context, *item.variants[item.correct :][:1])
        pairs = self._pairs.setdefault(item.set, array("q"))
        self._firsts.setdefault(item.set, []).append(len(pairs))
        pairs.extend(map(hash, zip(fold(source).keys(source), fold(target).keys(target), strict=False)))

    def shared(self, train: SplitHashes) -> list[SharedItems]:
        """Return what each set shares with train."""
        result = []
        for name, pairs in self._pairs.items():
            are_shared, firsts = _are_among(pairs, train.folded.pairs), np.array(self._firsts[name])
            whole = np.logical_and.reduceat(are_shared, firsts)
            judged = are_shared[[*(firsts[1:] - 1), len(pairs) - 1]]
            result.append(SharedItems(name, _count(whole), _count(judged)))
        return result


def _are_among(hashes: array, others: array) -> np.ndarray:
    distinct, places = np.unique(np.asarray(hashes), return_inverse=True)
    are_among = np.zeros(len(distinct), bool)
    for start in range(0, len(others) if len(distinct) else 0, HASHES_AT_ONCE):
        block = np.asarray(others[start : start + HASHES_AT_ONCE])
        nearest = np.minimum(np.searchsorted(distinct, block), len(distinct) - 1)
        are_among[nearest[distinct[nearest] == block]] = True
    return are_among[places]


def _count(are_shared: np.ndarray) -> SharedCount:
    count, of = int(are_shared.sum()), len(are_shared)
    return SharedCount(count, of, round(count / max(of, 1), 6))


UNITS = {"documents": "documents of several sentences", "pairs": "sentence pairs"}
"""What messages call the units that `MostShared` limits."""
BUT_FOR = " but for case, punctuation and form of Unicode"


def check_shared(shared: Iterable[Shared], most: MostShared, corpus: str, problems: Problems) -> None:
    """Report each split that shares more documents or sentence pairs with an earlier split than `most` allows.

    Text counts as shared also if only its case, its punctuation or its form of Unicode differs.
    """
    for comparison in shared:
        for name, unit in UNITS.items():
            exact, folded, limit = (getattr(each, name) for each in (comparison, comparison.folded, most))
            # A product with the limit would round: 0.29 * 100 is below 29.
            if folded.count and folded.count / folded.of > limit:
                split, earlier = comparison.split, comparison.earlier
                is_exact = exact.count / exact.of > limit
                units = comparison if is_exact else comparison.folded
                first = "" if is_exact else f", first {', '.join(comparison.first)}"
                such_as = _such_as(units, earlier) if name == "documents" else first
                problems.report(
                    f"{unit} are also in {earlier}{'' if is_exact else BUT_FOR}",
                    where=f"{corpus} {split}",
                    found=portion(exact if is_exact else folded) + such_as,
                    expected=f"at most {percent(limit)} (most_shared.{name})",
                    remedy=f"take them out of {split} or {earlier}, or raise most_shared.{name} in the corpus' file "
                    "(1 = all may be shared)",
                )


def _such_as(units: SharedUnits, earlier: str) -> str:
    name, other_name = units.example
    return f", such as {quoted(name)}, which is {quoted(other_name)} of {earlier}"


def portion(counted: SharedCount) -> str:
    """Return a count as text, such as `4 of 1,124 (0.356 %)`."""
    return f"{counted.count:,} of {counted.of:,} ({percent(counted.share)})"


def percent(share: float) -> str:
    """Return a share as a percentage with three digits."""
    return f"{100 * share:.3g} %"
