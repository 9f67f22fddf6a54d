"""The lexical chains of a view's segments, as chains of source pieces, which models read."""

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.chains import Words, chains_of_pieces, count_pieces, repeated, words_of_pieces
from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENT_CHAINS, SEGMENTS, STOP_WORDS, TOKENS, only
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.ragged import Ragged, spans, starts, sums
from docmt.base.shards import Counts, add_counts
from docmt.base.tables import ArrowFile, arrow_writer, read_arrow, write_if_any
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.documents import read_stop_words, write_stop_words
from docmt.chains.statistics import cards, count
from docmt.settings.data import ViewConfig

SPLIT = only(TOKENS, "split")  # The column from which the splits of a shard of tokens are read
NEEDED = only(TOKENS, "split", "document", "sentence", "source_tokens", "source_pieces")
"""The columns of tokens.arrow from which chains are computed."""
ROWS = only(SEGMENTS, "document", "first", "source_lengths")
"""The columns of a view that identify the sentences of each segment."""
VARIANTS = only(CONTRASTIVE_SEGMENTS, "source_ids", "source_lengths")
"""The columns of contrastive segments from which their chains are computed."""

ShardOfView = tuple[int, dict[str, int]]
"""The number of a shard of tokens, and, by split, the number of the shard of the view that was cut from it."""


@dataclass(frozen=True)
class SegmentsSettings:
    """The `job.json` of the chains of a view."""

    version: int
    view: ViewConfig


def build_segments(
    settings: SegmentsSettings, tokens: Path, words: Path, view: Path, output: Path, workers: Workers = ALONE
) -> None:
    """Write {train, dev, test}.arrow, with a row for each segment of the view, and card.json.

    The folder also gets a copy of the stop list, and contrastive.arrow where the view has contrastive segments. A word
    forms a chain where it occurs at least twice within the segment.

    Raises UserError where the view was cut from different tokens.
    """
    stop_words = read_stop_words(words / STOP_WORDS)
    tasks = _shards_of_view(tokens / "tokens.arrow", view)
    make = partial(SegmentChainFinder, tokens / "tokens.arrow", view, tuple(stop_words))
    counts: Counts = {}
    with ExitStack() as stack:
        paths = {split: output / f"{split}.arrow" for split in SPLITS}
        writers = {split: stack.enter_context(arrow_writer(path, SEGMENT_CHAINS)) for split, path in paths.items()}
        for tables, shard_counts in workers.each("finding chains of segments", make, tasks, len(tasks)):
            for split, chains in tables.items():
                writers[split].write_batch(chains)
            counts = add_counts(counts, shard_counts)
    write_if_any(output / "contrastive.arrow", _contrastive(tokens, view, stop_words))
    # A training copies this stop list from here into the folder of its model.
    write_stop_words(output / STOP_WORDS, sorted(stop_words))
    write_json(output / "card.json", {"view": settings.view.name, "splits": cards(counts)})


def _shards_of_view(tokens: Path, view: Path) -> list[ShardOfView]:
    """Return, for each shard of tokens, the numbers of the view's shards that were cut from it.

    Raises UserError where a split of the view does not have as many shards as the split of the tokens.
    """
    shards, tasks = ArrowFile(tokens, SPLIT), []
    used = dict.fromkeys(SPLITS, 0)
    for number, rows in enumerate(shards):
        splits = pc.unique(rows["split"]).to_pylist()
        tasks.append((number, {split: used[split] for split in splits}))
        used |= {split: used[split] + 1 for split in splits}
    for split, shards_of_split in used.items():
        file = view / f"{split}.arrow"
        actual = len(ArrowFile(file, ROWS))
        if actual != shards_of_split:
            what, expected = (
                "the view was cut from different tokens",
                f"{shards_of_split} shards, as many as the split's tokens",
            )
            raise UserError(
                what, where=str(file), found=f"{actual} shards", expected=expected, remedy="build the view again"
            )
    return tasks


class SegmentChainFinder:
    """A function from the numbers of a shard of tokens and of its shards of the view to chains and counts, by split."""

    def __init__(self, tokens: Path, view: Path, stop_words: tuple[str, ...]) -> None:
        """Open the files of tokens and of the view, once in each worker process; stop words form no chains."""
        self._tokens, self._stop_words = ArrowFile(tokens, NEEDED), stop_words
        self._view = {split: ArrowFile(view / f"{split}.arrow", ROWS) for split in SPLITS}

    def __call__(self, task: ShardOfView) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        """Return the chains of the segments that were cut from a shard of tokens, and their counts, by split.

        Raises UserError where the view was cut from different tokens.
        """
        number, of_view = task
        rows = self._tokens[number]
        tables, counts = {}, {}
        for split, place in of_view.items():
            split_rows = rows.filter(pc.equal(rows["split"], split)).combine_chunks()
            segments = self._view[split][place].combine_chunks()
            texts = words_of_segments(split_rows, segments, partial(self._where, split, place))
            chains = texts.chains(self._stop_words)
            tables[split], counts[split] = texts.table(chains), count(texts.lengths, chains.lengths)
        return Done((tables, counts), len(rows))

    def _where(self, split: str, place: int, number: int) -> str:
        before = sum(len(self._view[split][earlier]) for earlier in range(place))
        return f"{self._view[split].path}: row {before + number}"


def words_of_segments(rows: pa.Table, segments: pa.Table, where: Callable[[int], str]) -> "SegmentWords":
    """Return the words of each segment; `rows` are the rows of tokens of a split in a shard.

    `segments` has the columns ROWS; both tables have a single chunk. Raises UserError, at the place `where` of its
    number, where a segment was cut from different tokens.
    """
    words, pieces = (pc.split_pattern(rows[f"source_{name}"].chunk(0), " ") for name in ("tokens", "pieces"))
    counts, expected = (column.value_lengths().to_numpy() for column in (words, pieces))
    lengths = segments["source_lengths"].chunk(0)
    sentences, actual = lengths.value_lengths().to_numpy(), lengths.flatten().to_numpy()
    row = _rows(rows, segments, sentences)
    # Where `row` is -1, `expected[row]` is the value of the last row; the first condition is then true anyway.
    differing = np.flatnonzero((row < 0) | (expected[row] != actual))
    if len(differing):
        number = int(np.searchsorted(np.cumsum(sentences), differing[0], side="right"))
        _refuse(segments.slice(number, 1).to_pylist()[0], where(number))
    chosen = spans(starts(counts)[row], counts[row])
    # Windows repeat sentences. As numbers of a dictionary, repeated words take little memory and are compared fast.
    chosen_words = words.flatten().dictionary_encode().take(pa.array(chosen))
    return SegmentWords(chosen_words, sums(counts[row], sentences), count_pieces(pieces.flatten(), expected)[chosen])


def _refuse(segment: dict[str, Any], where: str) -> NoReturn:
    raise UserError(
        "the segment was cut from different tokens",
        where=where,
        found=f"document {segment['document']!r}, sentence {segment['first']}, pieces {segment['source_lengths']}",
        expected="a segment of a view of these tokens",
        remedy="build the view again",
    )


def _rows(rows: pa.Table, segments: pa.Table, sentences: np.ndarray) -> np.ndarray:
    """Return the row of tokens of each sentence of the segments; -1 where there is no such row.

    `rows`: the rows of tokens of a shard. `sentences`: the number of sentences of each segment.
    """
    opens = np.flatnonzero(rows["sentence"].to_numpy() == 0)
    bounds = np.append(opens, len(rows))
    document = pc.index_in(segments["document"], rows["document"].take(pa.array(opens))).fill_null(-1).to_numpy()
    row = spans(bounds[document] + segments["first"].to_numpy().astype(np.int64), sentences)
    owner = np.repeat(document, sentences)
    return np.where((owner >= 0) & (row >= bounds[owner]) & (row < bounds[owner + 1]), row, -1)


@dataclass(frozen=True, eq=False)
class SegmentWords:
    """The words of several segments, as the array `words` of all words, one segment after another."""

    words: pa.Array
    lengths: np.ndarray  # the number of words of each segment
    counts: np.ndarray  # the number of pieces of each word

    def chains(self, stop_words: Collection[str]) -> Ragged:
        """Return the chains of the words of all segments; stop words form none."""
        return repeated(self.words, self.lengths, stop_words)

    def table(self, chains: Ragged) -> pa.RecordBatch:
        """Return a row of SEGMENT_CHAINS for each segment; `chains` are chains of the words of all segments."""
        chains = chains_of_pieces(chains, self.counts)
        pieces = sums(self.counts, self.lengths)
        text = np.searchsorted(np.cumsum(pieces), chains.values[chains.starts], side="right")
        members = chains.values - np.repeat(starts(pieces)[text], chains.lengths)
        columns = Ragged.of(members, chains.lengths).grouped(np.bincount(text, minlength=len(pieces)))
        return pa.record_batch([column.to_arrow() for column in columns], SEGMENT_CHAINS)


def _contrastive(tokens: Path, view: Path, stop_words: frozenset[str]) -> pa.Table | None:
    file = view / "contrastive.arrow"
    if not file.exists():
        return None
    vocabulary = Vocabulary.load(tokens / "text" / "vocabulary.source.txt")
    texts = _variants(read_arrow(file, VARIANTS), vocabulary)
    # Two equal words that contain `<unk>` may be different words of the text, so that they form no chain.
    unknown = set(filter(is_unknown, texts.words.unique().to_pylist()))
    return pa.Table.from_batches([texts.table(texts.chains(stop_words | unknown))])


def _variants(segments: pa.Table, vocabulary: Vocabulary) -> SegmentWords:
    ids, sentences = (Ragged.from_arrow(segments[name]) for name in VARIANTS.names)
    # The words are decoded from the ids of their pieces.
    words, counts = words_of_ids(ids.flat().tolist(), vocabulary, sentences.flat())
    ends = np.searchsorted(np.cumsum(counts), np.cumsum(ids.lengths), side="right")
    return SegmentWords(pa.array(words, pa.string()), np.diff(ends, prepend=0), np.array(counts, np.int64))


def words_of_ids(ids: Sequence[int], vocabulary: Vocabulary, lengths: np.ndarray | None = None) -> Words:
    """Return the words of sentences, and the number of pieces of each word, from the ids of the pieces.

    `lengths`: the number of ids of each sentence; None for a single sentence. A piece outside the vocabulary is the
    last piece of its word, since `<unk>` does not say whether the word continues.
    """
    return words_of_pieces(vocabulary.decode(ids), lengths)


def is_unknown(word: str) -> bool:
    """Return whether a word of `words_of_ids` contains `<unk>`, so that it may be any word.

    No word of a tokenised text contains `<unk>`.
    """
    return SPECIALS[UNK] in word
