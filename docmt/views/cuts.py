"""Where documents are cut: for every segment its first sentence and the one after its last."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docmt.base.runs import places, spans
from docmt.settings.data import CutConfig

FRAME = 2
"""What a sentence costs beside its pieces: its `<s>` and `</s>`."""


@dataclass(frozen=True)
class Cuts:
    """Segments as ranges of sentences, `starts[i]` up to and without `ends[i]`, in the order of the sentences."""

    starts: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    def select(self, chosen: np.ndarray) -> "Cuts":
        """The segments of these numbers."""
        return Cuts(self.starts[chosen], self.ends[chosen])


def sentence_costs(source_pieces: np.ndarray, target_pieces: np.ndarray) -> np.ndarray:
    """A sentence's share of a budget of tokens, for both sides at once.

    So the budget bounds a sum of maxima, as in G-Transformer's code, and not each side's own length.
    """
    return np.maximum(source_pieces, target_pieces) + FRAME


def cut_documents(documents: np.ndarray, costs: np.ndarray, cut: CutConfig) -> Cuts:
    """Cut every document on its own; no segment crosses a border and every sentence is in one at least.

    `documents`: offsets of the documents in the stream of sentences (one more than there are documents).
    Paper: G-Transformer, section 2 (max_tokens); long-short term masking, section 3.1 (window); lexical chains,
    appendix A (max_sentences).
    """
    if cut.openings:
        return _windows_by_last_sentence(documents, cut.window)
    if cut.window is not None:
        return _windows(documents, cut.window)
    if cut.max_tokens is not None:
        starts = _packed_starts(documents, costs, cut.max_tokens)
    else:
        starts = _chunk_starts(documents, cut.max_sentences or np.diff(documents).max(initial=1))
    return Cuts(starts, np.append(starts, documents[-1])[1:])


def _windows(documents: np.ndarray, size: int) -> Cuts:
    """Every `size` consecutive sentences; a document that is shorter is one window."""
    lengths = np.diff(documents)
    windows = np.where(lengths == 0, 0, np.maximum(lengths - size + 1, 1))
    starts = spans(documents[:-1], windows)
    return Cuts(starts, np.minimum(starts + size, np.repeat(documents[1:], windows)))


def _windows_by_last_sentence(documents: np.ndarray, size: int) -> Cuts:
    """One window for each sentence, which is its last: of `size` sentences, or as many as the document has until then.

    Our addition: without the shorter ones a model of k-to-k windows cannot translate fewer sentences, be it a short
    document or a sentence alone.
    """
    ends = np.arange(1, documents[-1] + 1)
    opens = np.repeat(documents[:-1], np.diff(documents))
    return Cuts(np.maximum(ends - size, opens), ends)


def _chunk_starts(documents: np.ndarray, size: int) -> np.ndarray:
    """`size` sentences after `size` sentences; a document's last chunk may be shorter, or its only one."""
    chunks = -(-np.diff(documents) // size)
    return np.repeat(documents[:-1], chunks) + places(chunks) * size


def _packed_starts(documents: np.ndarray, costs: np.ndarray, budget: int) -> np.ndarray:
    """A new instance opens where the running sum with the next sentence is not strictly below the budget.

    So a sentence that costs the whole budget or more stands alone. One pass in plain Python: each start depends on
    the one before.
    """
    opens_document = np.zeros(len(costs) + 1, dtype=bool)
    opens_document[documents] = True
    starts, filled = [], 0
    for sentence, (cost, opens) in enumerate(zip(costs.tolist(), opens_document.tolist()[:-1], strict=True)):
        if opens or filled + cost >= budget:
            starts.append(sentence)
            filled = 0
        filled += cost
    return np.array(starts, dtype=np.int64)


def count_over_long(costs: np.ndarray, cut: CutConfig) -> int | None:
    """Sentences that do not fit the budget even alone; None where there is no budget."""
    return None if cut.max_tokens is None else int(np.count_nonzero(costs >= cut.max_tokens))


def visible_from(costs: Sequence[int], cut: CutConfig) -> int:
    """The first of a document's sentences that stands in one segment with the last one, at most.

    As many as `cut` can hold; the last sentence itself always.
    """
    if cut.documents:
        return 0
    size = cut.window or cut.max_sentences
    if size is not None:
        return max(len(costs) - size, 0)
    filled, first = costs[-1], len(costs) - 1
    while first > 0 and filled + costs[first - 1] < cut.max_tokens:
        first -= 1
        filled += costs[first]
    return first
