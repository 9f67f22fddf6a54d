"""The stage: from a corpus's tokens to the segments of one view."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from docmt.core.artifacts import write_json
from docmt.core.config import SPLITS, CutConfig, ViewConfig
from docmt.core.counts import Counts, add_counts
from docmt.core.documents import CONTRASTIVE_TOKENS, SEGMENTS, TOKENS, read_arrow, write_arrow
from docmt.core.shards import ArrowShards, arrow_writer
from docmt.core.workers import ALONE, Done, Workers
from docmt.views.contrastive import contrastive_segments
from docmt.views.copies import with_copies
from docmt.views.cuts import count_over_long, cut_documents, sentence_costs
from docmt.views.segments import Sentences, segments_of, sentences_of

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "sentence", "source_ids", "target_ids")])


@dataclass(frozen=True)
class ViewsSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.core.versions."""

    version: int
    view: ViewConfig


def build_view(settings: ViewsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write train.arrow (by the view's training cut), dev.arrow and test.arrow (by its test cut), and card.json.

    Of each shard of tokens that has sentences of a split, the split's table has a shard. A corpus with contrastive sets
    gets contrastive.arrow too, by the test cut. A split that the corpus lacks is an empty table. Raises UserError where
    sentences are out of order.
    """
    view, file = settings.view, tokens / "tokens.arrow"
    total = len(ArrowShards(file, NEEDED))
    counts: Counts = {}
    with ExitStack() as stack:
        writers = {split: stack.enter_context(arrow_writer(output / f"{split}.arrow", SEGMENTS)) for split in SPLITS}
        for tables, found in workers.each("cutting documents", partial(CutShard, view, file), range(total), total):
            for split, segments in tables.items():
                writers[split].write_batch(segments)
            counts = add_counts(counts, found)
    variants = _contrastive(tokens / "contrastive.arrow", view.test, output / "contrastive.arrow")
    cards = {split: _card(counts.get(split, {}), cut_of(view, split)) for split in SPLITS}
    write_json(output / "card.json", {"view": view.name, "splits": cards, "contrastive_variants": variants})


def cut_of(view: ViewConfig, split: str) -> CutConfig:
    return view.train if split == "train" else view.test


class CutShard:
    """The number of a shard of tokens to segments by split, and their counts."""

    def __init__(self, view: ViewConfig, tokens: Path) -> None:
        self.view, self.tokens = view, tokens
        self._shards = ArrowShards(tokens, NEEDED)

    def __call__(self, number: int) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        rows = self._shards[number]
        tables, counts = {}, {}
        for split in pc.unique(rows["split"]).to_pylist():
            own = rows.filter(pc.equal(rows["split"], split))
            tables[split], counts[split] = _cut(sentences_of(own, f"{self.tokens}: {split}"), cut_of(self.view, split))
        return Done((tables, counts), len(rows))


def _cut(sentences: Sentences, cut: CutConfig) -> tuple[pa.RecordBatch, dict[str, int]]:
    costs = sentence_costs(sentences.source.lengths, sentences.target.lengths)
    filled = sentences if cut.partial_copy is None else with_copies(sentences, cut.window - 1, cut.partial_copy)
    segments = segments_of(filled, cut_documents(filled.documents, costs, cut))
    counts = {
        "documents": len(sentences.names),
        "sentences": len(sentences),
        "over_long_sentences": count_over_long(costs, cut) or 0,
        "segments": len(segments),
        "sentences_in_segments": pc.sum(pc.list_value_length(segments["source_lengths"])).as_py(),
    }
    for side in ("source", "target"):
        pieces = pc.list_value_length(segments[f"{side}_ids"])
        counts |= {f"{side}_pieces": pc.sum(pieces).as_py(), f"{side}_longest": pc.max(pieces).as_py()}
    return segments, counts


def _card(counts: dict[str, int], cut: CutConfig) -> dict[str, Any]:
    """`over_long_sentences` is None where no budget is cut by."""
    card = {name: counts.get(name, 0) for name in ("documents", "sentences", "segments", "sentences_in_segments")}
    sides = {
        side: {name: counts.get(f"{side}_{name}", 0) for name in ("pieces", "longest")} for side in ("source", "target")
    }
    over_long = None if cut.max_tokens is None else counts.get("over_long_sentences", 0)
    return {"cut": cut.name, **card, "over_long_sentences": over_long, **sides}


def _contrastive(items: Path, cut: CutConfig, output: Path) -> int | None:
    """How many variants were written; None, and no file, for a corpus without contrastive sets."""
    if not items.exists():
        output.unlink(missing_ok=True)
        return None
    table = contrastive_segments(read_arrow(items, CONTRASTIVE_TOKENS), cut)
    write_arrow(output, table)
    return len(table)
