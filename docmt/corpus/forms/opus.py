"""The form `opus`: the zip of a corpus of OPUS in the form of Moses, with its `.ids` file.

Source: Tiedemann (2012), "Parallel Data, Tools and Interfaces in OPUS". The archive has a file for each language with a
sentence on each line, and `<corpus>.<pair>.ids` with a line for each pair: the file of the source document, the file of
the target document, and the numbers of the sentences in each, separated by tabs; OpusTools adds a fifth column, which
is not read. A document is a run of lines with the same two files.

The text of a zip may be filtered against the corpus' XML, so that sentences are missing inside of documents. Zips of
some releases have no `.ids`, and some corpora are one single document: both are refused, since document boundaries
cannot be known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from docmt.base.checks import needed
from docmt.base.errors import UserError
from docmt.base.spreadsheets import tsv_line
from docmt.catalogue.forms import KIND, OF_SPLITS, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.sides import OTHER_VERSION, Row, aligned_document, aligned_rows, opus_name, several_documents
from docmt.corpus.stock import Stock

COLUMNS = range(3, 6)
"""The numbers of columns of an `.ids` file: 4; 5 in those of OpusTools, which add a value of the link or `None`; and 3
where the last column is empty, since a sentence has no counterpart: outer white space is stripped."""


@dataclass(frozen=True)
class OpusFilesConfig:
    """The paths of the text in two languages, and of the `.ids` file of a pair of languages."""

    PATHS = ("source", "target", "ids")

    source: str = needed("file of the source text")
    target: str = needed("file of the target text")
    ids: str = needed("file `.ids` of the pair of languages")


@dataclass(frozen=True)
class OpusConfig(SplitsReaderConfig):
    """The settings of the form `opus`."""

    kind: Literal["opus"] = needed(KIND)
    splits: dict[str, OpusFilesConfig] = needed(OF_SPLITS, some_splits)


def documents(config: OpusConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named by their files without language, as `2017/7006210/7050201`.

    Reports files with unequal numbers of lines, a line of the `.ids` file without its columns, and text that is one
    single document of more than MANY_SENTENCES pairs. Raises UserError where there is no `.ids` file.
    """
    for split, files in config.in_order:
        _need_ids(inputs, files.ids)
        yield from several_documents(_of_split(split, files, inputs), inputs.display_name(files.ids), inputs.problems)


def _of_split(split: str, files: OpusFilesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    paths = [inputs.display_name(path) for path in (files.source, files.target)]
    for names, group in groupby(_rows(inputs, files), key=lambda row: row[1][2:]):
        rows = [(number, texts[:2]) for number, texts in group]
        yield aligned_document(split, opus_name(*names), rows, paths)


def _need_ids(inputs: ReaderInputs, path: str) -> None:
    if not inputs.path(path).is_file():
        what, expected = "the archive has no .ids file, so that its documents are not known", "a line for each pair"
        raise UserError(what, where=inputs.display_name(path), expected=expected, remedy=OTHER_VERSION)


def _rows(inputs: ReaderInputs, files: OpusFilesConfig) -> Iterator[Row]:
    ids = inputs.display_name(files.ids)
    for number, (source, target, line) in aligned_rows(inputs, [files.source, files.target, files.ids]):
        columns = line.split("\t")
        if len(columns) in COLUMNS and all(columns[:2]):
            yield number, (source, target, *columns[:2])
        else:
            expected = "columns: the files of the two documents, and the numbers of their sentences"
            inputs.problems.report("not a line of .ids", where=f"{ids}:{number}", found=repr(line), expected=expected)


def write(config: OpusConfig, stock: Stock) -> FixtureFiles:
    """Yield the three files of each split of a fixture."""
    source, target = stock.languages
    for split, files in config.in_order:
        documents = stock.draw_documents(config, split, files.source)
        for side, path in enumerate((files.source, files.target)):
            yield path, text_of(row[side] for rows in documents for row in rows)
        yield (
            files.ids,
            text_of(
                tsv_line((f"{source}/{split}/{number}.xml.gz", f"{target}/{split}/{number}.xml.gz", sentence, sentence))
                for number, rows in enumerate(documents, 1)
                for sentence in range(1, len(rows) + 1)
            ),
        )
