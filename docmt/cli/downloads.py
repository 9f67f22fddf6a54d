"""`docmt fetch-files`: pretrained checkpoints, gold alignments and contrastive sets from their public addresses."""

from pathlib import Path
from typing import Annotated, Any

import typer

from docmt.base.clone import clone_of
from docmt.base.errors import UserError, check_known
from docmt.base.screen import aligned, answer, fitting
from docmt.catalogue.filesets import FileSetConfig, load_file_sets
from docmt.cli.options import AsJson, Config, Mirror, Root, output_folder, overrides
from docmt.fetching.download import fetch_set
from docmt.fetching.transfer import Network
from docmt.grid.grid import load_grid


def fetch_files(
    sets: Annotated[
        list[str] | None, typer.Argument(help="names of sets [default: none, list them]", show_default=False)
    ] = None,
    output: Annotated[
        Path | None, output_folder("folder for the files of one set [default: the folder that the list shows]")
    ] = None,
    root: Root = Path(),
    config: Config = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Download checkpoints, gold alignments, contrastive sets.

    The files are checked. Without a name, the sets are listed, and nothing is downloaded. A download that broke off is
    continued.
    """
    known = load_file_sets(clone_of(root))
    for name in sets or ():
        check_known("set of files", name, known)
    if output is not None and len(sets or ()) != 1:
        raise UserError(
            "--output is for one set", found=", ".join(sets or ()) or "no set", expected="one name of a set"
        )
    if sets:
        grid = load_grid(root, overrides(config))
        for name in sets:
            fetch_set(known[name], root, Network(grid.hosts), mirror or grid.mirror, output)
    facts = [_facts(known[name], root, output) for name in sets or known]
    columns = ("set", "kind", "size", "files", "folder", "licence")
    answer(as_json, facts, fitting(aligned([columns, *map(_row, facts)], numbers=("size",))))


def _facts(files: FileSetConfig, root: Path, output: Path | None) -> dict[str, Any]:
    folder = output or root / files.folder
    here = [file.name for file in files.files if (folder / file.name).is_file()]
    return {
        "set": files.set,
        "kind": files.kind,
        "gigabytes": files.gigabytes,
        "licence": files.licence,
        "folder": str(folder),
        "files": [file.name for file in files.files],
        "here": here,
    }


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    here = f"{len(facts['here'])} of {len(facts['files'])}"
    return facts["set"], facts["kind"], f"{facts['gigabytes']:g} GB", here, facts["folder"], facts["licence"]
