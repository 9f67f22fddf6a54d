"""`docmt corpus`: stage 1, downloads and readers."""

from pathlib import Path
from typing import Annotated

import typer


def fetch(
    catalogue: Annotated[Path, typer.Option(help="the corpus' file: workflow/corpora/<corpus>.yaml")],
    file: Annotated[str, typer.Option(help="name of the file, as in the catalogue")],
    lock: Annotated[Path, typer.Option(help="JSON that keeps the sha256 of first downloads")],
    output: Annotated[Path, typer.Option(help="where the verified file goes; OUTPUT.part is what to resume from")],
    mirror: Annotated[
        str, typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that is tried before the file's sources")
    ] = "",
) -> None:
    """Download one file of a corpus and verify it."""
    from docmt.core.catalogue import load_corpus
    from docmt.corpus.download import fetch as fetch_file
    from docmt.corpus.download import find_file

    corpus = load_corpus(catalogue)
    fetch_file(find_file(corpus, file, catalogue), output, lock, corpus.corpus, mirror or None)


def read(
    settings: Annotated[Path, typer.Option(help="settings.json of the job")],
    downloads: Annotated[Path, typer.Option(help="folder of the downloaded files")],
    output: Annotated[Path, typer.Option(help="folder for documents.parquet, card.json[, contrastive.parquet]")],
) -> None:
    """Turn downloaded files into validated documents."""
    from docmt.core.artifacts import read_json
    from docmt.core.catalogue import CorpusSettings
    from docmt.core.parse import parse
    from docmt.corpus.read import read_corpus

    read_corpus(parse(CorpusSettings, read_json(settings), str(settings)), downloads, output)
