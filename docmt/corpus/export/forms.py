"""The forms of an export: plain files line by line, tables, and a data set of the Hugging Face Hub."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import pyarrow as pa

from docmt.base.artifacts import atomic_file, atomic_folder, need_new_folder
from docmt.base.columns import CONTRASTIVE
from docmt.base.errors import UserError, quoted
from docmt.base.tables import parquet_writer, read_parquet, write_parquet
from docmt.corpus.export.hub import CONTRASTIVE_FILE, data_file, hub_card
from docmt.corpus.export.reading import ExportedCorpus, Texts
from docmt.corpus.forms.contrastive_table import table_text

ExportForm = Literal["files", "parquet", "hub"]


def export(corpus: ExportedCorpus, form: ExportForm, about: str, output: Path) -> None:
    """Write a corpus into the new folder `output`, which appears when all of its files are complete.

    `files`: for each split a folder with a file for each column and a line for each sentence, as `file_name` calls it.
    `parquet`: a table for each split, `<split>.parquet`, with the columns of `ExportedCorpus.columns`, which the reader
    `table` reads. Both have the contrastive items as `contrastive.tsv`, which the reader `contrastive_table` reads.
    `hub`: these tables and a table of the items with the names that the Hugging Face Hub gives to splits, and a card,
    README.md, which begins with `about`.

    Raises UserError where `output` has files already or is the present folder, where a file of the corpus is missing or
    damaged, for the form `files` where the name of a document has a line end, and for `contrastive.tsv` where the name
    of a set has one or a tab.
    """
    need_new_folder(output)
    with atomic_folder(output) as folder:
        if form == "files":
            _write_files(corpus, folder)
        elif form == "parquet":
            _write_tables(corpus, {split: folder / f"{split}.parquet" for split in corpus.splits})
        if form == "hub":
            _write_hub(corpus, about, folder)
        elif corpus.items:
            _write_items(corpus, folder / "contrastive.tsv")


def file_name(column: str, source_language: str, target_language: str) -> str:
    """Return the name of the file with a column of sentences.

    >>> [file_name(column, "zh", "en") for column in ("source", "target_tokens", "reference_2", "document")]
    ['source.zh', 'reference.tok.en', 'reference.2.en', 'documents.txt']
    """
    if column == "document":
        return "documents.txt"
    name = column.removesuffix("_tokens")
    kind = "" if name == column else ".tok"
    if name == "source":
        return f"source{kind}.{source_language}"
    return f"{name.replace('target', 'reference').replace('_', '.')}{kind}.{target_language}"


def _write_files(corpus: ExportedCorpus, folder: Path) -> None:
    languages = corpus.card["source_language"], corpus.card["target_language"]
    columns = {split: corpus.columns([split]) for split in corpus.splits}
    with ExitStack() as stack:
        streams = {
            (split, column): stack.enter_context(atomic_file(folder / split / file_name(column, *languages)))
            for split in corpus.splits
            for column in columns[split]
        }
        for split, texts in corpus.parts():
            _check_names(texts, corpus.folder / "documents.parquet")
            for column in columns[split]:
                # The line of a sentence that lacks a further reference is empty.
                streams[split, column].writelines(f"{text or ''}\n" for text in texts[column])


def _write_items(corpus: ExportedCorpus, path: Path) -> None:
    for name in dict.fromkeys(item.set for item in corpus.items):
        if set(name) & set("\t\r\n"):
            raise UserError(
                "the name of a contrastive set has a tab or a line end",
                where=str(corpus.folder / "contrastive.parquet"),
                found=quoted(name),
                remedy="export the form hub, or rename the set",
            )
    with atomic_file(path) as stream:
        stream.write(table_text((item.set, item) for item in corpus.items))


def _check_names(texts: Texts, where: Path) -> None:
    for name in texts["document"]:
        if "\n" in name:
            raise UserError(
                "the name of a document has a line end",
                where=str(where),
                found=quoted(name),
                expected="a name that fits on a line of documents.txt",
                remedy="export the form parquet, whose names may have line ends, or rename the document",
            )


def _write_tables(corpus: ExportedCorpus, paths: Mapping[str, Path]) -> dict[str, int]:
    # All tables have the same columns.
    schema = pa.schema([(column, pa.string()) for column in corpus.columns(corpus.splits)])
    rows = dict.fromkeys(paths, 0)
    with ExitStack() as stack:
        writers = {split: stack.enter_context(parquet_writer(path, schema)) for split, path in paths.items()}
        for split, texts in corpus.parts():
            table = pa.table(texts, schema)
            writers[split].write_table(table)
            rows[split] += len(table)
    return rows


def _write_hub(corpus: ExportedCorpus, about: str, folder: Path) -> None:
    rows = _write_tables(corpus, {split: folder / data_file(split) for split in corpus.splits})
    if corpus.items:
        write_parquet(folder / CONTRASTIVE_FILE, read_parquet(corpus.folder / "contrastive.parquet", CONTRASTIVE))
    with atomic_file(folder / "README.md") as stream:
        stream.write(hub_card(corpus, about, rows))
