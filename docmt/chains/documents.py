"""The chains of whole documents, by their words: what LTCR looks at, and the stop list of all chains.

Paper: lexical chains, appendix A: a stop list of the 1,000 most frequent source words of the training set, which say
nothing by being repeated.
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
from docmt.base.runs import lists, places, starts, sums
from docmt.base.shards import ArrowShards, Counts, add_counts, arrow_writer
from docmt.base.workers import ALONE, Done, Workers
from docmt.chains.statistics import cards, count


def write_stop_words(path: Path, words: Iterable[str]) -> None:
    """A word a line."""
    with atomic_file(path) as stream:
        stream.writelines(f"{word}\n" for word in words)


def read_stop_words(path: Path) -> frozenset[str]:
    """Raises UserError where the file cannot be read, or is not UTF-8."""
    return frozenset(read_text(path).split("\n")[:-1])


NEEDED = only(TOKENS, "split", "document", "source_tokens")


@dataclass(frozen=True)
class WordsSettings:
    """The `settings.json` of the chains of words. `stop_words`: how many."""

    version: int
    stop_words: int


def build_words(settings: WordsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write chains.arrow (the chains of all documents), stop_words.txt (from the training split) and card.json."""
    file = tokens / "tokens.arrow"
    stop_words = most_frequent(count_words(file, workers), settings.stop_words)
    total = len(ArrowShards(file, NEEDED))
    make = partial(DocumentChainFinder, file, tuple(stop_words))
    counts: Counts = {}
    with arrow_writer(output / "chains.arrow", CHAINS_WORDS) as writer:
        for chains, found in workers.each("finding chains of documents", make, range(total), total):
            writer.write_batch(chains)
            counts = add_counts(counts, found)
    write_stop_words(output / STOP_WORDS, stop_words)
    write_json(output / "card.json", {"stop_words": len(stop_words), "splits": cards(counts)})


def count_words(tokens: Path, workers: Workers = ALONE) -> Counter[str]:
    """How often each source word occurs in training."""
    total = len(ArrowShards(tokens, NEEDED))
    counts: Counter[str] = Counter()
    for found in workers.each("counting words", partial(WordCounter, tokens), range(total), total):
        counts.update(found)
    return counts


class WordCounter:
    """The number of a shard of tokens to counts of its training words."""

    def __init__(self, tokens: Path) -> None:
        self._shards = ArrowShards(tokens, NEEDED)

    def __call__(self, number: int) -> Done[dict[str, int]]:
        rows = self._shards[number]
        lines = rows["source_tokens"].filter(pc.equal(rows["split"], "train"))
        counts = pc.value_counts(pc.list_flatten(pc.split_pattern(lines, " ")))
        values = (counts.field(name).to_pylist() for name in ("values", "counts"))
        return Done(dict(zip(*values, strict=True)), len(rows))


class DocumentChainFinder:
    """The number of a shard of tokens to CHAINS_WORDS, and counts by split."""

    def __init__(self, tokens: Path, stop_words: tuple[str, ...]) -> None:
        self._shards, self._stop_words = ArrowShards(tokens, NEEDED), stop_words

    def __call__(self, number: int) -> Done[tuple[pa.RecordBatch, Counts]]:
        rows = self._shards[number].combine_chunks()
        sentences = pc.split_pattern(rows["source_tokens"].chunk(0), " ")
        counts, words = sentences.value_lengths().to_numpy(), sentences.flatten()
        documents = _documents(rows)
        lengths = sums(counts, documents)
        members, sizes = repeated(words, lengths, self._stop_words)
        row = np.repeat(np.arange(len(rows)), counts)[members]
        first = starts(sizes)
        table = pa.record_batch(
            {
                **{name: rows[name].chunk(0).take(row[first]) for name in ("split", "document")},
                "word": words.take(members[first]),
                "sentences": lists(places(documents)[row], sizes),
                "words": lists(places(counts)[members], sizes),
            },
            CHAINS_WORDS,
        )
        splits = rows["split"].to_numpy()[starts(documents)]
        of_chains = table["split"].to_numpy(zero_copy_only=False)
        own = {split: count(lengths[splits == split], sizes[of_chains == split]) for split in dict.fromkeys(splits)}
        return Done((table, own), len(rows))


def _documents(rows: pa.Table) -> np.ndarray:
    """How many sentences each document of a shard has."""
    names = (rows[name].to_numpy() for name in ("split", "document"))
    opens = np.any([name[1:] != name[:-1] for name in names], axis=0)
    return np.diff(np.flatnonzero(np.append(True, opens)), append=len(rows))
