"""Coherence and cohesion of translations: how well adjacent sentences of a document fit each other."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from docmt.api.documents import Text, document_sentences
from docmt.api.frames import frame_of
from docmt.base.names import DeviceName
from docmt.base.scores import Score

if TYPE_CHECKING:
    import polars as pl


def score_coherence(
    hypotheses: Text, vectors: str | Path, *, case: Literal["lower", "keep"] = "lower"
) -> "pl.DataFrame":
    """Return the mean cosine of adjacent sentences; the vector of a sentence is the mean of its words' vectors.

    The result is a polars frame of one row, as of `docmt.score`.

    `vectors` is a file of word vectors in word2vec's text form, learnt from text that was tokenised like `hypotheses`.
    `case` says whether words are lower-cased before their vectors are looked up. Raises UserError where the file is
    missing or damaged.

    Paper: Lyu et al. (2022), section 5.1, eq. 23.

    >>> import docmt
    >>> docmt.score_coherence([["the cat sat", "the cat slept"]], "vectors.txt")["n"].item()
    1
    """
    return frame_of(coherence_scores([document_sentences(hypotheses, "hypotheses")], Path(vectors), case))


def score_cohesion(
    hypotheses: Text, model: str | Path, *, batch_pairs: int = 32, device: DeviceName = "auto"
) -> "pl.DataFrame":
    """Return the mean probability, by a BERT, that a sentence follows the one before it: a frame as of `docmt.score`.

    `model` is the local folder of a BERT with a next-sentence head. `batch_pairs` is the number of sentence pairs that
    are computed at once. `device` is `auto`, `cpu` or `cuda`. Raises UserError where the folder has no such model.

    Paper: Lyu et al. (2022), section 5.2, eq. 24.

    >>> import docmt
    >>> 0 < docmt.score_cohesion([["She came home.", "She slept."]], "bert")["value"].item() < 1
    True
    """
    return frame_of(cohesion_scores([document_sentences(hypotheses, "hypotheses")], Path(model), batch_pairs, device))


Lines = tuple[Sequence[str], Sequence[str]]  # The sentences of a text, and the name of the document of each sentence.


def coherence_scores(texts: Sequence[Lines], vectors: Path, case: Literal["lower", "keep"]) -> list[Score]:
    """Return the coherence of each text; the file of vectors is read once, for the words of all texts."""
    from docmt.scoring.coherence import coherence
    from docmt.scoring.intervals import scores_of
    from docmt.scoring.word_vectors import read_word_vectors

    table = read_word_vectors(vectors, [line for lines, _ in texts for line in lines], case)
    return scores_of([coherence(lines, documents, table) for lines, documents in texts])


def cohesion_scores(texts: Sequence[Lines], model: Path, batch_pairs: int, device: DeviceName) -> list[Score]:
    """Return the cohesion of each text; the model is read once."""
    from docmt.settings.pretrained import read_config

    read_config(model)  # A folder that has no model is refused before torch and transformers are imported.
    from docmt.scoring.cohesion import NextSentenceModel, cohesion
    from docmt.scoring.intervals import scores_of

    network = NextSentenceModel(model, device)
    return scores_of([cohesion(lines, documents, network, batch_pairs) for lines, documents in texts])
