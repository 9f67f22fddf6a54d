"""Segments of a split: their sentences' ids one after another, and each sentence's length."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from docmt.base.columns import SEGMENTS
from docmt.base.errors import UserError
from docmt.base.runs import lists, places, spans, sums
from docmt.views.cuts import Cuts


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

    def only(self, kept: np.ndarray) -> "Ids":
        """The sentences for which `kept`, a truth value a sentence, holds."""
        return Ids(self.values, self.starts[kept], self.lengths[kept])


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

    def only(self, kept: np.ndarray) -> "Sentences":
        """The documents for which `kept`, a truth value a document, holds."""
        counts = np.diff(self.documents)
        sides = (side.only(np.repeat(kept, counts)) for side in (self.source, self.target))
        return Sentences(*sides, self.names[kept], np.concatenate([[0], np.cumsum(counts[kept])]), self.copies)


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


def owners(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """The number of each segment's document."""
    return np.searchsorted(sentences.documents, cuts.starts, side="right") - 1


def segments_of(sentences: Sentences, cuts: Cuts) -> pa.RecordBatch:
    """Rows of SEGMENTS, one a segment, in order; a sentence that several segments hold (windows) is repeated."""
    owner = owners(sentences, cuts)
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
