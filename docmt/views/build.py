"""Stage 3: the tokens of a corpus are cut into the segments of a view."""

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.columns import CONTRASTIVE_TOKENS, SEGMENTS, TOKENS, only
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.shards import Counts, add_counts
from docmt.base.tables import ArrowFile, arrow_writer, read_arrow, write_if_any
from docmt.base.workers import ALONE, Done, Workers
from docmt.nn.positions import SIDES, check_positions
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.models import PositionTable
from docmt.views.cuts import Cuts, count_over_long, cut_documents, sentence_costs
from docmt.views.segments import (
    Sentences,
    contrastive_segments,
    segments_of,
    sentences_of,
    with_copies,
    with_each_alone,
)
from docmt.views.selection import draw, long_enough, ranks

NEEDED = only(TOKENS, "split", "document", "sentence", "source_ids", "target_ids")
"""The columns of tokens.arrow that the stage reads."""


@dataclass(frozen=True)
class ViewsSettings:
    """The `job.json` of stage 3. `version`: the version of the step."""

    version: int
    view: ViewConfig


def build_view(
    settings: ViewsSettings,
    tokens: Path,
    output: Path,
    workers: Workers = ALONE,
    positions: Collection[PositionTable] = (),
) -> None:
    """Write train.arrow (by the view's training cut), dev.arrow and test.arrow (by its test cut), and card.json.

    The table of a split has a shard for each shard of tokens with sentences of the split. A corpus with contrastive
    sets also gets contrastive.arrow, by the test cut. The table of a split that the corpus lacks is empty. `positions`
    has the learned tables of positions of all models that read the view; it is empty where one of them has no limit.

    Raises UserError where the sentences of a document are out of order, where every training document is too short,
    where the training cut shall draw more segments than there are, and for a segment that is too long for all models.
    """
    view, file = settings.view, tokens / "tokens.arrow"
    tasks = list(enumerate(_drawn(view, file, workers)))
    counts: Counts = {}
    with ExitStack() as stack:
        writers = {split: stack.enter_context(arrow_writer(output / f"{split}.arrow", SEGMENTS)) for split in SPLITS}
        for tables, totals in workers.each("cutting documents", partial(ShardCutter, view, file), tasks, len(tasks)):
            for split, segments in tables.items():
                path, sides = output / f"{split}.arrow", SIDES[:1] if split == "test" else SIDES
                check_positions(path, pa.Table.from_batches([segments]), positions, sides)
                writers[split].write_batch(segments)
            counts = add_counts(counts, totals)
        _check_documents(counts.get("train", {}), view.train, file)
    items = tokens / "contrastive.arrow"
    variants = contrastive_segments(read_arrow(items, CONTRASTIVE_TOKENS), view.test) if items.exists() else None
    if variants is not None:
        check_positions(output / "contrastive.arrow", variants, positions)
    write_if_any(output / "contrastive.arrow", variants)
    cards = {split: _card(counts.get(split, {}), cut_of(view, split)) for split in SPLITS}
    count = None if variants is None else len(variants)
    write_json(output / "card.json", {"view": view.name, "splits": cards, "contrastive_variants": count})


def _drawn(view: ViewConfig, file: Path, workers: Workers) -> list[np.ndarray | None]:
    total = len(ArrowFile(file, NEEDED))
    if view.train.sample is None:
        # None: all segments of a shard are used.
        return [None] * total
    shard_ranks = workers.each("drawing segments", partial(ShardRanker, view.train, file), range(total), total)
    return draw(view.train.sample, shard_ranks, f"{file}: train")


def _check_documents(counts: dict[str, int], cut: CutConfig, file: Path) -> None:
    left_out = counts.get("documents_left_out", 0)
    if left_out and left_out == counts["documents"] + left_out:
        what, expected = "every training document is too short", f"some documents that {cut.name} keeps"
        raise UserError(what, where=f"{file}: train", found=f"{left_out} documents", expected=expected)


def _card(counts: dict[str, int], cut: CutConfig) -> dict[str, Any]:
    # `documents` and `sentences` are the numbers of documents and sentences that were cut.
    card = {name: counts.get(name, 0) for name in ("documents", "sentences", "segments", "sentences_in_segments")}
    # `left_out` has the number of documents that are too short, the number of their sentences, and the number of
    # segments that are not drawn.
    left_out = {name: counts.get(f"{name}_left_out", 0) for name in ("documents", "sentences", "segments")}
    sides = {
        side: {name: counts.get(f"{side}_{name}", 0) for name in ("pieces", "longest")} for side in ("source", "target")
    }
    # `over_long_sentences` is None for a cut without a budget of tokens.
    over_long = None if cut.max_tokens is None else counts.get("over_long_sentences", 0)
    return {"cut": cut.name, **card, "left_out": left_out, "over_long_sentences": over_long, **sides}


def cut_of(view: ViewConfig, split: str) -> CutConfig:
    """Return the cut of a split: the training cut for "train", the test cut for "dev" and "test"."""
    return view.train if split == "train" else view.test


@dataclass(frozen=True)
class CutSplit:
    """The sentences of one split in a shard, and the segments into which they are cut."""

    all_sentences: Sentences  # the sentences of tokens.arrow
    selected: Sentences  # the sentences of documents that are long enough
    filled: Sentences  # the selected sentences with their partial copies (`with_copies`)
    cuts: Cuts  # the segments, as ranges of the sentences in `filled`
    over_long: int  # the number of sentences whose cost alone reaches the budget

    @classmethod
    def of(cls, sentences: Sentences, cut: CutConfig) -> "CutSplit":
        """Select the documents that are long enough, add copies where the cut has `partial_copy`, and cut them all."""
        selected = sentences.select(long_enough(sentences, cut))
        costs = sentence_costs(selected.source.lengths, selected.target.lengths)
        filled = with_each_alone(selected) if cut.partial_copy_each else selected
        if cut.partial_copy is not None:
            filled = with_copies(filled, cut.window - 1, cut.partial_copy)
        cuts = cut_documents(filled.documents, costs, cut)
        return cls(sentences, selected, filled, cuts, count_over_long(costs, cut) or 0)

    def segments(self, drawn: np.ndarray | None) -> tuple[pa.RecordBatch, dict[str, int]]:
        """Return the rows of SEGMENTS, and the counts of the split in this shard.

        `drawn`: the numbers of the segments that are used; None for all segments.
        """
        cuts = self.cuts if drawn is None else self.cuts.select(drawn)
        segments = segments_of(self.filled, cuts)
        counts = {
            "documents": len(self.selected.names),
            "documents_left_out": len(self.all_sentences.names) - len(self.selected.names),
            "sentences": len(self.selected),
            "sentences_left_out": len(self.all_sentences) - len(self.selected),
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


class ShardRanker:
    """A function from the number of a shard of tokens to the ranks of its training segments."""

    def __init__(self, cut: CutConfig, tokens: Path) -> None:
        """Open the file of tokens, once in each worker process."""
        self.cut, self.tokens = cut, tokens
        self._shards = ArrowFile(tokens, NEEDED)

    def __call__(self, number: int) -> Done[np.ndarray]:
        """Return the ranks of the training segments of shard `number`; empty where it has no training sentences."""
        rows = self._shards[number]
        training = rows.filter(pc.equal(rows["split"], "train"))
        if not len(training):
            return Done(np.zeros(0, np.uint64), len(rows))
        split = CutSplit.of(sentences_of(training, f"{self.tokens}: train"), self.cut)
        return Done(ranks(split.filled, split.cuts), len(rows))


class ShardCutter:
    """A function from the number of a shard of tokens, and its drawn segments, to its segments and counts by split."""

    def __init__(self, view: ViewConfig, tokens: Path) -> None:
        """Open the file of tokens, once in each worker process."""
        self.view, self.tokens = view, tokens
        self._shards = ArrowFile(tokens, NEEDED)

    def __call__(self, task: tuple[int, np.ndarray | None]) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        """Return the segments and the counts of each split in a shard.

        `task`: the number of the shard, and the numbers of its drawn training segments (None for all segments).
        """
        number, drawn = task
        rows = self._shards[number]
        tables, counts = {}, {}
        for split in pc.unique(rows["split"]).to_pylist():
            sentences = sentences_of(rows.filter(pc.equal(rows["split"], split)), f"{self.tokens}: {split}")
            chosen = drawn if split == "train" else None
            tables[split], counts[split] = CutSplit.of(sentences, cut_of(self.view, split)).segments(chosen)
        return Done((tables, counts), len(rows))
