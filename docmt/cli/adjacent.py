"""`docmt coherence` and `docmt cohesion`: how well the sentences of plain files follow each other; `docmt vectors`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.options import MOST_TOKENS, AsJson, Device, Documents, input_file, input_folder, output_file
from docmt.cli.screen import print_json, show_table
from docmt.settings.scoring import WordVectorsConfig

DEFAULTS = WordVectorsConfig()
MOST = 10_000
"""Of every number of word vectors but the seed: gensim's are those of C."""

Hypotheses = Annotated[
    list[Path], input_file("a translation a line, with its documents; may be given several times, for systems")
]


def coherence(
    hypotheses: Hypotheses,
    vectors: Annotated[Path, input_file("word vectors in word2vec's text form (docmt vectors train)")],
    documents: Documents = None,
    case: Annotated[Literal["lower", "keep"], typer.Option(help="of words when their vectors are looked up")] = "lower",
    as_json: AsJson = False,
) -> None:
    """Discourse coherence: the mean cosine of adjacent sentences, each the mean of its words' vectors.

    Lyu et al. (2022), eq. 23. Files are tokenised as the text was that the vectors are of.
    """
    from docmt.scoring.coherence import coherence as summary
    from docmt.scoring.coherence import similarities
    from docmt.scoring.word_vectors import read_word_vectors

    texts = {path: read(path, documents) for path in hypotheses}
    every_line = [line for lines, _ in texts.values() for line in lines]
    found = read_word_vectors(vectors, every_line, case)
    scores = {path: summary(similarities(lines, names, found), lines, found) for path, (lines, names) in texts.items()}
    show("coherence", scores, as_json)


def cohesion(
    hypotheses: Hypotheses,
    model: Annotated[Path, input_folder("folder of a BERT with its next-sentence head, such as bert-base-uncased")],
    documents: Documents = None,
    batch_pairs: Annotated[
        int, typer.Option(min=1, max=MOST_TOKENS, help="pairs of sentences at once (memory and speed)")
    ] = 32,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Discourse cohesion: the mean probability of each sentence as the next one of that before it, by BERT.

    Lyu et al. (2022), eq. 24. Files are as a reader has them, not tokenised; needs transformers.
    """
    from docmt.scoring.cohesion import NextSentenceModel, probabilities
    from docmt.scoring.cohesion import cohesion as summary
    from docmt.settings.pretrained import read_config

    read_config(model)  # before torch and transformers are imported
    texts = {path: read(path, documents) for path in hypotheses}
    network = NextSentenceModel(model, device)
    scores = {}
    for path, (lines, names) in texts.items():
        values, cut = probabilities(lines, names, network, batch_pairs)
        scores[path] = summary(values, cut, network.name)
    show("cohesion", scores, as_json)


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


def read(path: Path, documents: Path | None) -> tuple[Sequence[str], Sequence[str]]:
    """Lines, and each one's document."""
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files([path], documents)
    return files.translations(path).raw, files.documents


def show(measure: str, scores: dict[Path, dict], as_json: bool) -> None:
    """A line a system; none has a score where every document is one sentence."""
    if as_json:
        print_json([{"system": str(path), measure: found} for path, found in scores.items()])
        return
    rows = [
        (str(path), f"{found['score']:.4f}", str(found["pairs"]), found["signature"])
        if found
        else (str(path), "-", "0", "")
        for path, found in scores.items()
    ]
    columns = ("system", measure, "pairs", "signature")
    show_table(columns, rows, numbers=columns[1:3])
