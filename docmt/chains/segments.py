"""The chains of a view's segments, by their pieces: what models look at."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from docmt.chains.statistics import Statistics
from docmt.chains.stop_words import read_stop_words, write_stop_words
from docmt.chains.words import is_unknown, words_of_ids, words_of_lines
from docmt.core.artifacts import write_json
from docmt.core.chains import Words, chains_of_pieces, repeated_words
from docmt.core.config import SPLITS, ViewConfig
from docmt.core.documents import (
    CONTRASTIVE_SEGMENTS,
    SEGMENT_CHAINS,
    SEGMENTS,
    STOP_WORDS,
    TOKENS,
    read_arrow,
    write_arrow,
)
from docmt.core.errors import UserError
from docmt.core.vocabulary import Vocabulary

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "sentence", "source_tokens", "source_pieces")])
ROWS = pa.schema([SEGMENTS.field(name) for name in ("document", "first", "source_lengths")])
VARIANTS = pa.schema([CONTRASTIVE_SEGMENTS.field(name) for name in ("source_ids", "source_lengths")])

REMEMBERED_SENTENCES = 1 << 12
"""Windows overlap; what comes out does not depend on it."""


@dataclass(frozen=True)
class SegmentsSettings:
    """The `settings.json` of the chains of a view."""

    version: int
    view: ViewConfig


def build_segments(settings: SegmentsSettings, tokens: Path, words: Path, view: Path, output: Path) -> None:
    """Write {train, dev, test}.arrow, a row for each of the view's, and card.json; contrastive.arrow where it has one.

    A word is in a chain where it occurs twice within the segment. Raises UserError where the view was cut from other
    tokens.
    """
    stop_words = read_stop_words(words / STOP_WORDS)
    rows = read_arrow(tokens / "tokens.arrow", NEEDED)
    cards = {}
    for split in SPLITS:
        texts = _texts(rows.filter(pc.equal(rows["split"], split)), view / f"{split}.arrow")
        table, cards[split] = _chains_table(texts, stop_words)
        write_arrow(output / f"{split}.arrow", table)
    _contrastive(tokens, view, stop_words, output / "contrastive.arrow")
    # It goes along with the chains, to the model that is trained on them.
    write_stop_words(output / STOP_WORDS, sorted(stop_words))
    write_json(output / "card.json", {"view": settings.view.name, "splits": cards})


def _chains_table(texts: Iterable[Words], stop_words: frozenset[str]) -> tuple[pa.Table, dict[str, Any]]:
    statistics = Statistics()
    columns: tuple[list, list] = ([], [])
    for words, counts in texts:
        repeated = repeated_words(words, stop_words)
        statistics.add(len(words), repeated.values())
        for column, value in zip(columns, chains_of_pieces(repeated, counts), strict=True):
            column.append(value)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SEGMENT_CHAINS, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SEGMENT_CHAINS), statistics.card()


def _texts(rows: pa.Table, file: Path) -> Iterator[Words]:
    """The words of each segment of `file`, from the sentences that it names."""
    lines = [rows[name].to_pylist() for name in ("source_tokens", "source_pieces")]
    opens = [row for row, sentence in enumerate(rows["sentence"].to_pylist()) if sentence == 0]
    documents = {rows["document"][row].as_py(): row for row in opens}

    @lru_cache(REMEMBERED_SENTENCES)
    def sentence(row: int) -> Words:
        return words_of_lines(*(column[row] for column in lines))

    for number, segment in enumerate(read_arrow(file, ROWS).to_pylist()):
        lengths = segment["source_lengths"]
        first = documents.get(segment["document"], len(rows)) + segment["first"]
        sentences = [sentence(row) for row in range(first, min(first + len(lengths), len(rows)))]
        if [sum(counts) for _, counts in sentences] != lengths:
            raise UserError(
                "a segment of other tokens",
                where=f"{file}: row {number}",
                found=f"document {segment['document']!r}, sentence {segment['first']}, pieces {lengths}",
                expected="the view of these tokens",
                remedy="make the view anew",
            )
        yield _joined(sentences)


def _joined(sentences: list[Words]) -> Words:
    words, counts = zip(*sentences, strict=True)
    return list(chain.from_iterable(words)), list(chain.from_iterable(counts))


def _contrastive(tokens: Path, view: Path, stop_words: frozenset[str], output: Path) -> None:
    """No file for a view without contrastive segments; one of an earlier run must not be taken for this view's."""
    file = view / "contrastive.arrow"
    if not file.exists():
        output.unlink(missing_ok=True)
        return
    vocabulary = Vocabulary.load(tokens / "text" / "vocabulary.source.txt")
    texts = list(_variants(file, vocabulary))
    unknown = {word for words, _ in texts for word in words if is_unknown(word)}
    table, _ = _chains_table(texts, stop_words | unknown)
    write_arrow(output, table)


def _variants(file: Path, vocabulary: Vocabulary) -> Iterator[Words]:
    """The source words of each variant, which stage 3 knows by their ids only."""
    for row in read_arrow(file, VARIANTS).to_pylist():
        ends = accumulate(row["source_lengths"], initial=0)
        yield _joined([words_of_ids(row["source_ids"][start:end], vocabulary) for start, end in pairwise(ends)])
