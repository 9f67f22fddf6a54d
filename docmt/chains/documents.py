"""The chains of whole documents, by their words: what LTCR looks at, and the stop list of all chains."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.columns import CHAINS_WORDS, STOP_WORDS, TOKENS
from docmt.base.counts import Counts, add_counts
from docmt.base.shards import ArrowShards, arrow_writer, batch_of
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.frames import count, repeated
from docmt.chains.statistics import cards
from docmt.chains.stop_words import most_frequent, write_stop_words

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "source_tokens")])


@dataclass(frozen=True)
class WordsSettings:
    """The `settings.json` of the chains of words. `stop_words`: how many."""

    version: int
    stop_words: int


def build_words(settings: WordsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write chains.arrow (the chains of all documents), stop_words.txt (from the training split) and card.json."""
    file = tokens / "tokens.arrow"
    stop_words = most_frequent(count_words(file, workers), settings.stop_words)
    total = len(ArrowShards(file, NEEDED))
    make = partial(ChainShard, file, tuple(stop_words))
    counts: Counts = {}
    with arrow_writer(output / "chains.arrow", CHAINS_WORDS) as writer:
        for chains, found in workers.each("finding chains of documents", make, range(total), total):
            writer.write_batch(chains)
            counts = add_counts(counts, found)
    write_stop_words(output / STOP_WORDS, stop_words)
    write_json(output / "card.json", {"stop_words": len(stop_words), "splits": cards(counts)})


def count_words(tokens: Path, workers: Workers = ALONE) -> Counter[str]:
    """How often each source word occurs in training."""
    total = len(ArrowShards(tokens, NEEDED))
    counts: Counter[str] = Counter()
    for found in workers.each("counting words", partial(CountShard, tokens), range(total), total):
        counts.update(found)
    return counts


class CountShard:
    """The number of a shard of tokens to counts of its training words."""

    def __init__(self, tokens: Path) -> None:
        self._shards = ArrowShards(tokens, NEEDED)

    def __call__(self, number: int) -> Done[dict[str, int]]:
        rows = self._shards[number]
        lines = rows["source_tokens"].filter(pc.equal(rows["split"], "train"))
        counts = pc.value_counts(pc.list_flatten(pc.split_pattern(lines, " ")))
        values = (counts.field(name).to_pylist() for name in ("values", "counts"))
        return Done(dict(zip(*values, strict=True)), len(rows))


class ChainShard:
    """The number of a shard of tokens to CHAINS_WORDS, and counts by split."""

    def __init__(self, tokens: Path, stop_words: tuple[str, ...]) -> None:
        self._shards, self._stop_words = ArrowShards(tokens, NEEDED), stop_words

    def __call__(self, number: int) -> Done[tuple[pa.RecordBatch, Counts]]:
        shard = self._shards[number]
        words = _words(pl.from_arrow(shard))
        chains = repeated(words, self._stop_words)
        rows = chains.with_columns(pl.col("split", "document").list.first())
        table = rows.select(CHAINS_WORDS.names).to_arrow().cast(CHAINS_WORDS)
        splits = words["split"].unique(maintain_order=True)
        own = {split: (words.filter(split=split), rows.filter(split=split)) for split in splits}
        return Done((batch_of(table), {split: count(*frames) for split, frames in own.items()}), len(shard))


def _words(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a word; `text` is the number of its document, `sentences` and `words` its place there."""
    rows = rows.with_columns(text=pl.struct("split", "document").rle_id())
    rows = rows.with_columns(
        sentences=pl.int_range(pl.len(), dtype=pl.Int32).over("text"), word=pl.col("source_tokens").str.split(" ")
    )
    rows = rows.with_columns(words=pl.int_ranges(pl.col("word").list.len().cast(pl.Int32), dtype=pl.Int32))
    return rows.drop("source_tokens").explode("word", "words")
