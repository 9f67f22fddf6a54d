"""`docmt chains`: stage 4, the lexical chains of documents and of segments."""

from pathlib import Path
from typing import Annotated

from docmt.cli.chain_statistics import statistics
from docmt.cli.options import Workers, input_file, input_folder, output_folder

__all__ = ["segments", "statistics", "words"]

Tokens = Annotated[Path, input_folder("folder of stage 2: tokens.arrow, text/vocabulary.source.txt")]


def words(
    settings: Annotated[Path, input_file("settings.json of stage 4's words")],
    tokens: Tokens,
    output: Annotated[Path, output_folder("folder for chains.arrow, stop_words.txt, card.json")],
    workers: Workers = None,
) -> None:
    """Find the chains of whole documents, by words, and the stop list."""
    from docmt.base.artifacts import read_json
    from docmt.base.parse import parse
    from docmt.chains.documents import WordsSettings, build_words
    from docmt.cli.progress import workers_of

    build_words(parse(WordsSettings, read_json(settings), str(settings)), tokens, output, workers_of(workers))


def segments(
    settings: Annotated[Path, input_file("settings.json of stage 4's chains of a view")],
    tokens: Tokens,
    words: Annotated[Path, input_folder("folder of `docmt chains words`: stop_words.txt")],
    view: Annotated[Path, input_folder("folder of stage 3: {train, dev, test}.arrow[, contrastive.arrow]")],
    output: Annotated[Path, output_folder("folder for {train, dev, test}.arrow, card.json[, contrastive.arrow]")],
    workers: Workers = None,
) -> None:
    """Find the chains of a view's segments, by pieces, a row for each of its rows."""
    from docmt.base.artifacts import read_json
    from docmt.base.parse import parse
    from docmt.chains.segments import SegmentsSettings, build_segments
    from docmt.cli.progress import workers_of

    told = parse(SegmentsSettings, read_json(settings), str(settings))
    build_segments(told, tokens, words, view, output, workers_of(workers))
