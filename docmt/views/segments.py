"""Segments of a split: their sentences' ids one after another, and each sentence's length.

Contrastive items are segments too: each variant with as much context as a cut lets a model see.
"""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENTS
from docmt.base.errors import UserError
from docmt.base.runs import lists, places, spans, sums
from docmt.settings.data import CutConfig
from docmt.views.cuts import FRAME, Cuts, visible_from


@dataclass(frozen=True)
class Ids:
    """One side's sentences: an array of ids, where in it each begins, and how many each has."""

    values: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> "Ids":
        lists = column.combine_chunks()
        offsets = lists.offsets.to_numpy().astype(np.int64)
        return cls(lists.flatten().to_numpy(), offsets[:-1] - offsets[0], np.diff(offsets))

    def select(self, selected: np.ndarray) -> "Ids":
        """The sentences for which `selected`, a truth value a sentence, holds."""
        return Ids(self.values, self.starts[selected], self.lengths[selected])


@dataclass(frozen=True)
class Sentences:
    """A split: both sides' ids, and the documents' names and offsets (in sentences)."""

    source: Ids
    target: Ids
    names: np.ndarray
    documents: np.ndarray
    copies: int = 0
    """Sentences at the head of each document that are not its own."""

    def __len__(self) -> int:
        return len(self.source.lengths)

    def select(self, selected: np.ndarray) -> "Sentences":
        """The documents for which `selected`, a truth value a document, holds."""
        counts = np.diff(self.documents)
        sides = (side.select(np.repeat(selected, counts)) for side in (self.source, self.target))
        return Sentences(*sides, self.names[selected], np.concatenate([[0], np.cumsum(counts[selected])]), self.copies)


def sentences_of(rows: pa.Table, where: str) -> Sentences:
    """The rows of one split of tokens.arrow; a document opens where `sentence` is 0.

    Raises UserError where a document's rows are not its sentences 0, 1, 2, ... one after another.
    """
    numbers, names = rows["sentence"].to_numpy(), rows["document"].to_numpy()
    opens = np.flatnonzero(numbers == 0)
    documents = np.append(opens, len(rows))
    if not _in_order(numbers, names, documents):
        raise UserError(
            "sentences of a document are out of order", where=where, expected="0, 1, 2, ... in each document"
        )
    return Sentences(Ids.of(rows["source_ids"]), Ids.of(rows["target_ids"]), names[opens], documents)


def _in_order(numbers: np.ndarray, names: np.ndarray, documents: np.ndarray) -> bool:
    firsts, lengths = documents[:-1], np.diff(documents)
    counted = places(lengths)
    return (
        documents[0] == 0
        and np.array_equal(numbers, counted)
        and np.array_equal(names, np.repeat(names[firsts], lengths))
    )


def with_copies(sentences: Sentences, copies: int, share: float) -> Sentences:
    """Put `copies` copies of the first `share` of its first sentence, on both sides, at the head of each document.

    Windows of `copies + 1` then have each of the document's own sentences as their last once, and none of them is
    shorter. Pieces are counted, and rounded up.

    Paper: long-short term masking (Zhang et al. 2020), section 3.2, says no more than that Jean et al. 2019, "Fill in
    the Blanks", "filled the missing context with partial copy strategy, since the repetition can naturally enhance the
    lexical cohesion".
    Our reading: missing are the sentences before a document's first one, so that only the windows of its first k - 1
    sentences are filled; what is copied is the first real sentence of such a window, which is the document's first.
    Both sides are copied, so that the model sees the repetition and its consistent translation. It is the beginning
    that is copied, since the beginnings of both sides mostly translate each other, and since a choice by chance would
    be another one each time that the view is made. Training only: a filled test segment would not be the test set.
    """
    first = sentences.documents[:-1]
    sides = (_with_copies(side, first, copies, share) for side in (sentences.source, sentences.target))
    documents = sentences.documents + copies * np.arange(len(sentences.documents))
    return replace(sentences, **dict(zip(("source", "target"), sides, strict=True)), documents=documents, copies=copies)


def _with_copies(side: Ids, first: np.ndarray, copies: int, share: float) -> Ids:
    """No id is moved: a copy is a shorter look at the sentence's place."""
    before = np.repeat(first, copies)
    # Rounded before it is rounded up, since 0.07 * 100 is a little more than 7.
    parts = np.ceil(np.round(share * side.lengths[before], 9)).astype(np.int64)
    lengths = np.insert(side.lengths, before, parts)
    return Ids(side.values, np.insert(side.starts, before, side.starts[before]), lengths)


def document_numbers(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """The number of each segment's document."""
    return np.searchsorted(sentences.documents, cuts.starts, side="right") - 1


def segments_of(sentences: Sentences, cuts: Cuts) -> pa.RecordBatch:
    """Rows of SEGMENTS, one a segment, in order; a sentence that several segments hold (windows) is repeated."""
    owner = document_numbers(sentences, cuts)
    numbers = cuts.starts - sentences.documents[owner] - sentences.copies
    columns = {
        "document": pa.array(sentences.names[owner], pa.string()),
        "first": pa.array(np.maximum(numbers, 0).astype(np.int32)),
    }
    counts = cuts.ends - cuts.starts
    chosen = spans(cuts.starts, counts)
    for name, side in (("source", sentences.source), ("target", sentences.target)):
        lengths = side.lengths[chosen]
        columns[f"{name}_lengths"] = lists(lengths, counts)
        ids = side.values[spans(side.starts[chosen], lengths)]
        columns[f"{name}_ids"] = lists(ids, sums(lengths, counts))
    return pa.record_batch([columns[name] for name in SEGMENTS.names], schema=SEGMENTS)


def contrastive_segments(items: pa.Table, cut: CutConfig) -> pa.Table:
    """One row a variant, the judged sentence last; rows of an item stand together, in the order of its variants.

    All variants of an item get the same context: what fits beside the longest of them. Otherwise a variant's
    length would decide what it is judged by.
    """
    rows = [row for item in items.to_pylist() for row in _variants(item, cut)]
    return pa.Table.from_pylist(rows, CONTRASTIVE_SEGMENTS)


def _variants(item: dict[str, Any], cut: CutConfig) -> list[dict[str, Any]]:
    longest = max(item["variant_ids"], key=len)
    pairs = zip(item["source_ids"], [*item["target_context_ids"], longest], strict=True)
    first = visible_from([max(len(source), len(target)) + FRAME for source, target in pairs], cut)
    return [_row(item, number, first) for number in range(len(item["variant_ids"]))]


def _row(item: dict[str, Any], variant: int, first: int) -> dict[str, Any]:
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
