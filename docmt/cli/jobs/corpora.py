"""Jobs of stages 0 and 1: random checkpoints, downloads, fixtures, and corpora read from their files."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.artifacts import as_object
from docmt.base.asked import read_settings
from docmt.base.digests import kind_of
from docmt.base.errors import UserError, nearest
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST, check_file
from docmt.base.parse import parse
from docmt.base.sealing import sealing
from docmt.catalogue.checksums import file_digest
from docmt.catalogue.files import FileConfig
from docmt.catalogue.lock import record_first
from docmt.catalogue.missing import file_of_user
from docmt.cli.options import input_file, input_folder, load_settings, output_file, output_folder

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig

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
    lock: Annotated[
        Path | None, output_file("JSON file that gets the digests of first downloads once they are read")
    ] = None,
    first: Annotated[
        list[str] | None,
        typer.Option(help="name of a file whose digest nobody states; repeat it", show_default=False),
    ] = None,
) -> None:
    """Read downloaded files as validated documents."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus import read

    job = load_settings(CorpusSettings, settings)
    fixture = {"fixture": downloads.with_name(f"{downloads.name}.{MANIFEST}")} if job.fixture else {}
    by_role = {f"downloads/{file.name}": file for file in job.files}
    files = {role: downloads / file.name for role, file in by_role.items()}

    unknown = [downloads / name for name in first or ()]

    def digest_of(role: str, path: Path, expected: str | None) -> str:
        return file_digest(path, by_role[role], kind_of(expected))

    with sealing(settings, "read-corpus", output, fixture, files, digest_of=digest_of), told_sources(unknown):
        for path in files.values():
            check_file(path)
        read.read_corpus(job, downloads, output)
    if lock is not None:
        # Only now is it known that the first downloads are the corpus, and not something else of the same name.
        digests = {name: file_digest(downloads / name, by_role[f"downloads/{name}"]) for name in first or ()}
        record_first(lock, {f"{job.corpus}/{name}": digest for name, digest in digests.items()})


@contextmanager
def told_sources(files: Iterable[Path]) -> Iterator[None]:
    """Add to a UserError of the block where downloads came from, so that a person can judge them.

    `files` are those of whose content nothing is known: the others are what the catalogue states.
    """
    from docmt.fetching.download import source_of

    try:
        yield
    except UserError as problem:
        sources = {path.name: source for path in files if path.is_file() and (source := source_of(path)) is not None}
        if not sources:
            raise
        told = "".join(f"\n    {name} was downloaded from {source}" for name, source in sources.items())
        remedy = f"{problem.remedy}\n  " if problem.remedy else ""
        raise UserError(
            problem.what,
            where=problem.where,
            found=problem.found,
            expected=problem.expected,
            remedy=f"{remedy}files whose digest nobody states:{told}",
            status=problem.status,
        ) from problem
