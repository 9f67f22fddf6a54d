"""The text that splits share: documents, sentence pairs and source sentences of dev and test that are in another split.

Each split is compared with the splits before it in the order train, dev, test. Text is compared as it is after reading,
character by character, by 64-bit hashes that are collected while the documents pass. A split takes 16 bytes for each
sentence pair and, for each document of several sentences, 16 bytes and the bytes of its name; the arrays may have room
for an eighth more. 6 million pairs therefore take about 110 MB, and the comparison 30 MB more. Two different texts of
such a corpus and a test split of 20,000 sentences have the same hash by chance once in 100 million corpora.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from docmt.base.errors import quoted
from docmt.base.names import SPLITS
from docmt.catalogue.corpus import MostShared
from docmt.corpus.inputs import Document, Problems

HASHES_AT_ONCE = 1_000_000  # The number of hashes that are compared at once, which limits the memory of a comparison


class SplitHashes:
    """The hashes of a split's text, to which documents are added one by one."""

    def __init__(self) -> None:
        """Start with no documents."""
        self.pairs = array("q")  # The hash of each sentence pair
        self.sources = array("q")  # The hash of each source sentence
        self.documents = array("q")
        """The hash of each document of several sentences; a document of one sentence counts as a pair alone."""
        self._names, self._ends = bytearray(), array("q")

    def add(self, document: Document) -> None:
        """Add the hashes of a document."""
        source, target = document.source.sentences, document.target.sentences
        # The sides may differ in length where a review collects all problems of a corpus.
        pairs = list(map(hash, zip(source, target, strict=False)))
        self.pairs.extend(pairs)
        self.sources.extend(map(hash, source))
        if len(pairs) > 1:
            self.documents.append(hash(tuple(pairs)))
            self._names += document.name.encode(errors="backslashreplace")
            self._ends.append(len(self._names))

    def name(self, number: int) -> str:
        """Return the name of a document of several sentences; `number` is its index in `documents`."""
        start = self._ends[number - 1] if number else 0
        return self._names[start : self._ends[number]].decode()


@dataclass(frozen=True)
class SharedCount:
    """How many units of a split are also in another split: `count` of `of`; `share` is the quotient, 0 of none."""

    count: int
    of: int
    share: float


@dataclass(frozen=True)
class Shared:
    """The text of `split` that is also in the split `earlier`.

    `documents` counts documents of several sentences of which all sentence pairs are a document of `earlier`, in the
    same order. `pairs` counts sentence pairs, and `sources` counts source sentences. `example` has the names of the
    first shared document, in `split` and in `earlier`; None where no document is shared.
    """

    split: str
    earlier: str
    documents: SharedCount
    pairs: SharedCount
    sources: SharedCount
    example: tuple[str, str] | None


def shared_text(splits: Mapping[str, SplitHashes]) -> list[Shared]:
    """Return what each split shares with each split before it; the list is empty where there is one split."""
    present = [split for split in SPLITS if split in splits]
    return [_shared(split, earlier, splits) for earlier, split in combinations(present, 2)]


def _shared(split: str, earlier: str, splits: Mapping[str, SplitHashes]) -> Shared:
    later, before = splits[split], splits[earlier]
    documents = _are_among(later.documents, before.documents)
    example = None
    if documents.any():
        number = int(documents.argmax())
        example = (later.name(number), before.name(before.documents.index(later.documents[number])))
    pairs, sources = _are_among(later.pairs, before.pairs), _are_among(later.sources, before.sources)
    return Shared(split, earlier, _count(documents), _count(pairs), _count(sources), example)


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


def check_shared(shared: Iterable[Shared], most: MostShared, corpus: str, problems: Problems) -> None:
    """Report each split that shares more documents or sentence pairs with an earlier split than `most` allows."""
    for comparison in shared:
        for name, unit in UNITS.items():
            counted, limit = getattr(comparison, name), getattr(most, name)
            # A product with the limit would round: 0.29 * 100 is below 29.
            if counted.count and counted.count / counted.of > limit:
                split, earlier = comparison.split, comparison.earlier
                problems.report(
                    f"{unit} are also in {earlier}",
                    where=f"{corpus} {split}",
                    found=portion(counted) + (_such_as(comparison) if name == "documents" else ""),
                    expected=f"at most {percent(limit)} (most_shared.{name})",
                    remedy=f"take them out of {split} or {earlier}, or raise most_shared.{name} in the corpus' file "
                    "(1 = all may be shared)",
                )


def _such_as(comparison: Shared) -> str:
    name, other_name = comparison.example
    return f", such as {quoted(name)}, which is {quoted(other_name)} of {comparison.earlier}"


def portion(counted: SharedCount) -> str:
    """Return a count as text, such as `4 of 1,124 (0.356 %)`."""
    return f"{counted.count:,} of {counted.of:,} ({percent(counted.share)})"


def percent(share: float) -> str:
    """Return a share as a percentage with three digits."""
    return f"{100 * share:.3g} %"
