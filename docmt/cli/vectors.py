"""`docmt vectors`: word vectors for coherence."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.options import input_file, input_folder, output_file, output_folder
from docmt.settings.scoring import WordVectorsConfig

DEFAULTS = WordVectorsConfig()
MOST = 10_000
"""Of every number but the seed's: gensim's are those of C."""


def train(
    text: Annotated[list[Path], input_file("tokenised text, a sentence a line; may be given several times")],
    output: Annotated[Path, output_file("file of word vectors to write")],
    dimensions: Annotated[int, typer.Option(min=1, max=MOST)] = DEFAULTS.dimensions,
    architecture: Annotated[Literal["cbow", "skipgram"], typer.Option()] = DEFAULTS.architecture,
    window: Annotated[int, typer.Option(min=1, max=MOST, help="words on each side, at most")] = DEFAULTS.window,
    minimum_count: Annotated[
        int, typer.Option(min=1, max=MOST, help="rarer words get no vector")
    ] = DEFAULTS.minimum_count,
    negative: Annotated[int, typer.Option(min=1, max=MOST, help="negative samples for each word")] = DEFAULTS.negative,
    epochs: Annotated[int, typer.Option(min=1, max=MOST)] = DEFAULTS.epochs,
    case: Annotated[Literal["lower", "keep"], typer.Option()] = DEFAULTS.case,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = DEFAULTS.seed,
) -> None:
    """Train word2vec on plain text; needs gensim. The same text gives the same bytes."""
    from docmt.scoring.plain_files import text_lines
    from docmt.scoring.word_vectors import train_word_vectors, write_word_vectors

    lines = [line for path in text for line in text_lines(path)]
    config = WordVectorsConfig(dimensions, architecture, window, minimum_count, negative, epochs, case, seed)
    write_word_vectors(output, train_word_vectors(lines, config))


def corpus(
    settings: Annotated[Path, input_file("settings.json of stage 7's vectors")],
    tokens: Annotated[Path, input_folder("folder of stage 2: tokens.arrow")],
    output: Annotated[Path, output_folder("folder for vectors.txt and card.json")],
) -> None:
    """Train word2vec on the target side of a corpus' training split, for the workflow."""
    from docmt.scoring.word_vectors import write_corpus_vectors

    write_corpus_vectors(settings, tokens, output)
