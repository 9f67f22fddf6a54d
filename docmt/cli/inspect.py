"""`docmt inspect`: where a model looks for the translations of repeated words."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.options import AsJson, Device, Model, Threads, input_folder, open_model, output_file
from docmt.cli.screen import print_json


def inspect(
    model: Model,
    view: Annotated[Path, input_folder("folder of stage 3: dev.arrow, test.arrow")],
    chains: Annotated[Path, input_folder("folder of stage 4 for the view; the model reads lexical chains")],
    output: Annotated[Path, output_file("inside.arrow to write; a list of rows if its name ends in .json")],
    split: Annotated[Literal["dev", "test"], typer.Option(help="split of the view")] = "dev",
    document: Annotated[
        str | None, typer.Option(help="name of the document [default: the first with the longest chain]")
    ] = None,
    device: Device = "auto",
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Inspect where a model looks for the translations of repeated words, and its similarities to latent variables.

    For each word of a lexical chain, over the pieces of the reference: the soft alignment (eq. 8 of Lyu et al. 2022),
    the cross-attention of the top layer, the similarity of each step to the chain's latent variable (eq. 17).
    """
    trained = open_model(model, device, threads)
    from docmt.decoding.inside import InspectedDocument, inside, write_inside
    from docmt.decoding.segments import View

    inspected = InspectedDocument.read(View(view, chains), split, document, trained.network)
    vocabularies = trained.pipeline.source.vocabulary, trained.pipeline.target.vocabulary
    rows = inside(trained.network, inspected, *vocabularies)
    write_inside(output, rows)
    if as_json:
        print_json({"output": str(output), "rows": rows.num_rows})
    else:
        typer.echo(f"{output}: {rows.num_rows:,} rows")
