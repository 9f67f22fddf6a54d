"""Coherence and cohesion of translations: how well adjacent sentences of a document fit each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.api.documents import Text, document_sentences
from docmt.base.names import DeviceName


@dataclass(frozen=True)
class AdjacentScore:
    """The mean of a measure over all pairs of adjacent sentences of the same document.

    `score` is a cosine (coherence) or a probability (cohesion); it is None where there is no pair to score. `pairs` is
    the number of pairs, and `signature` describes how the score was computed.
    """

    score: float | None
    pairs: int
    signature: str | None


def score_coherence(
    hypotheses: Text, vectors: str | Path, *, case: Literal["lower", "keep"] = "lower"
) -> AdjacentScore:
    """Return the mean cosine of adjacent sentences; the vector of a sentence is the mean of its words' vectors.

    `vectors` is a file of word vectors in word2vec's text form, learnt from text that was tokenised like `hypotheses`.
    `case` says whether words are lower-cased before their vectors are looked up. Raises UserError where the file is
    missing or damaged.

    Paper: Lyu et al. (2022), section 5.1, eq. 23.

    >>> import docmt
    >>> docmt.score_coherence([["the cat sat", "the cat slept"]], "vectors.txt").pairs
    1
    """
    return coherence_scores([document_sentences(hypotheses, "hypotheses")], Path(vectors), case)[0]


def score_cohesion(
    hypotheses: Text, model: str | Path, *, batch_pairs: int = 32, device: DeviceName = "auto"
) -> AdjacentScore:
    """Return the mean probability, by a BERT, that a sentence follows the sentence before it.

    `model` is the local folder of a BERT with a next-sentence head. `batch_pairs` is the number of sentence pairs that
    are computed at once. `device` is `auto`, `cpu` or `cuda`. Raises UserError where the folder has no such model.

    Paper: Lyu et al. (2022), section 5.2, eq. 24.

    >>> import docmt
    >>> 0 < docmt.score_cohesion([["She came home.", "She slept."]], "bert").score < 1
    True
    """
    return cohesion_scores([document_sentences(hypotheses, "hypotheses")], Path(model), batch_pairs, device)[0]


Lines = tuple[Sequence[str], Sequence[str]]
"""The sentences of a text, and the name of the document of each sentence."""


def coherence_scores(texts: Sequence[Lines], vectors: Path, case: Literal["lower", "keep"]) -> list[AdjacentScore]:
    """Return the coherence of each text; the file of vectors is read once, for the words of all texts."""
    from docmt.scoring.coherence import coherence, similarities
    from docmt.scoring.word_vectors import read_word_vectors

    table = read_word_vectors(vectors, [line for lines, _ in texts for line in lines], case)
    return [
        adjacent_score(coherence(similarities(lines, documents, table), lines, table)) for lines, documents in texts
    ]


def cohesion_scores(texts: Sequence[Lines], model: Path, batch_pairs: int, device: DeviceName) -> list[AdjacentScore]:
    """Return the cohesion of each text; the model is read once."""
    from docmt.settings.pretrained import read_config

    read_config(model)  # A folder that has no model is refused before torch and transformers are imported.
    from docmt.scoring.cohesion import NextSentenceModel, cohesion, probabilities

    network = NextSentenceModel(model, device)
    return [
        adjacent_score(cohesion(*probabilities(lines, documents, network, batch_pairs), network.name))
        for lines, documents in texts
    ]


def adjacent_score(record: dict) -> AdjacentScore:
    """Return the score from a record of coherence or cohesion."""
    return AdjacentScore(record.get("score"), record.get("pairs", 0), record.get("signature"))
