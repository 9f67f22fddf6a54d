"""`docmt shards`: stage 2 of a corpus that is too large for one machine, as several jobs with the same result."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import Learnt, Workers, input_file, input_folder, output_folder

Settings = Annotated[Path, input_file("settings.json of stage 2")]
Corpus = Annotated[Path, input_folder("folder of stage 1: documents.parquet[, contrastive.parquet]")]


def tokenise(
    settings: Settings,
    corpus: Corpus,
    part: Annotated[str, typer.Option(help="which of how many: 2/8")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and words.arrow")],
    workers: Workers = None,
) -> None:
    """Tokenise a part of a corpus and count its words."""
    from docmt.base.shards import Part
    from docmt.cli.progress import workers_of
    from docmt.text.parts import tokenise_part
    from docmt.text.settings import read_settings

    chosen = Part.parse(part)
    tokenise_part(read_settings(settings), corpus, chosen, output, workers_of(workers))


def learn(
    settings: Settings,
    corpus: Corpus,
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt shards tokenise`", file_okay=False)],
    output: Annotated[Path, output_folder("folder for text/[, contrastive.arrow, references.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Learn cases, BPE and vocabularies from the words of all parts, or take another corpus'."""
    from docmt.cli.progress import workers_of
    from docmt.text.parts import learn_parts
    from docmt.text.settings import read_settings

    learn_parts(read_settings(settings), corpus, parts, output, workers_of(workers), learnt)


def encode(
    part: Annotated[Path, typer.Argument(help="folder of `docmt shards tokenise`", file_okay=False)],
    text: Annotated[Path, input_folder("text/, from `docmt shards learn`")],
    output: Annotated[Path, output_folder("folder for the part's tokens.arrow and counts.json")],
    workers: Workers = None,
) -> None:
    """Turn a tokenised part into pieces and ids."""
    from docmt.cli.progress import workers_of
    from docmt.text.parts import encode_part

    encode_part(part, text, output, workers_of(workers))


def join(
    parts: Annotated[list[Path], typer.Argument(help="folders of `docmt shards encode`, in order", file_okay=False)],
    output: Annotated[Path, output_folder("folder of text/, for tokens.arrow and card.json")],
) -> None:
    """Put the parts together."""
    from docmt.text.parts import join_parts

    join_parts(parts, output)
