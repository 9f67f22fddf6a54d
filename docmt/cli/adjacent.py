"""`docmt score-coherence` and `score-cohesion`, which score adjacent sentences of files; `docmt train-vectors`."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from docmt.base.parse import parse
from docmt.base.scores import Score
from docmt.base.screen import answer
from docmt.cli.options import (
    MOST_TOKENS,
    AsJson,
    Device,
    Documents,
    Hypotheses,
    input_file,
    input_folder,
    output_file,
    overrides,
)
from docmt.cli.score_table import answer_scores
from docmt.cli.standard_input import label
from docmt.settings.scoring import WordVectorsConfig

if TYPE_CHECKING:
    from docmt.api.adjacent import Lines


def score_coherence(
    hypotheses: Hypotheses,
    vectors: Annotated[Path, input_file("word vectors in word2vec's text form (docmt train-vectors)")],
    documents: Documents = None,
    case: Annotated[Literal["lower", "keep"], typer.Option(help="case of words whose vectors are looked up")] = "lower",
    as_json: AsJson = False,
) -> None:
    """Score discourse coherence by word vectors.

    It is the mean cosine of adjacent sentences, each the mean of its words' vectors. Lyu et al. (2022), eq. 23. Files
    are tokenised like the text that the vectors were trained on.
    """
    from docmt.api.adjacent import coherence_scores

    scores = coherence_scores([read(path, documents) for path in hypotheses], vectors, case)
    answer_scores(as_json, by_label(hypotheses, scores))


def score_cohesion(
    hypotheses: Hypotheses,
    model: Annotated[Path, input_folder("folder of a BERT with its next-sentence head, such as bert-base-uncased")],
    documents: Documents = None,
    batch_pairs: Annotated[
        int, typer.Option(min=1, max=MOST_TOKENS, help="pairs of sentences computed at once (memory and speed)")
    ] = 32,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Score discourse cohesion by a BERT.

    It is the mean probability that a sentence follows the one before it. Lyu et al. (2022), eq. 24. Files are plain
    text, not tokenised.
    """
    from docmt.api.adjacent import cohesion_scores
    from docmt.settings.pretrained import read_config

    read_config(model)  # A folder without a model is refused before the texts are read.
    scores = cohesion_scores([read(path, documents) for path in hypotheses], model, batch_pairs, device)
    answer_scores(as_json, by_label(hypotheses, scores))


def train_vectors(
    text: Annotated[list[Path], input_file("tokenised text, a sentence per line; repeat it for several files")],
    output: Annotated[Path, output_file("file of word vectors to write")],
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="setting of word2vec, as of scoring.coherence in config.yaml, such as dimensions=300; repeat it: "
            + ", ".join(field.name for field in fields(WordVectorsConfig)),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train word2vec on plain text, for coherence.

    It needs gensim. The same text and options give the same bytes.
    """
    from docmt.scoring.plain_files import text_lines
    from docmt.scoring.word_vectors import train_word_vectors, write_word_vectors

    config = parse(WordVectorsConfig, overrides(rule, "--rule"), "--rule")
    lines = [line for path in text for line in text_lines(path)]
    vectors = train_word_vectors(lines, config)
    write_word_vectors(output, vectors)
    words = len(vectors.rows)
    record = {"output": output, "words": words, "dimensions": config.dimensions, "lines": len(lines)}
    text = f"{output}: vectors of {words:,} words with {config.dimensions} dimensions, from {len(lines):,} lines"
    answer(as_json, record, text)


def read(path: Path, documents: Path | None) -> "Lines":
    """Return the lines of a file and the document of each line; raise UserError where the documents are unknown."""
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files([path], documents)
    return files.translations(path).raw, files.documents


def by_label(systems: Sequence[Path], scores: Sequence[Score]) -> dict[str, list[Score]]:
    """Return the score of each file by its label."""
    return {label(path): [score] for path, score in zip(systems, scores, strict=True)}
