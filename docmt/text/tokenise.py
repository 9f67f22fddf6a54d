"""The first pass over a corpus: it writes the sentences as tokens and counts the words of the training split."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import DOCUMENTS, only, read_arrow, write_arrow
from docmt.base.errors import UserError
from docmt.base.shards import WHOLE, Part, arrow_writer, batch_of, document_shards
from docmt.base.workers import ALONE, Done, Workers
from docmt.settings.pretrained import TOKENIZER
from docmt.text.casing import KeepCase, learns_case, with_openings, words_with_known_case
from docmt.text.pipeline import SIDES, TokensSettings
from docmt.text.pretrained import PretrainedTokenizer
from docmt.text.tokenizers import Tokenizer, tokenizer_for

TOKENISED = only(DOCUMENTS, "split", "document", "sentence", "source", "target")
"""Columns of tokenised sentences: tokens joined by single spaces, in the case of the corpus.

A side with pretrained pieces has the names of pieces in place of tokens.
"""

REMEMBERED_SENTENCES = 1 << 16
"""The number of sentences that are remembered, since subtitles repeat many; the output does not depend on it."""

COUNTED = pa.schema([("side", pa.string()), ("kind", pa.string()), ("word", pa.string()), ("count", pa.int64())])
"""Columns of word counts: all that learning reads of the training split, and small enough to go between jobs."""


@dataclass
class WordCounts:
    """Counts of the words in the training sentences of one side, before their case is changed.

    Where case is not learnt, all words are in `words`.
    """

    words: Counter[str] = field(default_factory=Counter)
    """Words that do not open a sentence."""

    openings: Counter[str] = field(default_factory=Counter)
    """Words that open a sentence."""

    case_examples: Counter[str] = field(default_factory=Counter)
    """Words from which a truecaser learns (`words_with_known_case`)."""

    def count(self, lines: Iterable[str], is_case_learnt: bool) -> None:
        """Add the words of lines, whose tokens are joined by single spaces."""
        for line in lines:
            tokens = line.split(" ")
            if is_case_learnt:
                self._count_cases(tokens)
            else:
                self.words.update(tokens)

    def _count_cases(self, tokens: Sequence[str]) -> None:
        """Add the words of a sentence whose case is learnt."""
        kinds: tuple[list[str], list[str]] = ([], [])
        for word, opens in with_openings(tokens):
            kinds[opens].append(word)
        self.words.update(kinds[False])
        self.openings.update(kinds[True])
        self.case_examples.update(words_with_known_case(tokens))

    def add(self, other: "WordCounts") -> None:
        """Add the counts of another shard or part."""
        for kind in fields(self):
            getattr(self, kind.name).update(getattr(other, kind.name))

    def cased(self, casing: KeepCase) -> Counter[str]:
        """Return the number of occurrences of each word as `casing` writes it."""
        counts: Counter[str] = Counter()
        for opens, words in ((False, self.words), (True, self.openings)):
            for word, count in words.items():
                counts[casing.cased(word, opens)] += count
        return counts


SideCounts = dict[str, WordCounts]
"""The counts of each side, by its name."""


def tokenise(
    settings: TokensSettings, documents: Path, output: Path, part: Part = WHOLE, workers: Workers = ALONE
) -> SideCounts:
    """Write the TOKENISED shards of a part of `documents.parquet` and return the counts of its training words.

    The counts are empty where the pieces of another corpus are used, so that nothing is learnt from them.
    Raises UserError for a sentence without any token.
    """
    shards, total = document_shards(documents, TOKENISED, part)
    counts = {side: WordCounts() for side in SIDES}
    make = partial(ShardTokeniser, settings, str(documents))
    with arrow_writer(output, TOKENISED) as writer:
        for shard, shard_counts in workers.each("tokenising", make, shards, total):
            writer.write_batch(shard)
            for side, side_counts in shard_counts.items():
                counts[side].add(side_counts)
    return counts


class ShardTokeniser:
    """A function from a shard of documents to its TOKENISED rows and the counts of its training sentences."""

    def __init__(self, settings: TokensSettings, file: str) -> None:
        """Load the tokenizers of both sides, once in each worker process; `file` names the corpus in messages."""
        self.settings, self.file = settings, file
        self._tokenise = {side: _remembering(tokenizer_of(settings, side)) for side in SIDES}

    def __call__(self, shard: pa.Table) -> Done[tuple[pa.RecordBatch, SideCounts]]:
        """Return the rows and counts of a shard.

        Raises UserError for a sentence without any token.
        """
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
        """Return whether the case of a side is learnt; the case of pretrained pieces is not."""
        text = self.settings.text
        return not text.is_pretrained(side) and learns_case(text, self.settings.language(side))

    def _check(self, shard: pa.Table, lines: Sequence[str], side: str) -> None:
        """Raise UserError for the first sentence without a token (white space and control characters alone)."""
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
    """Return a function that tokenises a sentence and remembers its last results."""
    return lru_cache(REMEMBERED_SENTENCES)(lambda sentence: " ".join(tokenizer.tokenize(sentence)))


def tokenizer_of(settings: TokensSettings, side: str) -> Tokenizer | PretrainedTokenizer:
    """Return the tokenizer of a side.

    Raises UserError where the tokenizer of a side with pretrained pieces is missing or damaged.
    """
    text = settings.text
    if text.is_pretrained(side):
        return PretrainedTokenizer.load(Path(text.pretrained) / TOKENIZER)
    return tokenizer_for(settings.language(side), text)


def save_counts(counts: Mapping[str, WordCounts], path: Path) -> None:
    """Write the counts of the sides as a table with a row for each side, kind and word."""
    tables = []
    for side, side_counts in counts.items():
        for kind in fields(side_counts):
            # Sorted, so that the file does not depend on the order of the shards.
            words = dict(sorted(getattr(side_counts, kind.name).items()))
            columns = [[side] * len(words), [kind.name] * len(words), list(words), list(words.values())]
            tables.append(pa.table(columns, schema=COUNTED))
    write_arrow(path, pa.concat_tables(tables))


def load_counts(path: Path, into: Mapping[str, WordCounts]) -> None:
    """Add the counts that `save_counts` wrote to those in `into`.

    Raises UserError where the file is missing or damaged.
    """
    for batch in read_arrow(path, COUNTED).to_batches(max_chunksize=1 << 16):
        for side, kind, word, count in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            getattr(into[side], kind)[word] += count
