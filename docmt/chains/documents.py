"""The lexical chains of whole documents, as chains of words, and the stop list of all chains.

With its default settings, scoring computes LTCR over the same chains.

Paper: lexical chains, appendix A: the stop list is the 1,000 most frequent source words of the training set, whose
repetition carries no meaning.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.base.artifacts import atomic_file, read_text, write_json
from docmt.base.chains import most_frequent, repeated
from docmt.base.columns import CHAINS_WORDS, STOP_WORDS, TOKENS, only
from docmt.base.ragged import Ragged, places, starts, sums
from docmt.base.shards import Counts, add_counts
from docmt.base.tables import ArrowFile, arrow_writer
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.statistics import cards, count


def write_stop_words(path: Path, words: Iterable[str]) -> None:
    """Write a file with one word per line."""
    with atomic_file(path) as stream:
        stream.writelines(f"{word}\n" for word in words)


def read_stop_words(path: Path) -> frozenset[str]:
    """Read the words of a file that `write_stop_words` wrote.

    Raises UserError where the file cannot be read, or is not UTF-8.
    """
    return frozenset(read_text(path).split("\n")[:-1])


NEEDED = only(TOKENS, "split", "document", "source_tokens")
"""The columns of tokens.arrow that the jobs of this file read."""


@dataclass(frozen=True)
class WordsSettings:
    """The `job.json` of the chains of words. `stop_words`: the number of words of the stop list."""

    version: int
    stop_words: int


def build_words(settings: WordsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write chains.arrow, with the chains of all documents, and stop_words.txt and card.json.

    The stop list has the most frequent source words of the training split.
    """
    file = tokens / "tokens.arrow"
    stop_words = most_frequent(count_words(file, workers), settings.stop_words)
    total = len(ArrowFile(file, NEEDED))
    make = partial(DocumentChainFinder, file, tuple(stop_words))
    counts: Counts = {}
    with arrow_writer(output / "chains.arrow", CHAINS_WORDS) as writer:
        for chains, shard_counts in workers.each("finding chains of documents", make, range(total), total):
            writer.write_batch(chains)
            counts = add_counts(counts, shard_counts)
    write_stop_words(output / STOP_WORDS, stop_words)
    write_json(output / "card.json", {"stop_words": len(stop_words), "splits": cards(counts)})


def count_words(tokens: Path, workers: Workers = ALONE) -> Counter[str]:
    """Return the number of occurrences of each source word in the training split."""
    total = len(ArrowFile(tokens, NEEDED))
    counts: Counter[str] = Counter()
    for shard_counts in workers.each("counting words", partial(WordCounter, tokens), range(total), total):
        counts.update(shard_counts)
    return counts


class WordCounter:
    """A function from the number of a shard of tokens to the counts of the source words of its training sentences."""

    def __init__(self, tokens: Path) -> None:
        """Open the file of tokens; each worker process does it once."""
        self._shards = ArrowFile(tokens, NEEDED)

    def __call__(self, number: int) -> Done[dict[str, int]]:
        """Return the number of occurrences of each source word in the training sentences of shard `number`."""
        rows = self._shards[number]
        lines = rows["source_tokens"].filter(pc.equal(rows["split"], "train"))
        counts = pc.value_counts(pc.list_flatten(pc.split_pattern(lines, " ")))
        values = (counts.field(name).to_pylist() for name in ("values", "counts"))
        return Done(dict(zip(*values, strict=True)), len(rows))


class DocumentChainFinder:
    """A function from the number of a shard of tokens to its rows of CHAINS_WORDS and the counts of each split."""

    def __init__(self, tokens: Path, stop_words: tuple[str, ...]) -> None:
        """Open the file of tokens, once in each worker process; words of `stop_words` form no chains."""
        self._shards, self._stop_words = ArrowFile(tokens, NEEDED), stop_words

    def __call__(self, number: int) -> Done[tuple[pa.RecordBatch, Counts]]:
        """Return the chains of shard `number`, document by document, and the counts of each split."""
        rows = self._shards[number].combine_chunks()
        sentences = pc.split_pattern(rows["source_tokens"].chunk(0), " ")
        word_totals, words = sentences.value_lengths().to_numpy(), sentences.flatten()
        documents = _documents(rows)
        lengths = sums(word_totals, documents)
        chains = repeated(words, lengths, self._stop_words)
        row = np.repeat(np.arange(len(rows)), word_totals)[chains.values]
        table = pa.record_batch(
            {
                **{name: rows[name].chunk(0).take(row[chains.starts]) for name in ("split", "document")},
                "word": words.take(chains.values[chains.starts]),
                "sentences": Ragged.of(places(documents)[row], chains.lengths).to_arrow(),
                "words": Ragged.of(places(word_totals)[chains.values], chains.lengths).to_arrow(),
            },
            CHAINS_WORDS,
        )
        # A shard may have the last documents of one split and the first documents of the next.
        splits = rows["split"].to_numpy()[starts(documents)]
        of_chains = table["split"].to_numpy(zero_copy_only=False)
        sizes = chains.lengths
        counts = {split: count(lengths[splits == split], sizes[of_chains == split]) for split in dict.fromkeys(splits)}
        return Done((table, counts), len(rows))


def _documents(rows: pa.Table) -> np.ndarray:
    names = (rows[name].to_numpy() for name in ("split", "document"))
    opens = np.any([name[1:] != name[:-1] for name in names], axis=0)
    return np.diff(np.flatnonzero(np.append(True, opens)), append=len(rows))
