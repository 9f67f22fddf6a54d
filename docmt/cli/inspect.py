"""`docmt inspect`: what a trained model does with the lexical chains of a document."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.cli.decode import Model, View
from docmt.cli.options import Device, Threads, input_folder, output_file


def inspect(
    model: Model,
    view: View,
    chains: Annotated[Path, input_folder("stage 4's folder of the view; the model reads lexical chains")],
    output: Annotated[Path, output_file("inside.arrow to write; a list of rows if it is called .json")],
    split: Annotated[Literal["dev", "test"], typer.Option(help="of the view")] = "dev",
    document: Annotated[str | None, typer.Option(help="its name [default: the first with the longest chain]")] = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Write where a model looks for the translations of repeated words, and what it asks its latent variables.

    For each word of a lexical chain, over the pieces of the reference: the soft alignment (eq. 8 of Lyu et al. 2022),
    the cross-attention of the top layer, the similarity of each step to the chain's latent variable (eq. 17).
    """
    from docmt.cli.opening import check_model, open_model

    check_model(model)
    from docmt.decoding.inside import Document, inside, write_inside
    from docmt.decoding.segments import View as Segments

    network, pipeline = open_model(model, device, threads)
    chosen = Document.read(Segments(view, chains), split, document, network)
    write_inside(output, inside(network, chosen, pipeline.source.vocabulary, pipeline.target.vocabulary))
