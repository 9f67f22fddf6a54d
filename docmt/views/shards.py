"""The segments of one shard of tokens."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import TOKENS
from docmt.base.shards import ArrowShards, Counts
from docmt.base.workers import Done
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.cuts import Cuts, count_over_long, cut_documents, sentence_costs
from docmt.views.segments import Ids, Sentences, segments_of, sentences_of
from docmt.views.selection import long_enough, ranks

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "sentence", "source_ids", "target_ids")])


def cut_of(view: ViewConfig, split: str) -> CutConfig:
    return view.train if split == "train" else view.test


@dataclass(frozen=True)
class CutSplit:
    """A shard's sentences of one split, and where they are cut.

    `read`: all of them; `kept`: those of documents that are long enough; `filled`: with copies, which `cuts` are of.
    """

    read: Sentences
    kept: Sentences
    filled: Sentences
    cuts: Cuts
    over_long: int

    @classmethod
    def of(cls, sentences: Sentences, cut: CutConfig) -> "CutSplit":
        kept = sentences.only(long_enough(sentences, cut))
        costs = sentence_costs(kept.source.lengths, kept.target.lengths)
        filled = kept if cut.partial_copy is None else with_copies(kept, cut.window - 1, cut.partial_copy)
        cuts = cut_documents(filled.documents, costs, cut)
        return cls(sentences, kept, filled, cuts, count_over_long(costs, cut) or 0)

    def segments(self, drawn: np.ndarray | None) -> tuple[pa.RecordBatch, dict[str, int]]:
        """Rows of SEGMENTS, and counts; `drawn`: the numbers of those that are wanted, or none for all."""
        cuts = self.cuts if drawn is None else self.cuts.only(drawn)
        segments = segments_of(self.filled, cuts)
        counts = {
            "documents": len(self.kept.names),
            "documents_left_out": len(self.read.names) - len(self.kept.names),
            "sentences": len(self.kept),
            "sentences_left_out": len(self.read) - len(self.kept),
            "over_long_sentences": self.over_long,
            "segments": len(segments),
            "segments_left_out": len(self.cuts) - len(segments),
            "sentences_in_segments": pc.sum(pc.list_value_length(segments["source_lengths"]), min_count=0).as_py(),
        }
        for side in ("source", "target"):
            pieces = pc.list_value_length(segments[f"{side}_ids"])
            counts[f"{side}_pieces"] = pc.sum(pieces, min_count=0).as_py()
            counts[f"{side}_longest"] = pc.max(pieces).as_py() or 0
        return segments, counts


class RankShard:
    """The number of a shard of tokens to the ranks of its training segments."""

    def __init__(self, cut: CutConfig, tokens: Path) -> None:
        self.cut, self.tokens = cut, tokens
        self._shards = ArrowShards(tokens, NEEDED)

    def __call__(self, number: int) -> Done[np.ndarray]:
        rows = self._shards[number]
        own = rows.filter(pc.equal(rows["split"], "train"))
        if not len(own):
            return Done(np.zeros(0, np.uint64), len(rows))
        split = CutSplit.of(sentences_of(own, f"{self.tokens}: train"), self.cut)
        return Done(ranks(split.filled, split.cuts), len(rows))


class CutShard:
    """The number of a shard of tokens, with those of its drawn segments, to segments by split, and their counts."""

    def __init__(self, view: ViewConfig, tokens: Path) -> None:
        self.view, self.tokens = view, tokens
        self._shards = ArrowShards(tokens, NEEDED)

    def __call__(self, task: tuple[int, np.ndarray | None]) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        number, drawn = task
        rows = self._shards[number]
        tables, counts = {}, {}
        for split in pc.unique(rows["split"]).to_pylist():
            own = sentences_of(rows.filter(pc.equal(rows["split"], split)), f"{self.tokens}: {split}")
            chosen = drawn if split == "train" else None
            tables[split], counts[split] = CutSplit.of(own, cut_of(self.view, split)).segments(chosen)
        return Done((tables, counts), len(rows))


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
