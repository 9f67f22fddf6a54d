"""`docmt score`: stage 7."""

from pathlib import Path
from typing import Annotated

import typer


def score(
    settings: Annotated[Path, typer.Option(help="settings.json of stage 7")],
    corpus: Annotated[Path, typer.Option(help="folder of stage 1: documents.parquet, for the raw references")],
    tokens: Annotated[Path, typer.Option(help="folder of stage 2: tokens.arrow, for the tokenised references")],
    chains: Annotated[Path, typer.Option(help="folder of stage 4's words: chains.arrow")],
    translations: Annotated[Path, typer.Option(help="folder of stage 6: test.txt and what stands beside it")],
    output: Annotated[Path, typer.Option(help="scores.json to write")],
) -> None:
    """Score a system's translations: BLEU, lexical consistency, contrastive accuracy, each with its signature."""
    from docmt.scoring.score import write_scores

    write_scores(settings, corpus, tokens, chains, translations, output)
