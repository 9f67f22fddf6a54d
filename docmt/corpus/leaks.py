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

HASHES_AT_ONCE = 1_000_000
"""The number of hashes that are compared at once, which limits the memory of a comparison."""


class SplitHashes:
    """The hashes of a split's text, to which documents are added one by one."""

    def __init__(self) -> None:
        """Start with no documents."""
        self.pairs = array("q")
        """The hash of each sentence pair."""
        self.sources = array("q")
        """The hash of each source sentence."""
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
    own, others = splits[split], splits[earlier]
    found = {name: _found(getattr(own, name), getattr(others, name)) for name in ("documents", "pairs", "sources")}
    example = None
    if found["documents"].any():
        first = int(found["documents"].argmax())
        example = (own.name(first), others.name(others.documents.index(own.documents[first])))
    counts = {name: _count(int(hits.sum()), len(hits)) for name, hits in found.items()}
    return Shared(split, earlier, **counts, example=example)


def _found(hashes: array, others: array) -> np.ndarray:
    """Return whether each of `hashes` is among `others`."""
    distinct, places = np.unique(np.asarray(hashes), return_inverse=True)
    found = np.zeros(len(distinct), bool)
    for start in range(0, len(others) if len(distinct) else 0, HASHES_AT_ONCE):
        block = np.asarray(others[start : start + HASHES_AT_ONCE])
        nearest = np.minimum(np.searchsorted(distinct, block), len(distinct) - 1)
        found[nearest[distinct[nearest] == block]] = True
    return found[places]


def _count(count: int, of: int) -> SharedCount:
    return SharedCount(count, of, round(count / max(of, 1), 6))


def check_shared(shared: Iterable[Shared], most: MostShared, corpus: str, problems: Problems) -> None:
    """Report each split that shares more documents or sentence pairs with an earlier split than `most` allows."""
    for one in shared:
        for name, unit in (("documents", "documents of several sentences"), ("pairs", "sentence pairs")):
            counted, limit = getattr(one, name), getattr(most, name)
            if counted.count > limit * counted.of:
                such = ""
                if name == "documents":
                    such = f", such as {quoted(one.example[0])}, which is {quoted(one.example[1])} of {one.earlier}"
                problems.report(
                    f"{unit} are also in {one.earlier}",
                    where=f"{corpus} {one.split}",
                    found=f"{portion(counted)}{such}",
                    expected=f"at most {percent(limit)} (most_shared.{name})",
                    remedy=f"take them out of {one.split} or {one.earlier}, or raise most_shared.{name} in the corpus' "
                    "file (1 = all may be shared)",
                )


def portion(counted: SharedCount) -> str:
    """Return a count as text, such as `4 of 1,124 (0.356 %)`."""
    return f"{counted.count:,} of {counted.of:,} ({percent(counted.share)})"


def percent(share: float) -> str:
    """Return a share as a percentage with three digits."""
    return f"{100 * share:.3g} %"
