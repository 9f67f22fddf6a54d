"""`docmt tokens`: stage 2."""

from pathlib import Path
from typing import Annotated

import typer


def tokens(
    settings: Annotated[Path, typer.Option(help="settings.json of stage 2")],
    corpus: Annotated[Path, typer.Option(help="folder of stage 1: documents.parquet[, contrastive.parquet]")],
    output: Annotated[Path, typer.Option(help="folder for tokens.arrow, text/, card.json[, contrastive.arrow]")],
) -> None:
    """Tokenise a corpus, learn its cases, BPE and vocabularies, and turn it into ids."""
    from docmt.core.artifacts import read_json
    from docmt.core.parse import parse
    from docmt.text.process import TokensSettings, process_corpus

    process_corpus(parse(TokensSettings, read_json(settings), str(settings)), corpus, output)
