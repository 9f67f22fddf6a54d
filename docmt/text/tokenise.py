"""The first pass over a corpus: its sentences as tokens, and counts of the training split's words."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.shards import WHOLE, Part, arrow_writer, batch_of, document_shards
from docmt.base.workers import ALONE, Done, Workers
from docmt.settings.pretrained import TOKENIZER
from docmt.text.casing import is_learnt
from docmt.text.counts import WordCounts
from docmt.text.pipeline import SIDES, TokensSettings
from docmt.text.pretrained import PretrainedTokenizer
from docmt.text.tokenizers import Tokenizer, tokenizer_for

TOKENISED = pa.schema([DOCUMENTS.field(name) for name in ("split", "document", "sentence", "source", "target")])
"""Sentences are tokens joined by single spaces, their case as it was; of a pretrained side, names of pieces."""

REMEMBERED_SENTENCES = 1 << 16
"""Subtitles say the same again and again; what comes out does not depend on it."""

SideCounts = dict[str, WordCounts]
"""By side."""


def tokenise(
    settings: TokensSettings, documents: Path, output: Path, part: Part = WHOLE, workers: Workers = ALONE
) -> SideCounts:
    """Write the TOKENISED shards of a part of `documents.parquet`; returns its counts, which are empty where nothing is
    learnt from them.

    Raises UserError for a sentence without any token.
    """
    shards, total = document_shards(documents, TOKENISED, part)
    counts = {side: WordCounts() for side in SIDES}
    make = partial(Tokenise, settings, str(documents))
    with arrow_writer(output, TOKENISED) as writer:
        for shard, found in workers.each("tokenising", make, shards, total):
            writer.write_batch(shard)
            for side, own in found.items():
                counts[side].add(own)
    return counts


class Tokenise:
    """A shard of documents to a shard of tokens, and the counts of its training sentences."""

    def __init__(self, settings: TokensSettings, file: str) -> None:
        self.settings, self.file = settings, file
        self._tokenise = {side: _remembering(tokenizer_of(settings, side)) for side in SIDES}

    def __call__(self, shard: pa.Table) -> Done[tuple[pa.RecordBatch, SideCounts]]:
        is_training = pc.equal(shard["split"], "train")
        columns, counts = {}, {}
        for side in SIDES:
            lines = [self._tokenise[side](sentence) for sentence in shard[side].to_pylist()]
            self._check(shard, lines, side)
            columns[side], counts[side] = pa.array(lines, pa.string()), WordCounts()
            if self.settings.takes_from is None:
                training = columns[side].filter(is_training.combine_chunks()).to_pylist()
                counts[side].count(training, self._learns_case(side))
        for side, column in columns.items():
            shard = shard.set_column(TOKENISED.get_field_index(side), TOKENISED.field(side), column)
        return Done((batch_of(shard), counts), len(shard))

    def _learns_case(self, side: str) -> bool:
        text = self.settings.text
        return not text.is_pretrained(side) and is_learnt(text, self.settings.language(side))

    def _check(self, shard: pa.Table, lines: Sequence[str], side: str) -> None:
        """Raises UserError for the first sentence that no token is left of (white space, control characters)."""
        if all(lines):
            return
        row = shard.slice(lines.index(""), 1).to_pylist()[0]
        raise UserError(
            f"a {side} sentence without any token",
            where=f"{self.file}: {row['split']} document {row['document']!r} sentence {row['sentence']}",
            found=repr(row[side]),
            remedy="leave the pair out of the corpus",
        )


def _remembering(tokenizer: Tokenizer | PretrainedTokenizer) -> Callable[[str], str]:
    return lru_cache(REMEMBERED_SENTENCES)(lambda sentence: " ".join(tokenizer.tokenize(sentence)))


def tokenizer_of(settings: TokensSettings, side: str) -> Tokenizer | PretrainedTokenizer:
    """Raises UserError where that of a pretrained side is missing or damaged."""
    text = settings.text
    if text.is_pretrained(side):
        return PretrainedTokenizer.load(Path(text.pretrained) / TOKENIZER)
    return tokenizer_for(settings.language(side), text)
