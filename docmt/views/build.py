"""Stage 3: the tokens of a corpus are cut into the segments of a view.

Of the training data, short documents are left out, and so are segments that are not drawn.
"""

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.columns import CONTRASTIVE_TOKENS, SEGMENTS, TOKENS, only
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.ragged import sums
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
    document_numbers,
    segments_of,
    sentences_of,
    with_copies,
    with_each_alone,
)

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


SEED = b"docmt sample"  # The key of the hash that ranks segments; a different key would draw different segments


def long_enough(sentences: Sentences, cut: CutConfig) -> np.ndarray:
    """Return for each document whether it has the minimum numbers of sentences and of source pieces that `cut` sets.

    Paper: G-Transformer, section 3.1, where training documents "with a length of less than 768 tokens" are removed.
    """
    lengths = np.diff(sentences.documents)
    # Our reading: the length is the number of source pieces, without the symbols around sentences.
    pieces = sums(sentences.source.lengths, lengths)
    return (lengths >= (cut.min_document_sentences or 0)) & (pieces >= (cut.min_document_tokens or 0))


def ranks(sentences: Sentences, cuts: Cuts) -> np.ndarray:
    """Return a pseudo-random number (uint64) for each segment.

    The number depends only on the name of the segment's document and on the number of the segment's last sentence.
    """
    owner = document_numbers(sentences, cuts)
    # No two segments of a cut have the same last sentence, but several windows may have the same first sentence.
    ends = cuts.ends - sentences.documents[owner]
    keys = (f"{name}\t{end}".encode() for name, end in zip(sentences.names[owner], ends, strict=True))
    numbers = b"".join(blake2b(key, digest_size=8, key=SEED).digest() for key in keys)
    return np.frombuffer(numbers, "<u8")


def draw(size: int, shards: Iterable[np.ndarray], where: str) -> list[np.ndarray]:
    """Return, for each shard, the numbers of its segments among the `size` segments with the lowest ranks, ascending.

    `shards`: the `ranks` of each shard, in the order of the shards. The segments of a smaller draw are all in a larger
    draw.

    Raises UserError, which names `where`, where there are fewer segments than `size`.
    """
    drawn, places = np.zeros(0, np.uint64), np.zeros((0, 2), np.int64)
    total = count = 0
    for number, shard_ranks in enumerate(shards):
        shard_places = np.stack([np.full(len(shard_ranks), number), np.arange(len(shard_ranks))], axis=1)
        # Memory holds at most `size` drawn segments and one shard.
        drawn, places = np.concatenate([drawn, shard_ranks]), np.concatenate([places, shard_places])
        # The sort is stable, so that of segments with equal ranks the earlier one is drawn.
        lowest = np.argsort(drawn, kind="stable")[:size]
        drawn, places = drawn[lowest], places[lowest]
        total, count = total + len(shard_ranks), count + 1
    if total < size:
        what = "fewer training segments than are to be drawn"
        raise UserError(what, where=where, found=f"{total} segments", expected=f"{size} or more (view.train.sample)")
    return [np.sort(places[places[:, 0] == number, 1]) for number in range(count)]
