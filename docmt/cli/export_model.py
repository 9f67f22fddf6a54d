"""`docmt export-model`: a trained model as a folder for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.screen import answer
from docmt.cli.options import AsJson, Model, files_in, output_folder


def export_model(
    model: Model,
    to: Annotated[
        Literal["huggingface", "ctranslate2"],
        typer.Option(help="huggingface: every model; ctranslate2: Transformers of sentences and of windows"),
    ],
    output: Annotated[Path, output_folder("new folder for the exported model")],
    as_json: AsJson = False,
) -> None:
    """Export a model for transformers, the Hub or CTranslate2.

    The folder has the model, its text, a card (README.md), and a file that loads it or a program that translates. It
    translates as `docmt translate` without options; translate.json or config.json in it has the settings of the search.
    Nothing is uploaded.
    """
    from docmt.api.export_model import export_model as export

    export(model, output, to)
    files = files_in(output)
    advice = "README.md in this folder says how to load it, and what is known of the licence of its corpus"
    answer(as_json, {"output": output, "to": to, "files": files}, f"{output}: {', '.join(files)}\n{advice}")
