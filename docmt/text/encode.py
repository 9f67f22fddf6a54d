"""The second pass over a corpus: from tokens to cased tokens, pieces and ids; and what stage 2 made, in numbers."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import TOKENS
from docmt.base.names import SPLITS
from docmt.base.shards import ArrowShards, Counts, add_counts, arrow_writer
from docmt.base.vocabulary import UNK
from docmt.base.workers import ALONE, Done, Workers
from docmt.text.pipeline import SIDES, TextPipeline
from docmt.text.tokenise import TOKENISED


def encode(tokenised: Path, text: Path, output: Path, workers: Workers = ALONE) -> Counts:
    """Write the TOKENS shards of a file of TOKENISED ones, by the pipeline in `text`; returns their counts."""
    numbers = range(len(ArrowShards(tokenised, TOKENISED)))
    counts: Counts = {}
    with arrow_writer(output, TOKENS) as writer:
        make = partial(Encode, tokenised, text)
        for shard, found in workers.each("cutting into pieces", make, numbers, len(numbers)):
            writer.write_batch(shard)
            counts = add_counts(counts, found)
    return counts


class Encode:
    """The number of a shard to its rows of TOKENS, and their counts."""

    def __init__(self, tokenised: Path, text: Path) -> None:
        self._shards = ArrowShards(tokenised, TOKENISED)
        self._sides = TextPipeline.load(text).sides

    def __call__(self, number: int) -> Done[tuple[pa.RecordBatch, Counts]]:
        rows = self._shards[number].combine_chunks()
        columns = {name: rows[name].chunk(0) for name in ("split", "document", "sentence")}
        for name, side in self._sides.items():
            found: Sequence[pa.Array] = side.encode_column(rows[name].to_pylist())
            columns |= zip((f"{name}_tokens", f"{name}_pieces", f"{name}_ids"), found, strict=True)
        shard = pa.record_batch([columns[name] for name in TOKENS.names], schema=TOKENS)
        return Done((shard, count_rows(pa.Table.from_batches([shard]))), len(shard))


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
