"""The chains of whole documents, by their words: how much of a corpus they are, and the stop list of all chains."""

from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from docmt.chains.statistics import Statistics
from docmt.chains.stop_words import most_frequent, write_stop_words
from docmt.core.artifacts import write_json
from docmt.core.chains import repeated_words
from docmt.core.config import SPLITS
from docmt.core.documents import CHAINS_WORDS, STOP_WORDS, TOKENS, read_arrow, write_arrow

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "source_tokens")])


@dataclass(frozen=True)
class WordsSettings:
    """The `settings.json` of the chains of words. `stop_words`: how many."""

    version: int
    stop_words: int


def build_words(settings: WordsSettings, tokens: Path, output: Path) -> None:
    """Write chains.arrow (the chains of all documents), stop_words.txt (from the training split) and card.json."""
    rows = read_arrow(tokens / "tokens.arrow", NEEDED)
    lines = {split: rows.filter(pc.equal(rows["split"], split)) for split in SPLITS}
    stop_words = most_frequent(lines["train"]["source_tokens"].to_pylist(), settings.stop_words)
    cards, chains = {}, []
    for split in SPLITS:
        found, cards[split] = _chains_of_split(lines[split], frozenset(stop_words))
        chains += [{"split": split, **row} for row in found]
    write_arrow(output / "chains.arrow", pa.Table.from_pylist(chains, CHAINS_WORDS))
    write_stop_words(output / STOP_WORDS, stop_words)
    write_json(output / "card.json", {"stop_words": len(stop_words), "splits": cards})


def _chains_of_split(rows: pa.Table, stop_words: frozenset[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    statistics, chains = Statistics(), []
    pairs = zip(rows["document"].to_pylist(), rows["source_tokens"].to_pylist(), strict=True)
    for document, lines in groupby(pairs, key=lambda pair: pair[0]):
        sentences = [line.split(" ") for _, line in lines]
        places = [(sentence, word) for sentence, words in enumerate(sentences) for word in range(len(words))]
        repeated = repeated_words(chain.from_iterable(sentences), stop_words)
        statistics.add(len(places), repeated.values())
        for word, found in repeated.items():
            at_sentences, at_words = zip(*(places[place] for place in found), strict=True)
            chains.append({"document": document, "word": word, "sentences": at_sentences, "words": at_words})
    return chains, statistics.card()
