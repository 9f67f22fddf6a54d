"""The chains of a view's segments, by their pieces: what models look at."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import write_json
from docmt.base.chains import Chains, Words, chains_of_pieces, count_pieces, repeated, words_of_pieces
from docmt.base.columns import (
    CONTRASTIVE_SEGMENTS,
    SEGMENT_CHAINS,
    SEGMENTS,
    STOP_WORDS,
    TOKENS,
    only,
    read_arrow,
    write_if_any,
)
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.runs import lists, spans, starts, sums
from docmt.base.shards import ArrowShards, Counts, add_counts, arrow_writer
from docmt.base.vocabulary import SPECIALS, UNK, Vocabulary
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.documents import read_stop_words, write_stop_words
from docmt.chains.statistics import cards, count
from docmt.settings.data import ViewConfig

SPLIT = only(TOKENS, "split")
NEEDED = only(TOKENS, "split", "document", "sentence", "source_tokens", "source_pieces")
ROWS = only(SEGMENTS, "document", "first", "source_lengths")
VARIANTS = only(CONTRASTIVE_SEGMENTS, "source_ids", "source_lengths")

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
    make = partial(SegmentChainFinder, tokens / "tokens.arrow", view, tuple(stop_words))
    counts: Counts = {}
    with ExitStack() as stack:
        paths = {split: output / f"{split}.arrow" for split in SPLITS}
        writers = {split: stack.enter_context(arrow_writer(path, SEGMENT_CHAINS)) for split, path in paths.items()}
        for tables, found in workers.each("finding chains of segments", make, tasks, len(tasks)):
            for split, chains in tables.items():
                writers[split].write_batch(chains)
            counts = add_counts(counts, found)
    write_if_any(output / "contrastive.arrow", _contrastive(tokens, view, stop_words))
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


class SegmentChainFinder:
    """A shard of tokens, and the view's shards that were cut from it, to SEGMENT_CHAINS and counts by split."""

    def __init__(self, tokens: Path, view: Path, stop_words: tuple[str, ...]) -> None:
        self._tokens, self._stop_words = ArrowShards(tokens, NEEDED), stop_words
        self._view = {split: ArrowShards(view / f"{split}.arrow", ROWS) for split in SPLITS}

    def __call__(self, task: ShardOfView) -> Done[tuple[dict[str, pa.RecordBatch], Counts]]:
        number, of_view = task
        rows = self._tokens[number]
        tables, counts = {}, {}
        for split, place in of_view.items():
            own = rows.filter(pc.equal(rows["split"], split)).combine_chunks()
            texts = self._segment_words(own, self._view[split][place].combine_chunks(), split, place)
            chains = repeated(texts.words, texts.lengths, self._stop_words)
            tables[split], counts[split] = texts.table(chains), count(texts.lengths, chains[1])
        return Done((tables, counts), len(rows))

    def _segment_words(self, rows: pa.Table, segments: pa.Table, split: str, place: int) -> "SegmentWords":
        """The words of each segment, from the rows of tokens that it names."""
        words, pieces = (pc.split_pattern(rows[f"source_{name}"].chunk(0), " ") for name in ("tokens", "pieces"))
        counts, expected = (lists.value_lengths().to_numpy() for lists in (words, pieces))
        lengths = segments["source_lengths"].chunk(0)
        sentences, found = lengths.value_lengths().to_numpy(), lengths.flatten().to_numpy()
        row = _rows(rows, segments, sentences)
        strange = np.flatnonzero((row < 0) | (expected[row] != found))
        if len(strange):
            self._refuse(segments, int(np.searchsorted(np.cumsum(sentences), strange[0], side="right")), split, place)
        chosen = spans(starts(counts)[row], counts[row])
        own = words.flatten().dictionary_encode().take(pa.array(chosen))
        return SegmentWords(own, sums(counts[row], sentences), count_pieces(pieces.flatten(), expected)[chosen])

    def _refuse(self, segments: pa.Table, number: int, split: str, place: int) -> NoReturn:
        before = sum(len(self._view[split][number]) for number in range(place))
        name, first, lengths = (segments[name][number].as_py() for name in ROWS.names)
        raise UserError(
            "a segment of other tokens",
            where=f"{self._view[split].path}: row {before + number}",
            found=f"document {name!r}, sentence {first}, pieces {lengths}",
            expected="the view of these tokens",
            remedy="make the view anew",
        )


def _rows(rows: pa.Table, segments: pa.Table, sentences: np.ndarray) -> np.ndarray:
    """Of each of the segments' sentences, so many of each, the number of its row of tokens; -1 where there is none."""
    opens = np.flatnonzero(rows["sentence"].to_numpy() == 0)
    bounds = np.append(opens, len(rows))
    document = pc.index_in(segments["document"], rows["document"].take(pa.array(opens))).fill_null(-1).to_numpy()
    row = spans(bounds[document] + segments["first"].to_numpy().astype(np.int64), sentences)
    owner = np.repeat(document, sentences)
    return np.where((owner >= 0) & (row >= bounds[owner]) & (row < bounds[owner + 1]), row, -1)


@dataclass(frozen=True, eq=False)
class SegmentWords:
    """Segments as `words`, one after another, `lengths`, the words of each, and `counts`, the pieces of each word."""

    words: pa.Array
    lengths: np.ndarray
    counts: np.ndarray

    def table(self, chains: Chains) -> pa.RecordBatch:
        """SEGMENT_CHAINS of chains of their words."""
        members, sizes = chains_of_pieces(chains, self.counts)
        pieces = sums(self.counts, self.lengths)
        text = np.searchsorted(np.cumsum(pieces), members[starts(sizes)], side="right")
        own = np.repeat(text, sizes)
        held = (np.bincount(numbers, minlength=len(pieces)) for numbers in (own, text))
        columns = zip((members - starts(pieces)[own], sizes), held, strict=True)
        return pa.record_batch([lists(*column) for column in columns], SEGMENT_CHAINS)


def _contrastive(tokens: Path, view: Path, stop_words: frozenset[str]) -> pa.Table | None:
    """None for a view without contrastive segments."""
    file = view / "contrastive.arrow"
    if not file.exists():
        return None
    vocabulary = Vocabulary.load(tokens / "text" / "vocabulary.source.txt")
    texts = _variants(read_arrow(file, VARIANTS), vocabulary)
    unknown = set(filter(is_unknown, texts.words.unique().to_pylist()))
    chains = repeated(texts.words, texts.lengths, stop_words | unknown)
    return pa.Table.from_batches([texts.table(chains)])


def _variants(segments: pa.Table, vocabulary: Vocabulary) -> SegmentWords:
    """The words of each variant's source sentences, which stage 3 knows by their ids only."""
    ids, sentences = (segments[name].combine_chunks() for name in VARIANTS.names)
    words, counts = words_of_ids(ids.flatten().to_pylist(), vocabulary, sentences.flatten().to_numpy())
    ends = np.searchsorted(np.cumsum(counts), np.cumsum(ids.value_lengths()), side="right")
    return SegmentWords(pa.array(words, pa.string()), np.diff(ends, prepend=0), np.array(counts, np.int64))


def words_of_ids(ids: Sequence[int], vocabulary: Vocabulary, lengths: np.ndarray | None = None) -> Words:
    """From the ids of a sentence, where nothing else is known of it, or of sentences with so many ids each.

    A piece outside the vocabulary ends its word: whether it went on is lost with it.
    """
    return words_of_pieces(vocabulary.decode(ids), lengths)


def is_unknown(word: str) -> bool:
    """Whether a word of `words_of_ids` holds `<unk>`, and so may stand for any word. No token does."""
    return SPECIALS[UNK] in word
