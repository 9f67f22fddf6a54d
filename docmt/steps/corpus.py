"""Stage 1: a corpus, read from its files into one form and checked."""

import dataclasses
from pathlib import Path
from typing import Any

from docmt.base.digests import kind_of, named_digest, value_of
from docmt.base.errors import UserError, check_known
from docmt.base.manifest import check_file
from docmt.base.paths import CORPUS
from docmt.base.recipe import SOURCES, Recipe, Resources, root_of
from docmt.base.sealing import sealing
from docmt.catalogue.checksums import file_digest
from docmt.catalogue.corpus import corpus_settings
from docmt.catalogue.lock import LOCK, locked_checksums, place_in_lock, record_first
from docmt.catalogue.missing import files_to_lock
from docmt.grid.grid import Grid
from docmt.steps.of_grid import corpus_of
from docmt.steps.step import Inputs, Names, parsed, step_of


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of a corpus; where the scale replaces it by a fixture, also the settings of the fixture."""
    config = corpus_of(grid, names)
    # The embedded corpus has no files and is small enough for every scale, so that no fixture replaces it.
    fixture = {"fixture": dataclasses.asdict(grid.fixtures)} if grid.fixtures and config.files else {}
    return {**corpus_settings(config), **fixture}


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the generated files of a fixture; real downloads are files."""
    if grid.fixtures is None or not corpus_of(grid, names).files:
        return Inputs()
    return Inputs({"fixture": ("fixture", {"corpus": names["corpus"]})})


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the downloads of a corpus."""
    if grid.fixtures is not None:
        return {}
    folder = Path(CORPUS.at(corpus=names["corpus"])) / "downloads"
    return {f"downloads/{file.name}": folder / file.name for file in corpus_of(grid, names).files}


def hints(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the names of the files whose digest neither the catalogue nor the user states, which the lock gets."""
    return {} if grid.fixtures else {"first": files_to_lock(grid.corpora[names["corpus"]], grid.places())}


def run(recipe: Recipe, resources: Resources) -> None:
    """Read the files of a corpus as validated documents."""
    from docmt.catalogue.corpus import CorpusSettings
    from docmt.corpus import read

    job = parsed(recipe, CorpusSettings)
    downloads = (recipe.folder_of("fixture") or recipe.place) / "downloads"
    by_role = {f"downloads/{file.name}": file for file in job.files}
    lock, first = root_of(recipe.path) / LOCK, recipe.hint("first", tuple[str, ...], ())
    for name in first:
        check_known("file", name, [file.name for file in job.files], f"{recipe.path} hints.first")
    locked = locked_checksums(lock)

    def digest_of(role: str, path: Path, expected: str) -> str:
        if kind_of(expected) != SOURCES:
            return file_digest(path, by_role[role], kind_of(expected))
        key = f"{job.corpus}/{path.name}"
        actual = file_digest(path, by_role[role])
        if locked.get(key, actual) != actual:
            raise other_file(str(path), actual, locked[key], place_in_lock(lock, key))
        return expected

    with sealing(recipe, digest_of=digest_of):
        for file in job.files:
            check_file(downloads / file.name)
        read.read_corpus(job, downloads, recipe.folder)
    # Only now is it known that the first downloads are the corpus, and not something else of the same name.
    digests = {name: file_digest(downloads / name, by_role[f"downloads/{name}"]) for name in first}
    record_first(lock, {f"{job.corpus}/{name}": digest for name, digest in digests.items()})


def other_file(path: str, actual: str, expected: str, stated: str) -> UserError:
    """Return the error about a download that is not the file that is expected; `stated`: the place that states it."""
    return UserError(
        "another file than the catalogue or the first download",
        where=path,
        found=named_digest(actual),
        expected=f"{value_of(expected)}, which {stated} states",
        remedy="remove the file, and the workflow downloads it; to use it as it is, change what is stated there",
    )


STEP = step_of(
    __name__,
    folder=CORPUS,
    version=6,
    code=("docmt/corpus",),
    writes=("card.json", "documents.parquet", "contrastive.parquet"),
)
