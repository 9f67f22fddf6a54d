"""The second pass over a corpus: from tokens to cased tokens, pieces and ids."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import TOKENS
from docmt.base.counts import Counts, add_counts
from docmt.base.shards import ArrowShards, arrow_writer
from docmt.base.workers import ALONE, Done, Workers
from docmt.text.card import count_rows
from docmt.text.pipeline import TextPipeline
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
