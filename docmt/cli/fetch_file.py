"""`docmt job fetch-file`: the download of one file of a corpus."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.artifacts import as_object
from docmt.base.errors import UserError, nearest
from docmt.base.foreign import reading
from docmt.catalogue.files import FileConfig
from docmt.catalogue.missing import file_of_user
from docmt.cli.options import input_file, input_folder, output_file

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig


def fetch_file(
    catalogue: Annotated[Path, input_file("corpus file: workflow/corpora/<corpus>.yaml")],
    file: Annotated[str, typer.Option(help="name of the file, as in the catalogue")],
    lock: Annotated[Path, input_file("JSON file with the digests of first downloads")],
    output: Annotated[Path, output_file("path of the checked file; OUTPUT.part holds a partial download")],
    mirror: Annotated[
        str, typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that is tried before the sources of the file")
    ] = "",
    local: Annotated[
        Path | None,
        input_folder("folder of yours that holds the file by its name [default: DOCMT_LOCAL has one for each corpus]"),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="seconds to wait for the next bytes of a file")
    ] = 30,
) -> None:
    """Download one file of a corpus and check it."""
    from docmt.catalogue.corpus import load_corpus
    from docmt.fetching.download import fetch, wish_for
    from docmt.fetching.transfer import Network

    corpus = load_corpus(catalogue)
    config = _file(corpus, file, catalogue)
    folder = local or _from_environment("DOCMT_LOCAL", "a folder by the name of each corpus").get(corpus.corpus)
    user_file = file_of_user(config, folder, corpus.corpus)
    hosts = _from_environment("DOCMT_HOSTS", "an address by the name of each host")
    wish = wish_for(config, corpus.corpus, output, catalogue, lock, user_file)
    fetch(wish, mirror or None, Network(hosts, timeout))


def _file(corpus: "CorpusConfig", name: str, catalogue: Path) -> FileConfig:
    """Return a file of a corpus by its name. Raises UserError where the file `catalogue` lists no such file."""
    for file in corpus.files:
        if file.name == name:
            return file
    remedy = nearest(name, [file.name for file in corpus.files]) if corpus.files else "the corpus needs no file"
    raise UserError("unknown file", where=str(catalogue), found=name, remedy=remedy)


def _from_environment(variable: str, expected: str) -> dict[str, str]:
    """Return the object of JSON in an environment variable by which jobs get settings that no output depends on."""
    with reading(variable, "not JSON", remedy=f"set it to an object: {expected}"):
        value = json.loads(os.environ.get(variable) or "{}")
    return as_object(value, variable)
