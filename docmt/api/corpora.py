"""The documents of a corpus: from its raw files, from a table, or from the folder that stage 1 has written."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docmt.base.columns import DOCUMENTS
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST
from docmt.base.parse import parse
from docmt.base.paths import CORPUS, RESULTS
from docmt.base.recipe import versions
from docmt.base.tables import read_parquet
from docmt.catalogue.corpus import load_corpus
from docmt.catalogue.forms import ReaderConfig
from docmt.catalogue.missing import Places
from docmt.corpus.inputs import Document, Problems
from docmt.corpus.opening import available_documents, open_corpus

TABLES = (".tsv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class CorpusDocument:
    """A document of sentence pairs; `references` are further translations, with None where a sentence lacks one."""

    split: str
    name: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    references: tuple[tuple[str | None, ...], ...] = ()


def read_corpus(path: str | Path, mirror: str | Path | None = None) -> Iterator[CorpusDocument]:
    """Read the documents of a corpus, one at a time, so that memory does not grow with the corpus.

    `path` is a corpus file such as workflow/corpora/toy_zh-en.yaml, a table of sentence pairs (.tsv, .jsonl or .parquet
    with the columns source, target and document), or a folder of stage 1: of results/1_corpus/<corpus>, the newest
    version is read. The files that a corpus file names are looked for among the downloads in the present folder, and
    then in `mirror` or, without `mirror`, beside the corpus file. Splits whose files are absent are left out, and
    nothing is downloaded. Raises UserError where a file is missing or damaged, or holds text that no corpus may have.

    >>> import docmt
    >>> document = next(docmt.read_corpus("pairs.tsv"))
    >>> document.name, document.source[0], document.target[0]
    ('talk1', 'Guten Tag.', 'Good day.')
    """
    path = Path(path)
    if path.is_dir():
        yield from _written_documents(newest(path))
    elif path.suffix in (".yaml", ".yml"):
        yield from map(_plain, available_documents(load_corpus(path), _places(path, mirror)))
    elif path.suffix in TABLES:
        settings: dict[str, Any] = {"kind": "table", "splits": {"train": path.name}}
        reader = parse(ReaderConfig, settings, str(path))
        with open_corpus(reader, path.parent, ("", ""), str(path), Problems()) as corpus:
            yield from map(_plain, corpus.documents)
    else:
        expected = f"a corpus file (.yaml), a table ({', '.join(TABLES)}) or a folder below {RESULTS}/{CORPUS.stage}"
        raise UserError("not a corpus", where=str(path), expected=expected)


def _places(path: Path, mirror: str | Path | None) -> Places:
    """Return the folders that may hold a corpus' files: the downloads, and the mirror or the corpus file's folder."""
    return Places(Path(RESULTS), str(path.parent) if mirror is None else str(mirror), {})


def _plain(document: Document) -> CorpusDocument:
    source, target, *references = (tuple(side.sentences) for side in document.sides)
    return CorpusDocument(document.split, document.name, source, target, tuple(references))


def newest(folder: Path) -> Path:
    """Return a folder of stage 1; of results/1_corpus/<corpus>, its newest version."""
    return next(iter(versions(folder, MANIFEST)), folder)


def _written_documents(folder: Path) -> Iterator[CorpusDocument]:
    rows = read_parquet(folder / "documents.parquet", DOCUMENTS).to_pylist()
    for (split, name), group in groupby(rows, key=lambda row: (row["split"], row["document"])):
        sentences = list(group)
        most = max(len(row["references"]) for row in sentences)
        references = tuple(
            tuple(row["references"][number] if number < len(row["references"]) else None for row in sentences)
            for number in range(most)
        )
        source, target = (tuple(row[side] for row in sentences) for side in ("source", "target"))
        yield CorpusDocument(split, name, source, target, references)
