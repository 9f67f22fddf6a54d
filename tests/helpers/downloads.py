"""Downloads of a corpus as the workflow makes them."""

import dataclasses
from pathlib import Path

from docmt.base.artifacts import write_json
from docmt.base.paths import DOWNLOADS
from docmt.base.recipe import JOB
from docmt.catalogue.corpus import load_corpus
from docmt.steps.download import STEP


def download_words(root: Path, catalogue: Path, file: str, mirror: Path | None = None) -> list[str]:
    """Write the recipe of the downloads of a corpus in a project; return the words of `docmt` that download a file."""
    corpus = load_corpus(catalogue)
    files = {file.name: dataclasses.asdict(file) for file in corpus.files}
    settings = {"corpus": corpus.corpus, "catalogue": str(catalogue), "files": files}
    hints = {"mirror": None if mirror is None else str(mirror), "local": None, "hosts": {}}
    folder = Path(DOWNLOADS.format(corpus=corpus.corpus))
    write_json(root / folder / JOB, {"step": STEP, "settings": settings, "hints": hints})
    return ["job", str(folder), "--part", file]
