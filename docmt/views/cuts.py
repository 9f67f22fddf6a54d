"""Cuts of documents into segments: for each segment its first sentence and the sentence after its last one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docmt.base.ragged import places, spans
from docmt.settings.data import CutConfig

FRAME = 2  # The cost, in tokens, of the symbols `<s>` and `</s>` around a sentence


@dataclass(frozen=True)
class Cuts:
    """Segments as ranges of sentences, from `starts[i]` to before `ends[i]`, in the order of the sentences."""

    starts: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.starts)

    def select(self, chosen: np.ndarray) -> "Cuts":
        """Return the segments whose numbers are in `chosen`."""
        return Cuts(self.starts[chosen], self.ends[chosen])


def sentence_costs(source_pieces: np.ndarray, target_pieces: np.ndarray) -> np.ndarray:
    """Return the cost of each sentence in tokens, which counts against a cut's budget (max_tokens).

    The cost is the number of pieces of the longer side, plus FRAME.
    """
    # The budget therefore limits a sum of maxima, as in G-Transformer's code, and not the length of each side.
    return np.maximum(source_pieces, target_pieces) + FRAME


def cut_documents(documents: np.ndarray, costs: np.ndarray, cut: CutConfig) -> Cuts:
    """Return the segments of all documents.

    All sentences of a segment are from one document, and each sentence is in at least one segment. `documents`: the
    number of the first sentence of each document and, last, the number of all sentences. `costs`: the cost of each
    sentence in tokens.

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
    lengths = np.diff(documents)
    # A document that is shorter than `size` is one window.
    windows = np.where(lengths == 0, 0, np.maximum(lengths - size + 1, 1))
    starts = spans(documents[:-1], windows)
    return Cuts(starts, np.minimum(starts + size, np.repeat(documents[1:], windows)))


def _windows_by_last_sentence(documents: np.ndarray, size: int) -> Cuts:
    """Return a window for each sentence: it ends with the sentence, and has up to `size` sentences of the document."""
    # Our addition: without windows of fewer than `size` sentences, a k-to-k model could not translate fewer than k
    # sentences, such as a short document or a single sentence.
    ends = np.arange(1, documents[-1] + 1)
    opens = np.repeat(documents[:-1], np.diff(documents))
    return Cuts(np.maximum(ends - size, opens), ends)


def cut_by_context(documents: np.ndarray, most: int) -> Cuts:
    """Return the segments that end with each sentence, after 0, 1, ... and at most `most` sentences of its document.

    `documents` is that of `cut_documents`. Segments are in the order of their last sentences, the shortest first.
    """
    sizes = np.minimum(places(np.diff(documents)), most) + 1
    ends = np.repeat(np.arange(1, documents[-1] + 1), sizes)
    return Cuts(ends - 1 - places(sizes), ends)


def _chunk_starts(documents: np.ndarray, size: int) -> np.ndarray:
    # The last chunk of a document may be shorter.
    chunks = -(-np.diff(documents) // size)
    return np.repeat(documents[:-1], chunks) + places(chunks) * size


def _packed_starts(documents: np.ndarray, costs: np.ndarray, budget: int) -> np.ndarray:
    """Return the number of the first sentence of each instance; instances are filled up to a budget of tokens."""
    opens_document = np.zeros(len(costs) + 1, dtype=bool)
    opens_document[documents] = True
    starts, filled = [], 0
    # The loop is plain Python because the start of an instance depends on the start of the instance before it.
    for sentence, (cost, opens) in enumerate(zip(costs.tolist(), opens_document.tolist()[:-1], strict=True)):
        # A new instance starts where the sum of costs with the next sentence would not be strictly below the budget. A
        # sentence that costs the whole budget or more is therefore an instance alone.
        if opens or filled + cost >= budget:
            starts.append(sentence)
            filled = 0
        filled += cost
    return np.array(starts, dtype=np.int64)


def count_over_long(costs: np.ndarray, cut: CutConfig) -> int | None:
    """Return the number of sentences whose cost alone reaches the budget; None for a cut without a budget."""
    return None if cut.max_tokens is None else int(np.count_nonzero(costs >= cut.max_tokens))


def visible_from(costs: Sequence[int], cut: CutConfig) -> int:
    """Return the number of the first sentence that `cut` can put into one segment with the last sentence of a document.

    `costs`: the cost of each sentence of the document, in tokens. The last sentence is always in the segment.
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
