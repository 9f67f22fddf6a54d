"""How much of a corpus its lexical chains are.

Paper: lexical chains, table 5.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from docmt.base.chains import most_frequent, repeated
from docmt.base.names import SPLITS
from docmt.base.shards import Counts

Documents = list[list[list[str]]]
"""As the words of their sentences."""

SUB_DOCUMENT = 20
"""Sentences of the parts of documents that training is counted over (lexical chains, appendix A)."""

COUNTED = ("texts", "words", "chains", "words_in_chains")
"""What is counted: a text is a whole document, or a segment of a view."""


def count(lengths: np.ndarray, sizes: np.ndarray) -> dict[str, int]:
    """Of texts with so many words each, and chains with so many members."""
    return dict(zip(COUNTED, map(int, (len(lengths), lengths.sum(), len(sizes), sizes.sum())), strict=True))


def count_texts(texts: Sequence[Sequence[str]], stop_words: frozenset[str]) -> dict[str, int]:
    """Of texts as words, one after another."""
    lengths = np.fromiter(map(len, texts), np.int64)
    return count(lengths, repeated(pa.array(chain.from_iterable(texts), pa.string()), lengths, stop_words)[1])


def cards(counts: Counts) -> dict[str, dict[str, Any]]:
    return {split: card(counts.get(split, {})) for split in SPLITS}


def card(counts: dict[str, int]) -> dict[str, Any]:
    """The counts and table 5's columns: `perc` (of the words, those in chains, in percent), `avg_k` (words of a chain)
    and `avg_m` (chains of a text); 0 where there is nothing to count.
    """
    texts, words, chains, words_in_chains = (counts.get(name, 0) for name in COUNTED)
    return {
        **dict(zip(COUNTED, (texts, words, chains, words_in_chains), strict=True)),
        "perc": 100 * words_in_chains / max(words, 1),
        "avg_k": words_in_chains / max(chains, 1),
        "avg_m": chains / max(texts, 1),
    }


def word_counts(documents: Documents) -> Counter[str]:
    return Counter(word for sentences in documents for words in sentences for word in words)


def cards_by_stop_list(
    split: str, words: Mapping[str, Documents], others: Mapping[str, Mapping[str, int]], sizes: Sequence[int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a stop list is of, and the `card` of a split by it, for lists of each of `sizes` from each text.

    Texts are the split itself, if it is not the training text; the training text, if `words` has it; and `others`, the
    counts of other corpora's words by their names. Training is counted over parts of SUB_DOCUMENT sentences.
    """
    size = SUB_DOCUMENT if split == "train" else max(map(len, words[split]))
    parts = [own[first : first + size] for own in words[split] for first in range(0, len(own), size)]
    texts = [[word for sentence in part for word in sentence] for part in parts]
    sources = [("the set itself", word_counts(words[split]))] if split != "train" else []
    if "train" in words:
        sources.append(("the corpus' training text", word_counts(words["train"])))
    sources += [(f"the training text of {name}", counts) for name, counts in others.items()]
    for about, counts in sources:
        for number in sizes:
            found = count_texts(texts, frozenset(most_frequent(counts, number)))
            yield f"{number:,} most frequent words of {about}", card(found)
