"""The first pass over a corpus: its sentences as tokens, and counts of the training split's words."""

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
"""Sentences are tokens joined by single spaces, their case as it was; of a pretrained side, names of pieces."""

REMEMBERED_SENTENCES = 1 << 16
"""Subtitles say the same again and again; what comes out does not depend on it."""

COUNTED = pa.schema([("side", pa.string()), ("kind", pa.string()), ("word", pa.string()), ("count", pa.int64())])
"""Counts of words: all that learning needs to know of the training split, and small enough to be passed on."""


@dataclass
class WordCounts:
    """Of one side's training sentences, before their case is changed.

    Where case is not learnt, all are `words`.
    """

    words: Counter[str] = field(default_factory=Counter)
    """Those that do not open a sentence."""

    openings: Counter[str] = field(default_factory=Counter)
    """Those that open one."""

    case_examples: Counter[str] = field(default_factory=Counter)
    """Those that show their case: what a truecaser learns from."""

    def count(self, lines: Iterable[str], is_case_learnt: bool) -> None:
        """`lines`: tokens joined by single spaces."""
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
        for kind in fields(self):
            getattr(self, kind.name).update(getattr(other, kind.name))

    def cased(self, casing: KeepCase) -> Counter[str]:
        """The words as `casing` writes them."""
        counts: Counter[str] = Counter()
        for opens, words in ((False, self.words), (True, self.openings)):
            for word, count in words.items():
                counts[casing.cased(word, opens)] += count
        return counts


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
    make = partial(ShardTokeniser, settings, str(documents))
    with arrow_writer(output, TOKENISED) as writer:
        for shard, found in workers.each("tokenising", make, shards, total):
            writer.write_batch(shard)
            for side, own in found.items():
                counts[side].add(own)
    return counts


class ShardTokeniser:
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
        return not text.is_pretrained(side) and learns_case(text, self.settings.language(side))

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


def save_counts(counts: Mapping[str, WordCounts], path: Path) -> None:
    """`counts`: by side."""
    tables = []
    for side, own in counts.items():
        for kind in fields(own):
            words = dict(sorted(getattr(own, kind.name).items()))
            columns = [[side] * len(words), [kind.name] * len(words), list(words), list(words.values())]
            tables.append(pa.table(columns, schema=COUNTED))
    write_arrow(path, pa.concat_tables(tables))


def load_counts(path: Path, into: Mapping[str, WordCounts]) -> None:
    """Add what `save_counts` wrote. Raises UserError where the file is missing or damaged."""
    for batch in read_arrow(path, COUNTED).to_batches(max_chunksize=1 << 16):
        for side, kind, word, count in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            getattr(into[side], kind)[word] += count
