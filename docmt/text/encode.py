"""The second pass of stage 2 over a corpus, which converts tokens to cased tokens, pieces and ids.

Contrastive items, and the further references that BLEU over tokens needs, are converted here too. The module also
builds the card of stage 2.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.columns import CONTRASTIVE_TOKENS, REFERENCE_TOKENS, TOKENS
from docmt.base.errors import UserError
from docmt.base.manifest import check_file
from docmt.base.names import SPLITS
from docmt.base.shards import Counts, add_counts
from docmt.base.tables import ArrowFile, arrow_writer
from docmt.base.vocabulary import UNK
from docmt.base.workers import ALONE, Done, Workers
from docmt.text.pipeline import SIDES, Sides, TextPipeline
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side
from docmt.text.tokenise import REMEMBERED_SENTENCES, TOKENISED


def encode(tokenised: Path, text: Path, output: Path, workers: Workers = ALONE) -> Counts:
    """Write the shards of TOKENS for the shards of a TOKENISED file, by the pipeline in `text`; return their counts."""
    numbers = range(len(ArrowFile(tokenised, TOKENISED)))
    counts: Counts = {}
    with arrow_writer(output, TOKENS) as writer:
        make = partial(ShardEncoder, tokenised, text)
        for shard, shard_counts in workers.each("cutting into pieces", make, numbers, len(numbers)):
            writer.write_batch(shard)
            counts = add_counts(counts, shard_counts)
    return counts


class ShardEncoder:
    """A function from the number of a shard to the rows of TOKENS of the shard, and the counts of these rows."""

    def __init__(self, tokenised: Path, text: Path) -> None:
        """Load the pipeline, once in each worker process."""
        self._shards = ArrowFile(tokenised, TOKENISED)
        self._sides = TextPipeline.load(text).sides

    def __call__(self, number: int) -> Done[tuple[pa.RecordBatch, Counts]]:
        """Return the rows of shard `number` and the counts of the rows."""
        rows = self._shards[number].combine_chunks()
        columns = {name: rows[name].chunk(0) for name in ("split", "document", "sentence")}
        for name, side in self._sides.items():
            encoded: Sequence[pa.Array] = side.encode_column(rows[name].to_pylist())
            columns |= zip((f"{name}_tokens", f"{name}_pieces", f"{name}_ids"), encoded, strict=True)
        shard = pa.record_batch([columns[name] for name in TOKENS.names], schema=TOKENS)
        return Done((shard, count_rows(pa.Table.from_batches([shard]))), len(shard))


COLUMNS_OF_ITEMS = {"source_ids": "source", "target_context_ids": "target_context", "variant_ids": "variants"}
"""The columns of CONTRASTIVE_TOKENS with ids, each with the column of CONTRASTIVE that has the sentences."""


def contrastive_tokens(items: pa.Table, sides: Sides, file: str) -> pa.Table:
    """Return the table CONTRASTIVE_TOKENS, with the ids of contrastive items; `file` names the items in messages.

    Raises UserError for a sentence without any token.
    """
    # Sentences are remembered, since the items of a contrastive set share many context sentences.
    encode = {name: lru_cache(REMEMBERED_SENTENCES)(side.encode) for name, side in sides.items()}
    rows = []
    for item in items.to_pylist():
        row = {name: item[name] for name in ("set", "item", "distance", "correct")}
        for column, sentences in COLUMNS_OF_ITEMS.items():
            side = "source" if column == "source_ids" else "target"
            row[column] = [encode[side](sentence) for sentence in item[sentences]]
            if not all(row[column]):
                raise _without_tokens(item, item[sentences][row[column].index([])], file)
        rows.append(row)
    return pa.Table.from_pylist(rows, CONTRASTIVE_TOKENS)


def _without_tokens(item: dict[str, Any], sentence: str, file: str) -> UserError:
    where = f"{file}: set {item['set']!r} item {item['item']}"
    return UserError("a contrastive sentence without any token", where=where, found=repr(sentence))


def reference_tokens(documents: Path, target: Side | PretrainedSide) -> pa.Table | None:
    """Return the tokens of the further references in `documents.parquet`, which are translations beside the target.

    Returns None for a corpus without further references.
    """
    has_any = pc.list_value_length(pc.field("references")) > 0
    check_file(documents)
    rows = pq.read_table(documents, columns=["split", "document", "sentence", "references"], filters=has_any)
    if not len(rows):
        return None
    # The references are tokenised and cased as the target side is.
    tokens = [
        [" ".join(target.tokens(sentence)) for sentence in references] for references in rows["references"].to_pylist()
    ]
    columns = [rows[name] for name in REFERENCE_TOKENS.names[:-1]]
    return pa.table([*columns, pa.array(tokens, pa.list_(pa.string()))], REFERENCE_TOKENS)


TOOLS = ("jieba", "regex", "sacremoses", "subword-nmt", "tokenizers")
"""The packages whose versions are in the card, since the pieces depend on these packages."""


def count_rows(rows: pa.Table) -> Counts:
    """Return the counts of each split of a shard, which holds whole documents.

    The counts are `documents`, `sentences` and, for each side, `tokens`, `pieces` and `unknown`, with the side in
    front, as in `source_tokens`. `unknown` is the number of pieces that are not in the vocabulary.
    """
    import polars as pl

    counts = {"documents": pl.col("document").n_unique(), "sentences": pl.len()}
    for side in SIDES:
        ids = pl.col(f"{side}_ids").list
        # Tokens are joined by single spaces: a sentence has one token more than spaces.
        counts[f"{side}_tokens"] = pl.col(f"{side}_tokens").str.count_matches(" ", literal=True).sum() + pl.len()
        counts[f"{side}_pieces"] = ids.len().sum()
        counts[f"{side}_unknown"] = ids.count_matches(UNK).sum()
    return {row.pop("split"): row for row in pl.from_arrow(rows).group_by("split").agg(**counts).to_dicts()}


def text_card(pipeline: TextPipeline, counts: Counts, contrastive_items: int | None) -> dict[str, Any]:
    """Return the content of the card of stage 2.

    `contrastive_items` is the number of contrastive items; None for a corpus without contrastive sets. In the card,
    `merges` is the number of learnt merges: it is lower than the setting `merges` where a small corpus has no further
    pair to merge, and None for pretrained pieces and SentencePiece.
    """
    sides = pipeline.sides
    tools = TOOLS if pipeline.config.sentencepiece is None else (*TOOLS, "sentencepiece")
    return {
        "text": pipeline.config.stated(),
        "merges": {name: side.merges for name, side in sides.items()},
        "vocabulary": {name: len(side.vocabulary) for name, side in sides.items()},
        "splits": {split: _split(counts.get(split, {})) for split in SPLITS},
        "contrastive_items": contrastive_items,
        "tools": {name: version(name) for name in tools},
    }


def _split(counts: dict[str, int]) -> dict[str, Any]:
    card: dict[str, Any] = {name: counts.get(name, 0) for name in ("documents", "sentences")}
    for side in SIDES:
        totals = {name: counts.get(f"{side}_{name}", 0) for name in ("tokens", "pieces", "unknown")}
        card[side] = {**totals, "unknown_share": round(totals["unknown"] / max(totals["pieces"], 1), 6)}
    return card
