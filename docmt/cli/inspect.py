"""`docmt inspect`: a model's attention to repeated words, and its use of their latent variables."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.screen import answer
from docmt.cli.options import AsJson, Device, Model, Threads, input_folder, open_model, output_file


def inspect(
    model: Model,
    view: Annotated[Path, input_folder("folder of stage 3: dev.arrow, test.arrow")],
    chains: Annotated[Path, input_folder("folder of stage 4: the lexical chains of the view's segments")],
    output: Annotated[Path, output_file("inside.arrow to write; a name that ends in .json gives a JSON list of rows")],
    split: Annotated[Literal["dev", "test"], typer.Option(help="split of the view that has the document")] = "dev",
    document: Annotated[
        str | None,
        typer.Option(help="name of the document [default: the first with the longest lexical chain]"),
    ] = None,
    device: Device = "auto",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Inspect a model's attention and latent variables.

    They are its attention to repeated words, and its use of the latent variables of these words. The output has a row
    for each occurrence of a lexical chain in one document. A row has three values for each piece of the reference of
    the sentence: the cross-attention of the top layer to the occurrence, the soft alignment (eq. 8 of Lyu et al. 2022)
    and the similarity of the decoding step to the chain's latent variable (eq. 17). A model without latent variables
    has the cross-attention only.
    """
    trained = open_model(model, device, threads)
    from docmt.trained.inspecting import write_inspection

    rows = write_inspection(trained, view, chains, output, split, document)
    answer(as_json, {"output": output, "rows": rows}, f"{output}: {rows:,} rows")
