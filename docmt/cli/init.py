"""`docmt init`: a folder for studies of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.screen import print_json
from docmt.cli.options import AsJson


def init(
    folder: Annotated[Path, typer.Argument(help="the folder to make", metavar="FOLDER")],
    as_json: AsJson = False,
) -> None:
    """Make a folder for studies of your own, outside the clone: config.yaml, profiles, an example, a README.

    snakemake and docmt work in this folder, and write there alone: the clone may be read-only.
    """
    from docmt.base.clone import clone_of
    from docmt.plan.study_folder import EXAMPLE, make_study_folder

    clone = clone_of(Path())
    make_study_folder(folder, clone)
    if as_json:
        print_json({"folder": str(folder), "clone": str(clone.resolve()), "study": str(folder / EXAMPLE)})
        return
    typer.echo(f"{folder}: edit config.yaml and {EXAMPLE}; README.md has the commands")
