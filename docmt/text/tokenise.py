"""The first pass of stage 2 over a corpus, which writes tokenised sentences and counts words of the training split."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.columns import DOCUMENTS, only
from docmt.base.errors import UserError
from docmt.base.part import WHOLE, Part
from docmt.base.shards import batch_of, document_shards
from docmt.base.tables import arrow_writer, read_arrow, write_arrow
from docmt.base.workers import ALONE, Done, Workers
from docmt.settings.pretrained import TOKENIZER
from docmt.text.casing import KeepCase, learns_case, words_with_known_case
from docmt.text.pipeline import SIDES, TokensSettings
from docmt.text.pretrained import PretrainedTokenizer
from docmt.text.tokenizers import Tokenizer, tokenizer_for
from docmt.text.truecase import with_openings

TOKENISED = only(DOCUMENTS, "split", "document", "sentence", "source", "target")
"""The columns of tokenised sentences: the tokens of a sentence, joined by single spaces, in the case of the corpus.

A side with pretrained pieces has the names of pieces in place of tokens.
"""

REMEMBERED_SENTENCES = 1 << 16
"""The number of sentences whose results are remembered, since subtitles repeat many sentences.

The output does not depend on this number.
"""

COUNTED = pa.schema([("side", pa.string()), ("kind", pa.string()), ("word", pa.string()), ("count", pa.int64())])
"""The columns of word counts, from which merges, cases and vocabularies are learnt.

Jobs write them to files for other jobs, since word counts are much smaller than the training split.
"""


@dataclass
class WordCounts:
    """The counts of the words in the training sentences of one side, before the case of words is changed.

    Where the case is not learnt, all words are counted in `words`.
    """

    words: Counter[str] = field(default_factory=Counter)
    """The counts of words that do not open a sentence."""

    openings: Counter[str] = field(default_factory=Counter)
    """The counts of words that open a sentence."""

    case_examples: Counter[str] = field(default_factory=Counter)
    """The counts of words from which a truecaser learns (`words_with_known_case`)."""

    def count(self, lines: Iterable[str], is_case_learnt: bool) -> None:
        """Count the words of lines; a line has tokens joined by single spaces."""
        for line in lines:
            tokens = line.split(" ")
            if is_case_learnt:
                self._count_cases(tokens)
            else:
                self.words.update(tokens)

    def _count_cases(self, tokens: Sequence[str]) -> None:
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


SideCounts = dict[str, WordCounts]  # The counts of each side, by the name of the side: "source" or "target"


def tokenise(
    settings: TokensSettings, documents: Path, output: Path, part: Part = WHOLE, workers: Workers = ALONE
) -> SideCounts:
    """Write the tokenised shards of a part of `documents.parquet` and return the word counts of its training sentences.

    The shards have the columns TOKENISED. The counts are empty where the text takes its pieces from another corpus,
    since nothing is learnt then. Raises UserError for a sentence without any token.
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
    """A function from a shard of documents to its tokenised rows and the word counts of its training sentences."""

    def __init__(self, settings: TokensSettings, file: str) -> None:
        """Load the tokenizers of both sides, once in each worker process; `file` names the corpus in messages."""
        self.settings, self.file = settings, file
        self._tokenise = {side: _remembering(tokenizer_of(settings, side)) for side in SIDES}

    def __call__(self, shard: pa.Table) -> Done[tuple[pa.RecordBatch, SideCounts]]:
        """Return the rows and counts of a shard. Raises UserError for a sentence without any token."""
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
        return not text.is_pretrained(side) and learns_case(text, self.settings.language(side))

    def _check(self, shard: pa.Table, lines: Sequence[str], side: str) -> None:
        if all(lines):
            return
        # A sentence of control characters alone has no token, for example.
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
    """Return the tokenizer of a side.

    Raises UserError where the tokenizer of a side with pretrained pieces is missing or damaged.
    """
    text = settings.text
    if text.is_pretrained(side):
        return PretrainedTokenizer.load(Path(text.pretrained) / TOKENIZER)
    return tokenizer_for(settings.language(side), text)


def save_counts(counts: Mapping[str, WordCounts], path: Path) -> None:
    """Write the word counts as a table with a row for each side, kind (a field of WordCounts) and word."""
    tables = []
    for side, side_counts in counts.items():
        for kind in fields(side_counts):
            # The words are sorted, so that the file does not depend on the order of the shards.
            words = dict(sorted(getattr(side_counts, kind.name).items()))
            columns = [[side] * len(words), [kind.name] * len(words), list(words), list(words.values())]
            tables.append(pa.table(columns, schema=COUNTED))
    write_arrow(path, pa.concat_tables(tables))


def load_counts(path: Path, into: Mapping[str, WordCounts]) -> None:
    """Read the counts that `save_counts` wrote, and add them to the counts in `into`.

    Raises UserError where the file is missing or damaged.
    """
    for batch in read_arrow(path, COUNTED).to_batches(max_chunksize=1 << 16):
        for side, kind, word, count in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            getattr(into[side], kind)[word] += count
