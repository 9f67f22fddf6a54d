"""A corpus' documents from files that lie here, of those splits whose files are all there; nothing is downloaded."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.missing import Places
from docmt.corpus.inputs import Document, Inputs
from docmt.corpus.needs import limited, needed_files
from docmt.corpus.problems import Problems
from docmt.corpus.readers import read
from docmt.corpus.validate import validated


def documents_here(corpus: CorpusConfig, places: Places) -> Iterator[Document]:
    """Raises UserError for whatever readers and validation report."""
    found = {file.name: places.find(corpus.corpus, file.name) for file in corpus.files}
    there = {name: path for name, path in found.items() if path is not None}
    splits = [split for split, names in needed_files(corpus).items() if names <= there.keys()]
    reader = limited(corpus.reader, splits)
    if reader is None:
        return
    with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
        downloads, problems = Path(folder) / "downloads", Problems()
        downloads.mkdir()
        for name, path in there.items():
            (downloads / name).symlink_to(path.resolve())
        inputs = Inputs(downloads, Path(folder) / "unpacked", corpus.source_language, corpus.target_language, problems)
        yield from validated(read(reader, inputs).documents, problems)
