"""The stage: from a corpus's tokens to the segments of one view."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.columns import CONTRASTIVE_TOKENS, SEGMENTS, TOKENS, only, read_arrow, write_if_any
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.shards import ArrowShards, Counts, add_counts, arrow_writer
from docmt.base.workers import ALONE, Done, Workers
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.cuts import Cuts, count_over_long, cut_documents, sentence_costs
from docmt.views.segments import Sentences, contrastive_segments, segments_of, sentences_of, with_copies
from docmt.views.selection import draw, long_enough, ranks

NEEDED = only(TOKENS, "split", "document", "sentence", "source_ids", "target_ids")


@dataclass(frozen=True)
class ViewsSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.plan.versions."""

    version: int
    view: ViewConfig


def build_view(settings: ViewsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write train.arrow (by the view's training cut), dev.arrow and test.arrow (by its test cut), and card.json.

    Of each shard of tokens that has sentences of a split, the split's table has a shard. A corpus with contrastive sets
    gets contrastive.arrow too, by the test cut. A split that the corpus lacks is an empty table. Raises UserError where
    sentences are out of order, where every training document is too short, and for fewer segments than are drawn.
    """
    view, file = settings.view, tokens / "tokens.arrow"
    tasks = list(enumerate(_drawn(view, file, workers)))
    counts: Counts = {}
    with ExitStack() as stack:
        writers = {split: stack.enter_context(arrow_writer(output / f"{split}.arrow", SEGMENTS)) for split in SPLITS}
        for tables, found in workers.each("cutting documents", partial(ShardCutter, view, file), tasks, len(tasks)):
            for split, segments in tables.items():
                writers[split].write_batch(segments)
            counts = add_counts(counts, found)
        _check_documents(counts.get("train", {}), view.train, file)
    items = tokens / "contrastive.arrow"
    variants = contrastive_segments(read_arrow(items, CONTRASTIVE_TOKENS), view.test) if items.exists() else None
    write_if_any(output / "contrastive.arrow", variants)
    cards = {split: _card(counts.get(split, {}), cut_of(view, split)) for split in SPLITS}
    count = None if variants is None else len(variants)
    write_json(output / "card.json", {"view": view.name, "splits": cards, "contrastive_variants": count})


def _drawn(view: ViewConfig, file: Path, workers: Workers) -> list[np.ndarray | None]:
    """For each shard the numbers of its training segments that are drawn; none where all are selected."""
    total = len(ArrowShards(file, NEEDED))
    if view.train.sample is None:
        return [None] * total
    found = workers.each("drawing segments", partial(ShardRanker, view.train, file), range(total), total)
    return draw(view.train.sample, found, f"{file}: train")


def _check_documents(counts: dict[str, int], cut: CutConfig, file: Path) -> None:
    left_out = counts.get("documents_left_out", 0)
    if left_out and left_out == counts["documents"] + left_out:
        what, expected = "every training document is too short", f"some that {cut.name} keeps"
        raise UserError(what, where=f"{file}: train", found=f"{left_out} documents", expected=expected)


def _card(counts: dict[str, int], cut: CutConfig) -> dict[str, Any]:
    """`documents` and `sentences` are those that were cut; `left_out` are documents that were too short, with their
    sentences, and segments that were not drawn. `over_long_sentences` is None where no budget is cut by.
    """
    card = {name: counts.get(name, 0) for name in ("documents", "sentences", "segments", "sentences_in_segments")}
    left_out = {name: counts.get(f"{name}_left_out", 0) for name in ("documents", "sentences", "segments")}
    sides = {
        side: {name: counts.get(f"{side}_{name}", 0) for name in ("pieces", "longest")} for side in ("source", "target")
    }
    over_long = None if cut.max_tokens is None else counts.get("over_long_sentences", 0)
    return {"cut": cut.name, **card, "left_out": left_out, "over_long_sentences": over_long, **sides}


def cut_of(view: ViewConfig, split: str) -> CutConfig:
    return view.train if split == "train" else view.test


@dataclass(frozen=True)
class CutSplit:
    """A shard's sentences of one split, and where they are cut.

    `selected`: the sentences of documents that are long enough; `filled`: these with the partial copies of
    `docmt.views.segments.with_copies`; `cuts` are ranges of `filled`.
    """

    all_sentences: Sentences
    selected: Sentences
    filled: Sentences
    cuts: Cuts
    over_long: int

    @classmethod
    def of(cls, sentences: Sentences, cut: CutConfig) -> "CutSplit":
        selected = sentences.select(long_enough(sentences, cut))
        costs = sentence_costs(selected.source.lengths, selected.target.lengths)
        filled = selected if cut.partial_copy is None else with_copies(selected, cut.window - 1, cut.partial_copy)
        cuts = cut_documents(filled.documents, costs, cut)
        return cls(sentences, selected, filled, cuts, count_over_long(costs, cut) or 0)

    def segments(self, drawn: np.ndarray | None) -> tuple[pa.RecordBatch, dict[str, int]]:
        """Rows of SEGMENTS, and counts; `drawn`: the numbers of those that are wanted, or none for all."""
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


class ShardCutter:
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
