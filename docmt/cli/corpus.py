"""`docmt corpus`: stage 1, downloads and readers, and the catalogue."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from docmt.cli.options import input_file, input_folder, output_file, output_folder
from docmt.cli.own_corpus import validate

__all__ = ["fetch", "fixture", "read", "validate"]


def fetch(
    catalogue: Annotated[Path, input_file("the corpus' file: workflow/corpora/<corpus>.yaml")],
    file: Annotated[str, typer.Option(help="name of the file, as in the catalogue")],
    lock: Annotated[Path, output_file("JSON that keeps the sha256 of first downloads")],
    output: Annotated[Path, output_file("where the verified file goes; OUTPUT.part is what to resume from")],
    mirror: Annotated[
        str, typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that is tried before the file's sources")
    ] = "",
    local: Annotated[
        Path | None, input_folder("folder of yours that holds the file by its name; DOCMT_LOCAL has one by corpus")
    ] = None,
) -> None:
    """Download one file of a corpus and verify it."""
    from docmt.catalogue.corpus import load_corpus
    from docmt.corpus.download import fetch as fetch_file
    from docmt.corpus.download import find_file

    corpus = load_corpus(catalogue)
    own = local or _local(corpus.corpus)
    fetch_file(find_file(corpus, file, catalogue), output, lock, corpus.corpus, mirror or None, local=own)


def _local(corpus: str) -> Path | None:
    """The folder that config.yaml names for a corpus, as it comes to jobs: JSON in the environment."""
    from docmt.base.artifacts import as_object
    from docmt.base.foreign import reading

    with reading("DOCMT_LOCAL", "not JSON", remedy="set it to an object: a folder by the name of each corpus"):
        local = json.loads(os.environ.get("DOCMT_LOCAL") or "{}")
    folder = as_object(local, "DOCMT_LOCAL").get(corpus)
    return Path(folder) if folder else None


def fixture(
    output: Annotated[Path, output_folder("new folder for the files")],
    catalogue: Annotated[
        Path | None, input_file("the corpus' file: workflow/corpora/<corpus>.yaml, or one of yours")
    ] = None,
    settings: Annotated[Path | None, input_file("instead: settings.json of the job")] = None,
) -> None:
    """Make small files in a corpus' own raw form, with generated text: what its reader takes for the real ones.

    Of a corpus of the catalogue they are as large as docmt.catalogue.fixtures says, in the workflow as the scale says.
    """
    from docmt.base.artifacts import read_json
    from docmt.base.errors import UserError
    from docmt.base.parse import parse
    from docmt.catalogue.corpus import CorpusSettings, load_corpus
    from docmt.catalogue.fixtures import FixtureConfig
    from docmt.corpus.fixtures import write_fixture

    if (catalogue is None) == (settings is None):
        raise UserError("nothing to make up, or too much", expected="--catalogue or --settings")
    if catalogue is not None:
        write_fixture(load_corpus(catalogue), FixtureConfig(), output)
        return
    job = parse(CorpusSettings, read_json(settings), str(settings))
    if job.fixture is None:
        raise UserError("not the settings of a fixture", where=str(settings), found=f"those of {job.corpus} itself")
    write_fixture(job, job.fixture, output)


def read(
    settings: Annotated[Path, input_file("settings.json of the job")],
    downloads: Annotated[Path, input_folder("folder of the downloaded files")],
    output: Annotated[Path, output_folder("folder for documents.parquet, card.json[, contrastive.parquet]")],
) -> None:
    """Turn downloaded files into validated documents."""
    from docmt.base.artifacts import read_json
    from docmt.base.parse import parse
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.read import read_corpus

    read_corpus(parse(CorpusSettings, read_json(settings), str(settings)), downloads, output)
