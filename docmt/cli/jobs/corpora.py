"""Jobs of stages 0 and 1: random checkpoints, downloads, fixtures, and corpora read from their files."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.artifacts import as_object
from docmt.base.asked import read_settings
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST, check_file
from docmt.base.parse import parse
from docmt.base.sealing import sealing
from docmt.cli.options import input_file, input_folder, load_settings, output_file, output_folder

Settings = Annotated[Path, input_file("settings.json of the job")]


def make_checkpoint(
    settings: Settings,
    output: Annotated[Path, output_folder("folder for config.json, model.safetensors, tokenizer.json")],
) -> None:
    """Make a small random checkpoint, of mBART's or BERT's form, whose pieces are those of generated text."""
    from docmt.corpus.stock import fixture_lines
    from docmt.models.random_checkpoint import write_random_checkpoint
    from docmt.settings.pretrained import RandomCheckpoint
    from docmt.text.random_pieces import write_tokenizer

    job = read_settings(settings)
    job.pop("version", None)
    checkpoint = parse(RandomCheckpoint, job, str(settings))
    with sealing(settings, "make-checkpoint", output):
        write_random_checkpoint(checkpoint, write_tokenizer(checkpoint.kind, fixture_lines(), output), output)


def fetch_file(
    catalogue: Annotated[Path, input_file("corpus file: workflow/corpora/<corpus>.yaml")],
    file: Annotated[str, typer.Option(help="name of the file, as in the catalogue")],
    lock: Annotated[Path, output_file("JSON file with the sha256 of first downloads")],
    output: Annotated[Path, output_file("path of the verified file; OUTPUT.part holds a partial download")],
    mirror: Annotated[
        str, typer.Option(envvar="DOCMT_MIRROR", help="folder or URL that is tried before the sources of the file")
    ] = "",
    local: Annotated[
        Path | None,
        input_folder("folder of yours that holds the file by its name [default: DOCMT_LOCAL has one for each corpus]"),
    ] = None,
) -> None:
    """Download one file of a corpus and verify it."""
    from docmt.catalogue.corpus import load_corpus
    from docmt.corpus.download import fetch, find_file

    corpus = load_corpus(catalogue)
    folder = local or local_folder(corpus.corpus)
    fetch(find_file(corpus, file, catalogue), output, lock, corpus.corpus, mirror or None, local=folder)


def local_folder(corpus: str) -> Path | None:
    """Return the folder that `local` of config.yaml names for a corpus, or None where it names no folder.

    Jobs get these folders as a JSON object in the environment variable DOCMT_LOCAL.
    """
    with reading("DOCMT_LOCAL", "not JSON", remedy="set it to an object: a folder by the name of each corpus"):
        local = json.loads(os.environ.get("DOCMT_LOCAL") or "{}")
    folder = as_object(local, "DOCMT_LOCAL").get(corpus)
    return Path(folder) if folder else None


def make_fixture(
    settings: Settings,
    output: Annotated[Path, output_folder("new folder for the files")],
) -> None:
    """Make the small generated files of a corpus, as large as the scale of the settings says."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus.fixtures import write_fixture

    job = load_settings(CorpusSettings, settings)
    if job.fixture is None:
        raise UserError(
            "not the settings of a fixture", where=str(settings), found=f"settings of the corpus {job.corpus} itself"
        )
    with sealing(settings, "make-fixture", output.absolute().parent, prefix=f"{output.name}."):
        write_fixture(job, job.fixture, output)


def read_corpus(
    settings: Settings,
    downloads: Annotated[Path, input_folder("folder of the downloaded files")],
    output: Annotated[Path, output_folder("folder for documents.parquet, card.json[, contrastive.parquet]")],
) -> None:
    """Read downloaded files as validated documents."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus import read

    job = load_settings(CorpusSettings, settings)
    fixture = {"fixture": downloads.with_name(f"{downloads.name}.{MANIFEST}")} if job.fixture else {}
    files = {f"downloads/{file.name}": downloads / file.name for file in job.files}
    with sealing(settings, "read-corpus", output, fixture, files):
        for path in files.values():
            check_file(path)
        read.read_corpus(job, downloads, output)
