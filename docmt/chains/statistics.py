"""Statistics of lexical chains: the number of chains, and the share of a corpus' words that are in chains.

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
"""Documents as lists of sentences; a sentence is a list of words."""

SUB_DOCUMENT = 20
"""The number of sentences of a sub-document; training chains are counted in these (lexical chains, appendix A)."""

COUNTED = ("texts", "words", "chains", "words_in_chains")
"""The names of the counts: texts, words, chains, and words in chains. A text is a document, or a segment of a view."""


def count(lengths: np.ndarray, sizes: np.ndarray) -> dict[str, int]:
    """Return the counts of texts, words and chains.

    `lengths`: the number of words of each text. `sizes`: the number of members of each chain.
    """
    return dict(zip(COUNTED, map(int, (len(lengths), lengths.sum(), len(sizes), sizes.sum())), strict=True))


def count_texts(texts: Sequence[Sequence[str]], stop_words: frozenset[str]) -> dict[str, int]:
    """Return the counts of texts and of their chains; a text is a list of words."""
    lengths = np.fromiter(map(len, texts), np.int64)
    return count(lengths, repeated(pa.array(chain.from_iterable(texts), pa.string()), lengths, stop_words)[1])


def cards(counts: Counts) -> dict[str, dict[str, Any]]:
    """Return the card of each split; a split without counts has a card with zeros."""
    return {split: card(counts.get(split, {})) for split in SPLITS}


def card(counts: dict[str, int]) -> dict[str, Any]:
    """Return the counts, and the columns of table 5 of the paper, which are 0 where there is nothing to count.

    `perc` is the percentage of words that are in chains. `avg_k` is the mean number of words of a chain, and `avg_m`
    the mean number of chains of a text.
    """
    texts, words, chains, words_in_chains = (counts.get(name, 0) for name in COUNTED)
    return {
        **dict(zip(COUNTED, (texts, words, chains, words_in_chains), strict=True)),
        "perc": 100 * words_in_chains / max(words, 1),
        "avg_k": words_in_chains / max(chains, 1),
        "avg_m": chains / max(texts, 1),
    }


def word_counts(documents: Documents) -> Counter[str]:
    """Return the number of occurrences of each word in documents."""
    return Counter(word for sentences in documents for words in sentences for word in words)


def cards_by_stop_list(
    split: str, words: Mapping[str, Documents], others: Mapping[str, Mapping[str, int]], sizes: Sequence[int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the card of a split with several stop lists, each with the description of its stop list.

    A stop list has the most frequent words of a text; `sizes` has the numbers of words of stop lists. The texts are the
    split itself, unless it is the training split; the training split, where `words` has it; and the training texts of
    other corpora, whose word counts `others` has by the name of the corpus. Chains of the training split are counted in
    parts of SUB_DOCUMENT sentences.
    """
    size = SUB_DOCUMENT if split == "train" else max(map(len, words[split]))
    parts = [sentences[first : first + size] for sentences in words[split] for first in range(0, len(sentences), size)]
    texts = [[word for sentence in part for word in sentence] for part in parts]
    sources = [("the set itself", word_counts(words[split]))] if split != "train" else []
    if "train" in words:
        sources.append(("the corpus' training text", word_counts(words["train"])))
    sources += [(f"the training text of {name}", counts) for name, counts in others.items()]
    for about, counts in sources:
        for number in sizes:
            chain_counts = count_texts(texts, frozenset(most_frequent(counts, number)))
            yield f"{number:,} most frequent words of {about}", card(chain_counts)
