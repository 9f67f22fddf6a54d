"""What stage 2 made, in numbers."""

import dataclasses
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.counts import Counts
from docmt.base.names import SPLITS
from docmt.base.vocabulary import UNK
from docmt.text.pipeline import TextPipeline
from docmt.text.settings import SIDES

TOOLS = ("jieba", "regex", "sacremoses", "subword-nmt", "tokenizers")


def count_rows(rows: pa.Table) -> Counts:
    """Of a shard, which holds whole documents: `documents`, `sentences`, and of each side `source_tokens`,
    `source_pieces` and `source_unknown`, the pieces outside the vocabulary.
    """
    splits = pc.unique(rows["split"]).to_pylist()
    return {split: _count(rows.filter(pc.equal(rows["split"], split))) for split in splits}


def _count(rows: pa.Table) -> dict[str, int]:
    counts = {"documents": len(pc.unique(rows["document"])), "sentences": len(rows)}
    for side in SIDES:
        ids = pc.list_flatten(rows[f"{side}_ids"]).to_numpy()
        counts[f"{side}_tokens"] = pc.sum(pc.count_substring(rows[f"{side}_tokens"], " ")).as_py() + len(rows)
        counts[f"{side}_pieces"] = len(ids)
        counts[f"{side}_unknown"] = int(np.count_nonzero(ids == UNK))
    return counts


def text_card(pipeline: TextPipeline, counts: Counts, contrastive_items: int | None) -> dict[str, Any]:
    """`contrastive_items` is None where the corpus has none; `merges` are those learnt, which a small corpus exhausts,
    and None where pieces are those of a pretrained checkpoint.
    """
    sides = pipeline.sides
    return {
        "text": dataclasses.asdict(pipeline.config),
        "merges": {name: side.merges for name, side in sides.items()},
        "vocabulary": {name: len(side.vocabulary) for name, side in sides.items()},
        "splits": {split: _split(counts.get(split, {})) for split in SPLITS},
        "contrastive_items": contrastive_items,
        "tools": {name: version(name) for name in TOOLS},
    }


def _split(counts: dict[str, int]) -> dict[str, Any]:
    card: dict[str, Any] = {name: counts.get(name, 0) for name in ("documents", "sentences")}
    for side in SIDES:
        own = {name: counts.get(f"{side}_{name}", 0) for name in ("tokens", "pieces", "unknown")}
        card[side] = {**own, "unknown_share": round(own["unknown"] / max(own["pieces"], 1), 6)}
    return card
