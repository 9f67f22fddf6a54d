"""The size of one pass over training data: the segments of a cut, their sentences, and their pieces.

Documents are known by their number and the number of their sentences alone. Where all documents are as long as the mean
and sentences have equal numbers of pieces, the counts of sentences and pieces are those of `docmt.views`. The number of
instances and of sub-documents assumes that lengths of documents are spread like a geometric distribution: for the three
corpora of G-Transformer's Table 1 it gives 10.8K, 17.6K and 174K instances, and the paper has 11K, 18.5K and 162K.
"""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import reduce

from docmt.settings.data import CutConfig

FRAME = 2  # The cost, in tokens, of the symbols around a sentence, as in `docmt.views.cuts`


@dataclass(frozen=True)
class DocumentGroup:
    """A part of a split whose documents are alike: `source` and `target` are mean numbers of pieces of a sentence."""

    documents: float
    sentences: float
    source: float
    target: float

    @property
    def length(self) -> float:
        """The mean number of sentences of a document."""
        return self.sentences / max(self.documents, 1e-9)


@dataclass(frozen=True)
class Pass:
    """Counts of segments, of their sentences, and of the sentences' pieces, or of these and special symbols.

    A sentence counts once for each segment that has it, as in the card of a view.
    """

    segments: float = 0.0
    sentences: float = 0.0
    source: float = 0.0
    target: float = 0.0

    def __add__(self, other: "Pass") -> "Pass":
        """Return the counts of both together."""
        return Pass(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def times(self, factor: float) -> "Pass":
        """Return `factor` times these counts."""
        return Pass(*(count * factor for count in astuple(self)))


def pass_of(parts: Iterable[DocumentGroup], cut: CutConfig) -> Pass:
    """Return the size of a pass over parts of a split that are cut into segments."""
    every = reduce(Pass.__add__, (_cut(_long_enough(part, cut), cut) for part in parts), Pass())
    return every if cut.sample is None else every.times(min(cut.sample / max(every.segments, 1e-9), 1.0))


def _long_enough(part: DocumentGroup, cut: CutConfig) -> DocumentGroup:
    documents, sentences = part.documents, part.sentences
    # Documents are all of the mean length against a minimum of sentences.
    if part.length < (cut.min_document_sentences or 0):
        documents = sentences = 0.0
    if cut.min_document_tokens:
        # Against a minimum of source pieces, which divides documents of one kind, lengths are spread like an
        # exponential distribution.
        ratio = cut.min_document_tokens / max(part.length * part.source, 1e-9)
        documents, sentences = documents * math.exp(-ratio), sentences * (1 + ratio) * math.exp(-ratio)
    return DocumentGroup(documents, sentences, part.source, part.target)


def _cut(part: DocumentGroup, cut: CutConfig) -> Pass:
    if not part.documents:
        return Pass()
    if cut.window is not None:
        return _windows(part, cut)
    segments = part.documents
    if cut.max_tokens is not None:
        cost = max(part.source, part.target) + FRAME
        # The last sentence that does not fit leaves half of its cost free.
        segments *= _pieces_of_documents(part.length, max((cut.max_tokens - cost / 2) / cost, 1.0))
    elif cut.max_sentences is not None:
        segments *= _pieces_of_documents(part.length, cut.max_sentences)
    return Pass(segments, part.sentences, part.sentences * part.source, part.sentences * part.target)


def _pieces_of_documents(length: float, size: float) -> float:
    """Return the mean number of segments of `size` sentences in a document, whose lengths have the mean `length`."""
    return 1 / -math.expm1(-size / length)


def _windows(part: DocumentGroup, cut: CutConfig) -> Pass:
    length, size = part.length, cut.window
    # A document of n sentences has max(n - k + 1, 1) windows of k sentences.
    complete = max(length - size + 1, 1)
    # With openings or copies it has n, one that ends with each sentence; with `partial_copy_each` there is another one
    # for each sentence but the first.
    windows = length if cut.openings or cut.partial_copy else complete
    # The sum of min(i, k) over the n sentences: windows of 1, 2 ... sentences, then those of k.
    few = min(size, length)
    real = few * (few + 1) / 2 + (length - few) * size if cut.openings or cut.partial_copy else complete * few
    alone = max(length - 1, 0) if cut.partial_copy_each else 0
    windows, real = windows + alone, real + alone
    copies = size * windows - real if cut.partial_copy else 0.0
    sides = (_with_copies(real, copies, cut.partial_copy or 0.0, mean) for mean in (part.source, part.target))
    return Pass(windows, real + copies, *sides).times(part.documents)


def _with_copies(real: float, copies: float, share: float, mean: float) -> float:
    """Return the pieces of real sentences of `mean` pieces, and of copies of a share of them, in whole pieces."""
    return real * mean + copies * math.ceil(share * mean)
