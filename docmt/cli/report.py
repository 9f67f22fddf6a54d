"""`docmt report`: stage 8."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    settings: Annotated[Path, typer.Option(help="settings.json of stage 8: the study, its systems and corpora")],
    results: Annotated[Path, typer.Option(help="the folder of all stages' results")],
    output: Annotated[Path, typer.Option(help="the page to write; tables.json and a CSV file a table stand beside it")],
) -> None:
    """Write a study's page: published beside measured, curves, translations, settings and provenance."""
    from docmt.reporting.page import write_report

    write_report(settings, results, output)
