"""The chains of a view's segments, by their pieces: what models look at."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NoReturn

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.chains import Words, chains_of, words_of_pieces
from docmt.base.columns import (
    CONTRASTIVE_SEGMENTS,
    SEGMENT_CHAINS,
    SEGMENTS,
    STOP_WORDS,
    TOKENS,
    read_arrow,
    write_arrow,
)
from docmt.base.counts import Counts, add_counts
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.shards import ArrowShards, arrow_writer, batch_of
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.frames import chains_of_pieces, count, repeated, words_of_sentences
from docmt.chains.statistics import cards
from docmt.chains.stop_words import read_stop_words, write_stop_words
from docmt.settings.data import ViewConfig

SPLIT = pa.schema([TOKENS.field("split")])
NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "sentence", "source_tokens", "source_pieces")])
ROWS = pa.schema([SEGMENTS.field(name) for name in ("document", "first", "source_lengths")])
VARIANTS = pa.schema([CONTRASTIVE_SEGMENTS.field(name) for name in ("source_ids", "source_lengths")])

ShardOfView = tuple[int, dict[str, int]]
"""The number of a shard of tokens, and by split that of the view's shard that was cut from it."""


@dataclass(frozen=True)
class SegmentsSettings:
    """The `settings.json` of the chains of a view."""

    version: int
    view: ViewConfig


def build_segments(
    settings: SegmentsSettings, tokens: Path, words: Path, view: Path, output: Path, workers: Workers = ALONE
) -> None:
    """Write {train, dev, test}.arrow, a row for each of the view's, and card.json; contrastive.arrow where it has one.

    A word is in a chain where it occurs twice within the segment. Raises UserError where the view was cut from other
    tokens.
    """
    stop_words = read_stop_words(words / STOP_WORDS)
    tasks = _shards_of_view(tokens / "tokens.arrow", view)
    make = partial(ChainShard, tokens / "tokens.arrow", view, tuple(stop_words))
    counts: Counts = {}
    with ExitStack() as stack:
        paths = {split: output / f"{split}.arrow" for split in SPLITS}
        writers = {split: stack.enter_context(arrow_writer(path, SEGMENT_CHAINS)) for split, path in paths.items()}
        for tables, found in workers.each("finding chains of segments", make, tasks, len(tasks)):
            for split, chains in tables.items():
                writers[split].write_batch(chains)
            counts = add_counts(counts, found)
    _contrastive(tokens, view, stop_words, output / "contrastive.arrow")
    # It goes along with the chains, to the model that is trained on them.
    write_stop_words(output / STOP_WORDS, sorted(stop_words))
    write_json(output / "card.json", {"view": settings.view.name, "splits": cards(counts)})


def _shards_of_view(tokens: Path, view: Path) -> list[ShardOfView]:
    """For each shard of tokens the shards of the view that were cut from it."""
    shards, tasks = ArrowShards(tokens, SPLIT), []
    used = dict.fromkeys(SPLITS, 0)
    for number, rows in enumerate(shards):
        splits = pc.unique(rows["split"]).to_pylist()
        tasks.append((number, {split: used[split] for split in splits}))
        used |= {split: used[split] + 1 for split in splits}
    for split, shards_of_split in used.items():
        file = view / f"{split}.arrow"
        found = len(ArrowShards(file, ROWS))
        if found != shards_of_split:
            what, expected = "shards of other tokens", f"{shards_of_split}, one for each of this split's tokens"
            raise UserError(what, where=str(file), found=found, expected=expected, remedy="make the view anew")
    return tasks


class ChainShard:
    """A shard of tokens, and the view's shards that were cut from it, to SEGMENT_CHAINS and counts by split."""

    def __init__(self, tokens: Path, view: Path, stop_words: tuple[str, ...]) -> None:
        self._tokens, self._stop_words = ArrowShards(tokens, NEEDED), stop_words
        self._view = {split: ArrowShards(view / f"{split}.arrow", ROWS) for split in SPLITS}

    def __call__(self, task: ShardOfView) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        number, of_view = task
        rows = self._tokens[number]
        tables, counts = {}, {}
        for split, place in of_view.items():
            segments = pl.from_arrow(self._view[split][place]).with_row_index("text")
            words = self._words(pl.from_arrow(rows.filter(pc.equal(rows["split"], split))), segments, split, place)
            chains = repeated(words, self._stop_words)
            tables[split] = batch_of(chains_of_pieces(chains, len(segments)))
            counts[split] = count(words, chains)
        return Done((tables, counts), len(rows))

    def _words(self, rows: pl.DataFrame, segments: pl.DataFrame, split: str, place: int) -> pl.DataFrame:
        """The words of each segment, from the sentences that it names."""
        words = words_of_sentences(rows["source_tokens"], rows["source_pieces"])
        pieces = words.group_by("row", maintain_order=True).agg(pl.col("pieces").sum())["pieces"]
        known = rows.select("document", "sentence", pieces=pieces).with_row_index("row")
        lengths = pl.col("source_lengths")
        named = segments.with_columns(sentence=pl.int_ranges(lengths.list.len().cast(pl.Int32), dtype=pl.Int32))
        named = named.explode("source_lengths", "sentence").with_columns(pl.col("sentence") + pl.col("first"))
        found = named.join(known, on=["document", "sentence"], how="left", maintain_order="left")
        strange = found.filter(lengths.ne_missing(pl.col("pieces")))["text"]
        if len(strange):
            self._refuse(segments.row(strange[0], named=True), split, place)
        own = found.select("text", "row").join(words, on="row", maintain_order="left_right").drop("row")
        return own.with_columns(start=(pl.col("pieces").cum_sum() - pl.col("pieces")).over("text"))

    def _refuse(self, segment: dict[str, Any], split: str, place: int) -> NoReturn:
        before = sum(len(self._view[split][number]) for number in range(place))
        name, first, lengths = (segment[name] for name in ROWS.names)
        raise UserError(
            "a segment of other tokens",
            where=f"{self._view[split].path}: row {before + segment['text']}",
            found=f"document {name!r}, sentence {first}, pieces {lengths}",
            expected="the view of these tokens",
            remedy="make the view anew",
        )


def _contrastive(tokens: Path, view: Path, stop_words: frozenset[str], output: Path) -> None:
    """No file for a view without contrastive segments; one of an earlier run must not be taken for this view's."""
    file = view / "contrastive.arrow"
    if not file.exists():
        output.unlink(missing_ok=True)
        return
    vocabulary = Vocabulary.load(tokens / "text" / "vocabulary.source.txt")
    texts = list(_variants(file, vocabulary))
    unknown = {word for words, _ in texts for text in words for word in text if is_unknown(word)}
    found = (chains_of(*text, stop_words | unknown) for text in texts)
    rows = [dict(zip(SEGMENT_CHAINS.names, chains, strict=True)) for chains in found]
    write_arrow(output, pa.Table.from_pylist(rows, SEGMENT_CHAINS))


def _variants(file: Path, vocabulary: Vocabulary) -> Iterator[tuple[list[list[str]], list[list[int]]]]:
    """The words of each variant's source sentences, which stage 3 knows by their ids only, and their pieces."""
    for row in read_arrow(file, VARIANTS).to_pylist():
        ends = accumulate(row["source_lengths"], initial=0)
        sentences = [words_of_ids(row["source_ids"][start:end], vocabulary) for start, end in pairwise(ends)]
        words, counts = zip(*sentences, strict=True)
        yield list(words), list(counts)


def words_of_ids(ids: Sequence[int], vocabulary: Vocabulary) -> Words:
    """From a sentence's ids, where nothing else is known of it.

    A piece outside the vocabulary ends its word: whether it went on is lost with it.
    """
    return words_of_pieces(vocabulary.decode(ids))


def is_unknown(word: str) -> bool:
    """Whether a word of `words_of_ids` holds `<unk>`, and so may stand for any word. No token does."""
    return SPECIALS[UNK] in word
