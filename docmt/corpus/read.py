"""Stage 1: from downloaded files to documents.parquet, contrastive.parquet and card.json."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from docmt.core.artifacts import sha256_file, write_json
from docmt.core.catalogue import CorpusSettings
from docmt.core.documents import CONTRASTIVE, DOCUMENTS, write_parquet
from docmt.core.errors import UserError
from docmt.corpus.card import Statistics, make_card
from docmt.corpus.inputs import ContrastiveItem, Document, Inputs
from docmt.corpus.readers import READERS
from docmt.corpus.validate import check_counts, validated, validated_items


def read_corpus(settings: CorpusSettings, downloads: Path, output: Path) -> None:
    """Read, validate and write a corpus into `output`; nothing is written before all of it is valid.

    Raises UserError for a missing or changed file, and for whatever readers and validation refuse.
    """
    sha256 = {file.name: _checked(file.name, file.sha256, downloads) for file in settings.files}
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".unpacked.") as scratch:
        inputs = Inputs(downloads, Path(scratch), settings.source_language, settings.target_language)
        reading = READERS[settings.reader.kind](settings.reader, inputs)
        table, splits = _tabulated(validated(reading.documents))
        items = list(validated_items(reading.contrastive, settings.corpus))
    check_counts({split: found.counts for split, found in splits.items()}, settings.expected, settings.corpus)
    if bool(items) != settings.contrastive:
        found, expected = f"{len(items)} contrastive items", f"contrastive: {str(bool(items)).lower()}"
        raise UserError(
            "contrastive sets differ from the catalogue", where=settings.corpus, found=found, expected=expected
        )
    write_parquet(output / "documents.parquet", table)
    if items:
        write_parquet(output / "contrastive.parquet", _contrastive_table(items))
    write_json(output / "card.json", make_card(settings, sha256, splits, reading.changed, items))


def _checked(name: str, expected: str | None, downloads: Path) -> str:
    path = downloads / name
    if not path.exists():
        raise UserError("file not found", where=str(path), remedy="`docmt corpus fetch` downloads it")
    found = sha256_file(path)
    if expected is not None and found != expected:
        remedy = f"remove {path} and download it again"
        raise UserError("wrong checksum", where=str(path), found=found, expected=expected, remedy=remedy)
    return found


def _tabulated(documents: Iterable[Document]) -> tuple[pa.Table, dict[str, Statistics]]:
    splits: dict[str, Statistics] = {}
    batches = []
    for document in documents:
        splits.setdefault(document.split, Statistics()).add(document)
        length = len(document.source)
        columns = [
            [document.split] * length,
            [document.name] * length,
            range(length),
            document.source,
            document.target,
        ]
        batches.append(
            pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, DOCUMENTS, strict=True)], schema=DOCUMENTS)
        )
    return pa.Table.from_batches(batches, DOCUMENTS).combine_chunks(), splits


def _contrastive_table(items: list[ContrastiveItem]) -> pa.Table:
    columns = {name: [getattr(item, name) for item in items] for name in CONTRASTIVE.names if name != "item"}
    return pa.table({**columns, "item": range(len(items))}, CONTRASTIVE)
