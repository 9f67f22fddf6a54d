"""`docmt tokens`: stage 2."""

from pathlib import Path
from typing import Annotated

from docmt.cli.options import Learnt, Workers, input_file, input_folder, output_folder


def tokens(
    settings: Annotated[Path, input_file("settings.json of stage 2")],
    corpus: Annotated[Path, input_folder("folder of stage 1: documents.parquet[, contrastive.parquet]")],
    output: Annotated[Path, output_folder("folder for tokens.arrow, text/, card.json[, contrastive.arrow]")],
    learnt: Learnt = None,
    workers: Workers = None,
) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies or take another's, and turn it into ids."""
    from docmt.cli.progress import workers_of
    from docmt.text.process import process_corpus
    from docmt.text.settings import read_settings

    process_corpus(read_settings(settings), corpus, output, workers_of(workers), learnt)
