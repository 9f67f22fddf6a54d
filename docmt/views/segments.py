"""Segments of a split: the ids of their sentences, one sentence after another, and the length of each sentence.

Each variant of a contrastive item becomes a segment too, with as much of its context as the cut allows.
"""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENTS
from docmt.base.errors import UserError
from docmt.base.ragged import Ragged, places, spans
from docmt.settings.data import CutConfig
from docmt.views.cuts import FRAME, Cuts, visible_from


@dataclass(frozen=True)
class Sentences:
    """The sentences of a split, or of a part of it: the ids of both sides, and the names of the documents.

    `documents`: the number of the first sentence of each document and, last, the number of all sentences.
    """

    source: Ragged
    target: Ragged
    names: np.ndarray
    documents: np.ndarray

    def __len__(self) -> int:
        """Return the number of sentences, copies included."""
        return len(self.source.lengths)

    def select(self, selected: np.ndarray) -> "Sentences":
        """Return some of the documents; `selected` has a truth value for each document."""
        counts = np.diff(self.documents)
        sides = (side.take(np.repeat(selected, counts)) for side in (self.source, self.target))
        return Sentences(*sides, self.names[selected], np.concatenate([[0], np.cumsum(counts[selected])]))


def sentences_of(rows: pa.Table, where: str) -> Sentences:
    """Return the sentences in the rows of one split of tokens.arrow; a document starts where `sentence` is 0.

    Raises UserError where the rows of a document are not its sentences 0, 1, 2, ... in order.
    """
    numbers, names = rows["sentence"].to_numpy(), rows["document"].to_numpy()
    opens = np.flatnonzero(numbers == 0)
    documents = np.append(opens, len(rows))
    if not _in_order(numbers, names, documents):
        raise UserError(
            "sentences of a document are out of order", where=where, expected="0, 1, 2, ... in each document"
        )
    sides = (Ragged.from_arrow(rows[name]) for name in ("source_ids", "target_ids"))
    return Sentences(*sides, names[opens], documents)


def _in_order(numbers: np.ndarray, names: np.ndarray, documents: np.ndarray) -> bool:
    firsts, lengths = documents[:-1], np.diff(documents)
    counted = places(lengths)
    return (
        documents[0] == 0
        and np.array_equal(numbers, counted)
        and np.array_equal(names, np.repeat(names[firsts], lengths))
    )


def with_copies(sentences: Sentences, copies: int, share: float) -> Sentences:
    """Put copies of the beginning of a document's first sentence, on both sides, at the head of each document.

    `copies`: the number of copies of a document. `share`: the share of the sentence's pieces in a copy, which is
    rounded up to whole pieces. Each real sentence of the document is then the last sentence of exactly one window of
    `copies + 1` sentences.

    Paper: long-short term masking (Zhang et al. 2020), section 3.2, says no more than that Jean et al. 2019, "Fill in
    the Blanks", "filled the missing context with partial copy strategy, since the repetition can naturally enhance the
    lexical cohesion".

    Where the test cut is filled too, translating drops the translations of copies.
    """
    # Our reading: the missing context is the context before a document's first sentence, so that only the windows of
    # the first k - 1 sentences of a document are filled (k is the number of sentences of a window). The copied sentence
    # is the first real sentence of such a window, which is the document's first sentence.
    first = sentences.documents[:-1]
    # Both sides are copied, so that the model sees the repetition and its consistent translation. The beginning of the
    # sentence is copied, since the beginnings of both sides mostly translate each other, and since a random choice
    # would differ each time that the view is built.
    sides = (_with_copies(side, first, copies, share) for side in (sentences.source, sentences.target))
    documents = sentences.documents + copies * np.arange(len(sentences.documents))
    return replace(sentences, **dict(zip(("source", "target"), sides, strict=True)), documents=documents)


def with_each_alone(sentences: Sentences) -> Sentences:
    """Add each sentence but the first of a document as a document of its own, after all documents.

    The name of such a document is that of the sentence's document and, after a dot, the number of the sentence, from 2.
    """
    # Our second reading of partial copy (see `with_copies`): the context of a sentence within a document may be missing
    # too, so that a model also learns each sentence behind copies of itself.
    later = np.delete(np.arange(len(sentences)), sentences.documents[:-1])
    owner = np.searchsorted(sentences.documents, later, side="right") - 1
    numbers = later - sentences.documents[owner] + 1
    names = [f"{name}.{number}" for name, number in zip(sentences.names[owner], numbers, strict=True)]
    chosen = np.append(np.arange(len(sentences)), later)
    sides = (side.take(chosen) for side in (sentences.source, sentences.target))
    documents = np.append(sentences.documents, len(sentences) + 1 + np.arange(len(later)))
    return Sentences(*sides, np.append(sentences.names, np.array(names, dtype=object)), documents)


def _with_copies(side: Ragged, first: np.ndarray, copies: int, share: float) -> Ragged:
    """Return the sentences of a side with their copies; `first`: the number of each document's first sentence."""
    before = np.repeat(first, copies)
    # The product is rounded to nine decimals first, since 0.07 * 100 is a little more than 7 in floating point.
    parts = np.ceil(np.round(share * side.lengths[before], 9)).astype(np.int64)
    # No id is stored twice: a copy has the start of the copied sentence, and a length of its own.
    lengths = np.insert(side.lengths, before, parts)
    return Ragged(side.values, np.insert(side.starts, before, side.starts[before]), lengths)


def document_numbers(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """Return the number of each segment's document."""
    return np.searchsorted(sentences.documents, cuts.starts, side="right") - 1


def segments_of(sentences: Sentences, cuts: Cuts) -> pa.RecordBatch:
    """Return the rows of SEGMENTS, one row for each segment, in the order of the segments.

    A sentence that is in several segments (windows) is repeated.
    """
    owner = document_numbers(sentences, cuts)
    numbers = cuts.starts - sentences.documents[owner]  # copies are sentences of their document here
    columns = {
        "document": pa.array(sentences.names[owner], pa.string()),
        "first": pa.array(numbers.astype(np.int32)),
    }
    counts = cuts.ends - cuts.starts
    chosen = spans(cuts.starts, counts)
    for name, side in (("source", sentences.source), ("target", sentences.target)):
        parts = (part.to_arrow() for part in side.take(chosen).grouped(counts))
        columns |= zip((f"{name}_ids", f"{name}_lengths"), parts, strict=True)
    return pa.record_batch([columns[name] for name in SEGMENTS.names], schema=SEGMENTS)


def contrastive_segments(items: pa.Table, cut: CutConfig) -> pa.Table:
    """Return a row for each variant of each item, in order; the last sentence of the row is the judged sentence.

    All variants of an item have the same context: the context sentences that fit into a segment with the longest
    variant.
    """
    # Otherwise the length of a variant would decide with how much context it is judged.
    rows = [row for item in items.to_pylist() for row in _variants(item, cut)]
    return pa.Table.from_pylist(rows, CONTRASTIVE_SEGMENTS)


def _variants(item: dict[str, Any], cut: CutConfig) -> list[dict[str, Any]]:
    longest = max(item["variant_ids"], key=len)
    pairs = zip(item["source_ids"], [*item["target_context_ids"], longest], strict=True)
    # The context is what fits into a segment with the longest variant.
    first = visible_from([max(len(source), len(target)) + FRAME for source, target in pairs], cut)
    return [_row(item, number, first) for number in range(len(item["variant_ids"]))]


def _row(item: dict[str, Any], variant: int, first: int) -> dict[str, Any]:
    # The segment starts at sentence `first` of the item.
    source = item["source_ids"][first:]
    target = [*item["target_context_ids"][first:], item["variant_ids"][variant]]
    return {
        **{name: item[name] for name in ("set", "item", "distance")},
        "variant": variant,
        "correct": variant == item["correct"],
        "source_ids": list(chain.from_iterable(source)),
        "source_lengths": [len(sentence) for sentence in source],
        "target_ids": list(chain.from_iterable(target)),
        "target_lengths": [len(sentence) for sentence in target],
    }
