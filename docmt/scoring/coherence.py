"""Discourse coherence: the mean similarity of adjacent sentences, computed from word vectors.

Paper: lexical chains (Lyu et al. 2022), section 5.1, eq. 23, after Lapata and Barzilay (2005). The vector of a sentence
is the mean of the vectors of its words; the similarity of two sentences is the cosine of their vectors.
"""

from collections.abc import Sequence

import numpy as np

from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally, adjacent_pairs, adjacent_tally
from docmt.scoring.word_vectors import WordVectors, read_word_vectors


def sentence_vectors(lines: Sequence[str], vectors: WordVectors) -> np.ndarray:
    """Return the mean vector of the words of each line; shape (lines, dimensions).

    Words without a vector are left out. The row of a line is zero where none of its words has a vector.
    """
    means = np.zeros((len(lines), vectors.table.shape[1]))
    for row, line in zip(means, lines, strict=True):
        known = [vectors.rows[word] for word in vectors.words(line) if word in vectors.rows]
        if known:
            row[:] = vectors.table[known].mean(axis=0, dtype=float)
    return means


def similarities(lines: Sequence[str], documents: Sequence[str], vectors: WordVectors) -> np.ndarray:
    """Return the cosines of adjacent sentences, from -1 to 1, in the order of `adjacent_pairs`; shape (pairs,).

    `lines` are tokenised sentences, and `documents` has the name of the document of each line. The cosine is 0 where a
    sentence of the pair has no word with a vector: eq. 23 counts all pairs, and an empty translation is similar to no
    other sentence.

    Example: the vector of "a b" is (1, 1) / 2; its cosine with (0, 1) is the square root of 1/2.

    >>> vectors = WordVectors({"a": 0, "b": 1}, np.array([[1.0, 0.0], [0.0, 1.0]]), "lower", "two")
    >>> similarities(["A b", "b c", "c", "a"], ["x", "x", "x", "y"], vectors).round(4).tolist()
    [0.7071, 0.0]
    """
    table = sentence_vectors(lines, vectors)
    lengths = np.linalg.norm(table, axis=1)
    pairs = np.array(adjacent_pairs(documents), dtype=int).reshape(-1, 2)
    products = (table[pairs[:, 0]] * table[pairs[:, 1]]).sum(axis=1)
    norms = lengths[pairs[:, 0]] * lengths[pairs[:, 1]]
    # Eq. 23: u v / (|u| |v|), and 0 where a sentence has no word with a vector.
    return np.divide(products, norms, out=np.zeros(len(pairs)), where=norms > 0)


def coherence(lines: Sequence[str], documents: Sequence[str], vectors: WordVectors) -> Tally:
    """Return the summands of the mean similarity of adjacent sentences, with the number of words as facts.

    `unknown_words` is the number of words without a vector among all `words`.
    """
    words = [word for line in lines for word in vectors.words(line)]
    facts = {"words": len(words), "unknown_words": sum(word not in vectors.rows for word in words)}
    return adjacent_tally("coherence", similarities(lines, documents, vectors), documents, signature(vectors), facts)


def signature(vectors: WordVectors) -> str:
    """Return the signature of coherence: the vectors, the case of words, and the treatment of unknown words."""
    case = "lc" if vectors.case == "lower" else "mixed"
    return f"coherence|vectors:{vectors.name}|case:{case}|unknown:left-out|empty:0|v:1"


def score(job: ScoringJob) -> ScoringResult:
    """Return the coherence of the tokens of a system's translations.

    The result is empty where the settings name no word vectors, and where a line of the translations is a document.
    """
    settings, documents = job.settings["coherence"], job.references.documents
    if settings is None or job.lines != "sentences":
        return ScoringResult()
    lines, reference = job.translations.tokenized, job.references.tokenized[0]
    vectors = read_word_vectors(job.inputs.word_vectors, [*lines, *reference], settings["case"])
    tally, of_reference = (coherence(texts, documents, vectors) for texts in (lines, reference))
    return ScoringResult(scores_of([tally]) + scores_of([of_reference], "reference"), [tally])
