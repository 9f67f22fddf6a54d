"""`docmt report`: stage 8."""

from pathlib import Path
from typing import Annotated

from docmt.cli.options import input_file, input_folder, output_file


def report(
    settings: Annotated[Path, input_file("settings.json of stage 8: of a study, or of one of its items")],
    results: Annotated[Path, input_folder("the folder of all stages' results")],
    output: Annotated[Path, output_file("the page to write; an item's has a CSV and a JSON file beside it")],
) -> None:
    """Write the page of a study, or of one of its tables, figures and passages: published beside measured."""
    from docmt.reporting.page import write_report

    write_report(settings, results, output)
