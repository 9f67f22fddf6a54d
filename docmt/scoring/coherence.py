"""Discourse coherence: how alike adjacent sentences are, by the vectors of their words.

Paper: lexical chains, section 5.1, eq. 23, after Lapata and Barzilay (2005): a sentence is the mean of its words'
vectors, two are as alike as the cosine of their means.
"""

from collections.abc import Sequence

import numpy as np

from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import adjacent_pairs, adjacent_tally
from docmt.scoring.word_vectors import WordVectors, read_word_vectors


def sentence_vectors(lines: Sequence[str], vectors: WordVectors) -> np.ndarray:
    """Means of the vectors of each line's words, those without a vector left out; shape (lines, dimensions).

    Zero where no word has a vector.
    """
    found = np.zeros((len(lines), vectors.table.shape[1]))
    for row, line in zip(found, lines, strict=True):
        known = [vectors.rows[word] for word in vectors.words(line) if word in vectors.rows]
        if known:
            row[:] = vectors.table[known].mean(axis=0, dtype=float)
    return found


def similarities(lines: Sequence[str], documents: Sequence[str], vectors: WordVectors) -> np.ndarray:
    """Cosines of adjacent sentences, in the order of `adjacent_pairs`; shape (pairs,), from -1 to 1.

    0 where one of the two has no word with a vector: an empty translation is like nothing, and eq. 23 counts its pairs
    too. `lines`: of words; `documents`: each line's, by name.

    "a b" is (1, 1) / 2, whose cosine with (0, 1) is the root of 1/2.

    >>> vectors = WordVectors({"a": 0, "b": 1}, np.array([[1.0, 0.0], [0.0, 1.0]]), "lower", "two")
    >>> similarities(["A b", "b c", "c", "a"], ["x", "x", "x", "y"], vectors).round(4).tolist()
    [0.7071, 0.0]
    """
    table = sentence_vectors(lines, vectors)
    lengths = np.linalg.norm(table, axis=1)
    pairs = np.array(adjacent_pairs(documents), dtype=int).reshape(-1, 2)
    products = (table[pairs[:, 0]] * table[pairs[:, 1]]).sum(axis=1)
    norms = lengths[pairs[:, 0]] * lengths[pairs[:, 1]]
    return np.divide(products, norms, out=np.zeros(len(pairs)), where=norms > 0)


def coherence(values: Sequence[float], lines: Sequence[str], vectors: WordVectors) -> dict:
    """`{"score", "pairs", "words", "unknown_words", "signature"}`; empty where every document is one sentence.

    `values`: the `similarities` of `lines`; `unknown_words`: how many of their `words` have no vector.
    """
    if not len(values):
        return {}
    words = [word for line in lines for word in vectors.words(line)]
    return {
        "score": float(np.mean(values)),
        "pairs": len(values),
        "words": len(words),
        "unknown_words": sum(word not in vectors.rows for word in words),
        "signature": signature(vectors),
    }


def signature(vectors: WordVectors) -> str:
    case = "lc" if vectors.case == "lower" else "mixed"
    return f"coherence|vectors:{vectors.name}|case:{case}|unknown:left-out|empty:0|v:1"


def score(job: ScoringJob) -> ScoringResult:
    """Coherence of the translations' tokens, where settings name word vectors."""
    chosen, documents = job.settings["coherence"], job.references.documents
    if chosen is None or job.lines != "sentences":
        return ScoringResult()
    lines = job.translations.tokenized
    vectors = read_word_vectors(job.inputs.word_vectors, lines, chosen["case"])
    values = similarities(lines, documents, vectors)
    return ScoringResult(
        {"coherence": coherence(values, lines, vectors)}, adjacent_tally("coherence", values, documents)
    )
