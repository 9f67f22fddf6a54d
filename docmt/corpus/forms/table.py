"""The form `table`: tables with a sentence pair on each row, in the order of the documents.

The ending of its name shows whether a file is a TSV file with a header, a Parquet file or a file of JSON lines.
"""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from docmt.base.checks import need, setting
from docmt.base.foreign import first_line, need_file, reading
from docmt.base.names import SPLITS
from docmt.catalogue.forms import Languages, SplitsReaderConfig
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, need_columns, text_of, tsv_rows
from docmt.corpus.sides import aligned_document
from docmt.corpus.stock import Stock

Row = tuple[int, Sequence[object]]
"""The number of a row (the number of its line, where the file has lines), and the values of the row.

The values are the source, the target, the document, the split where a column names the split, and the references.
"""

ENDINGS = {".tsv": "tsv", ".tsv.gz": "tsv", ".jsonl": "jsonl", ".jsonl.gz": "jsonl", ".parquet": "parquet"}
ENDS_IN = f"a file that ends in {', '.join(ENDINGS)}"


def table_form(path: str) -> str | None:
    """Return the kind of table of a file by the ending of its name; None where the name has none of ENDINGS."""
    return next((form for ending, form in ENDINGS.items() if path.endswith(ending)), None)


@dataclass(frozen=True)
class TableReaderConfig(SplitsReaderConfig):
    """The settings of the form `table`.

    Either `splits` names a file for each split, or `file` has all splits, and `split` is the column that names the
    split of a row.
    """

    PATHS: ClassVar = ("splits", "file")

    kind: Literal["table"]
    splits: dict[str, str] = field(default_factory=dict)
    file: str | None = setting(None, "one file for all splits")
    split: str | None = setting(None, "the column of the split: train, dev or test")
    source: str = setting("source", "the column of the source sentence")
    target: str = setting("target", "the column of the target sentence")
    document: str = setting("document", "the column of the document's name; its rows follow each other")
    references: tuple[str, ...] = setting((), "columns of further references")

    def __post_init__(self) -> None:
        """Raise BadValue for both or neither of `file` and `splits`, `split` without `file`, and unknown endings."""
        need(bool(self.splits) != (self.file is not None), "file", self.file, "a file, or splits, and not both")
        need((self.file is None) == (self.split is None), "split", self.split, "a column with file, and only with it")
        for split, path in self.tables:
            need(table_form(path) is not None, "file" if split is None else f"splits.{split}", path, ENDS_IN)
        if self.splits:
            super().__post_init__()

    @property
    def tables(self) -> list[tuple[str | None, str]]:
        """The split and the path of each file; the split is None where a column names the split of each row."""
        return [(None, self.file)] if self.file is not None else self.in_order

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return the file of each split; a file with a column that names the split is the file of all splits."""
        return {split: [path] for stated, path in self.tables for split in ((stated,) if stated else SPLITS)}

    def shares(self) -> dict[str, int]:
        """Return 1 for each split, since each split is in one file."""
        return dict.fromkeys(self.splits or SPLITS, 1)


def documents(config: TableReaderConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents in the order of the table; the rows of a document follow each other.

    An empty reference counts as missing. Reports a row whose number of columns differs from that of the header, and a
    source, target, document or split that is missing or no text. Raises UserError for a file that is missing or
    damaged, or that lacks a column.
    """
    needed = [config.source, config.target, config.document, *([config.split] if config.split else [])]
    columns = [*needed, *config.references]
    for split, path in config.tables:
        file_name = inputs.display_name(path)
        read, _ = TABLE_FORMS[table_form(path)]
        texts = _texts(read(inputs, path, columns), needed, inputs, file_name)
        for (document_split, name), group in groupby(texts, key=lambda row: (split or row[1][3], row[1][2])):
            rows = [(number, (*row[:2], *(text or None for text in row[len(needed) :]))) for number, row in group]
            yield aligned_document(document_split, name, rows, [file_name] * (2 + len(config.references)))


def _texts(
    rows: Iterator[Row], needed: Sequence[str], inputs: ReaderInputs, file_name: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row and its values as stripped texts; values other than texts and integers become None.

    Integers count as texts, since documents may be named by integers. `needed` has the names of the first columns. A
    row that lacks a text in one of these columns is reported and not yielded.
    """
    for number, values in rows:
        texts = [str(value).strip() if isinstance(value, str | int) else None for value in values]
        if None in texts[: len(needed)]:
            column = texts.index(None)
            wrong_value = f"{needed[column]}: {values[column]!r}"
            inputs.problems.report("not a text", where=f"{file_name}:{number}", found=wrong_value)
        else:
            yield number, texts


def _json_lines(inputs: ReaderInputs, path: str, columns: Sequence[str]) -> Iterator[Row]:
    file_name = inputs.display_name(path)
    for number, line in enumerate(inputs.lines(path), 1):
        where = f"{file_name}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:  # also a number of thousands of digits, deeply nested lists
            is_json = isinstance(problem, json.JSONDecodeError)
            mistake = f"{problem.msg}, column {problem.colno}" if is_json else first_line(problem)
            inputs.problems.report("not JSON", where=where, found=mistake)
            continue
        if isinstance(row, dict):
            yield number, [row.get(name) for name in columns]
        else:
            inputs.problems.report("not a JSON object", where=where, found=type(row).__name__)


def _parquet(inputs: ReaderInputs, path: str, columns: Sequence[str]) -> Iterator[Row]:
    import pyarrow.parquet as pq

    file_name = inputs.display_name(path)
    file_path = inputs.path(path)
    with reading(file_name, "not a Parquet file"):
        need_file(file_path)
        file = pq.ParquetFile(file_path)
    need_columns(file.schema_arrow.names, columns, f"{file_name}:1")
    number = 0
    with reading(file_name, "damaged Parquet file"):
        # The settings may name a column twice, for instance for the document and the source; the column is read once.
        for batch in file.iter_batches(columns=list(dict.fromkeys(columns))):
            for values in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                number += 1
                yield number, values


def write(config: TableReaderConfig, stock: Stock) -> FixtureFiles:
    """Yield each table of a fixture; documents are named `<file>.<split><number>`."""
    columns = [config.document, config.source, config.target, *config.references]
    for stated, path in config.tables:
        records: list[dict[str, str]] = []
        for split in SPLITS if stated is None else (stated,):
            documents = stock.draw_documents(config, split, path, 1 + len(config.references))
            split_column = {config.split: split} if stated is None else {}
            records += [
                {
                    **split_column,
                    **dict(zip(columns, (f"{PurePosixPath(path).name}.{split}{number}", *row), strict=True)),
                }
                for number, rows in enumerate(documents, 1)
                for row in rows
            ]
        _, content = TABLE_FORMS[table_form(path)]
        yield path, content(records)


def _as_tsv(records: Sequence[dict[str, str]]) -> str:
    return text_of("\t".join(row) for row in (records[0], *(record.values() for record in records)))


def _as_json_lines(records: Sequence[dict[str, str]]) -> str:
    return text_of(json.dumps(record, ensure_ascii=False) for record in records)


def _as_parquet(records: Sequence[dict[str, str]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(records)), stream)
    return stream.getvalue()


TABLE_FORMS = {"tsv": (tsv_rows, _as_tsv), "jsonl": (_json_lines, _as_json_lines), "parquet": (_parquet, _as_parquet)}
"""Two functions for each kind of table: one reads columns of a file, one builds the content of a fixture's file."""
