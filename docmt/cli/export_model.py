"""`docmt export-model`: a trained model as a folder for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.screen import answer
from docmt.cli.options import AsJson, BatchTokens, Model, files_in, output_folder
from docmt.cli.translate import Beam, LengthAlpha, MaxLengthA, MaxLengthB, Penalty


def export_model(
    model: Model,
    to: Annotated[
        Literal["huggingface", "ctranslate2"],
        typer.Option(help="huggingface: every model; ctranslate2: Transformers of sentences and of windows"),
    ],
    output: Annotated[Path, output_folder("new folder for the exported model")],
    beam: Beam = 5,
    length_penalty: Penalty = "average",
    length_alpha: LengthAlpha = 1.0,
    max_length_a: MaxLengthA = None,
    max_length_b: MaxLengthB = None,
    batch_tokens: BatchTokens = 4096,
    as_json: AsJson = False,
) -> None:
    """Export a trained model for transformers and the Hub, or for CTranslate2.

    The folder has the model, its text, a card (README.md), and a file that loads it or a program that translates. The
    options of the search are written into the export, which then translates as `docmt translate` with them. Nothing is
    uploaded.
    """
    from docmt.api.export_model import export_model as export

    search = {"beam": beam, "length_penalty": length_penalty, "length_alpha": length_alpha}
    limits = {"max_length_a": max_length_a, "max_length_b": max_length_b, "batch_tokens": batch_tokens}
    export(model, output, to, **search, **limits)
    files = files_in(output)
    advice = "README.md in this folder says how to load it, and what is known of the licence of its corpus"
    answer(as_json, {"output": output, "to": to, "files": files}, f"{output}: {', '.join(files)}\n{advice}")
