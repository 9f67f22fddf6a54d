"""The form `table`: tables with a sentence pair on each row, in the order of the documents.

The ending of its name shows whether a file is TSV, CSV, JSON, JSON lines, Parquet or Arrow, unless `format` states it.
A row of the last four may also have a whole document, as lists of sentences.
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal, NamedTuple

from docmt.base.checks import each, in_schema, keys_of, need, needed, section, setting
from docmt.base.names import SPLITS
from docmt.base.spreadsheets import csv_lines, tsv_line
from docmt.catalogue.forms import KIND, Languages, SplitsReaderConfig
from docmt.corpus.compression import ENDINGS as COMPRESSED
from docmt.corpus.inputs import MANY_SENTENCES, Document, FixtureFiles, ReaderInputs, SideText, text_of
from docmt.corpus.stock import Stock
from docmt.corpus.tables import ENDINGS, WITH_LINES, Column, TableFormat, Wanted, format_of, read_table

ENDS_IN = f"a file that ends in {', '.join(ENDINGS)} (or one of these and {', '.join(COMPRESSED)}), or a `format`"


@in_schema(minimum=1)
def need_column(name: str, value: str | int) -> None:
    """Raise BadValue for the number of a column that is below 1."""
    need(isinstance(value, str) or value >= 1, name, value, "1 or more")


@dataclass(frozen=True)
class TableReaderConfig(SplitsReaderConfig):
    """The settings of the form `table`.

    Either `splits` names the file or files of each split, or `file` has all splits, and `split` is the column that
    names the split of a row. Columns are names or numbers, counted from 1.
    """

    PATHS: ClassVar = ("splits", "file")

    kind: Literal["table"] = needed(KIND)
    splits: dict[str, str | tuple[str, ...]] = section(dict, "by split, its file or files", keys_of(SPLITS))
    file: str | None = setting(None, "one file for all splits")
    split: str | int | None = setting(None, "the column of the split: train, dev or test", need_column)
    source: str | int = setting("source", "the column of the source sentence", need_column)
    target: str | int = setting("target", "the column of the target sentence", need_column)
    document: str | int | None = setting(
        "document",
        "the column of the document's name, whose rows follow each other; none = rows without text separate documents,"
        " and a row with lists of sentences is one",
        need_column,
    )
    references: tuple[str | int, ...] = setting((), "columns of further references", each(need_column))
    format: TableFormat | None = setting(
        None, "form of the files; none = as their names end. arrow: also a folder that `save_to_disk` has written"
    )
    header: bool = setting(True, "TSV, CSV: the first row has the names of columns; false = columns have numbers")
    quotes: bool | None = setting(
        None, "TSV: cells may be in quotes, as pandas and Excel write them; none = where the file shows that they are"
    )

    def __post_init__(self) -> None:
        """Raise BadValue for both or neither of `file` and `splits`, unknown endings, and columns that cannot be."""
        super().__post_init__()
        need(bool(self.splits) != (self.file is not None), "file", self.file, "a file, or splits, and not both")
        need((self.file is None) == (self.split is None), "split", self.split, "a column with file, and only with it")
        for split, paths in self.tables:
            for path in paths:
                need(self.format_of(path) is not None, "file" if split is None else f"splits.{split}", path, ENDS_IN)
        self._check_columns()

    def _check_held_out(self) -> None:
        alone = self.file is None or not self.held_out
        need(alone, "held_out", list(self.held_out), "nothing beside file, which has all splits")
        super()._check_held_out()

    def _check_columns(self) -> None:
        of_lines = all(self.format_of(path) in WITH_LINES for _, paths in self.tables for path in paths)
        need(self.header or of_lines, "header", self.header, "true, but for TSV and CSV")
        names = ("source", "target", "document", "split")
        columns = [*((name, getattr(self, name)) for name in names), *(("references", c) for c in self.references)]
        numbered = not self.header or any(isinstance(column, int) for _, column in columns)
        for name, column in columns:
            if isinstance(column, int):
                need(of_lines, name, column, "a name, but for TSV and CSV")
            elif column is not None:
                why = "another column has a number" if self.header else "the table has no header"
                number = "the number of a column or none" if name == "document" else "the number of a column"
                need(not numbered, name, column, f"{number}, since {why}")

    @property
    def tables(self) -> list[tuple[str | None, tuple[str, ...]]]:
        """The split and the paths of its files; the split is None where a column names the split of each row."""
        if self.file is not None:
            return [(None, (self.file,))]
        return [(split, (paths,) if isinstance(paths, str) else paths) for split, paths in self.in_order]

    def format_of(self, path: str) -> TableFormat | None:
        """Return the format of a file: the stated one, or that of the ending of its name; None for no known ending."""
        return self.format or format_of(path)

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        """Return the files of each split; a file with a column that names the split is the file of all splits."""
        return super().files_of_splits(languages) if self.splits else {split: [self.file] for split in SPLITS}

    def shares(self) -> dict[str, int]:
        """Return the number of files of each split."""
        return {split: len(paths) for stated, paths in self.tables for split in ((stated,) if stated else SPLITS)}


class PairRow(NamedTuple):
    """A row of a table: its place, the split and the document (None where no column names them), and its texts.

    `whole`: the number of the row that has the whole document of this sentence; None where rows are sentences.
    """

    file: str
    line: int
    split: str | None
    document: str | None
    texts: tuple[str | None, ...]
    whole: int | None

    @property
    def is_blank(self) -> bool:
        """Whether neither the source nor the target has text."""
        return not (self.texts[0] or self.texts[1])


def documents(config: TableReaderConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents in the order of the table; without a column of names they are `<split>1`, `<split>2`, ...

    A document may begin in one file of a split and end in the next. An empty reference counts as missing. Reports the
    problems of `read_table`, a source, target, document or split that is missing or no text, and text of more than
    MANY_SENTENCES rows that no row without text separates into documents. Raises UserError for a file that is missing
    or damaged, or that lacks a column.
    """
    for split, paths in config.tables:
        pairs = chain.from_iterable(_pairs(config, inputs, path) for path in paths)
        if config.document is None:
            runs = _between_blank_rows(pairs, inputs, paths)
        else:
            runs = (
                list(group) for _, group in groupby(pairs, key=lambda pair: (pair.split, pair.document, pair.whole))
            )
        for number, run in enumerate(runs, 1):
            of_split = split or run[0].split
            yield _document(of_split, run[0].document or f"{of_split}{number}", run)


def _pairs(config: TableReaderConfig, inputs: ReaderInputs, path: str) -> Iterator[PairRow]:
    columns = [config.source, config.target, *(name for name in (config.document, config.split) if name is not None)]
    form, file_name = config.format_of(path), inputs.display_name(path)
    wanted = Wanted([*columns, *config.references], config.header, config.quotes)
    for number, values, is_whole in read_table(inputs, path, form, wanted):
        # Integers count as texts, since documents may be named by integers.
        texts = [_text(value) for value in values]
        needed, references = texts[: len(columns)], texts[len(columns) :]
        if None in needed:
            column = needed.index(None)
            wrong_value = f"{columns[column]}: {values[column]!r}"
            inputs.problems.report("not a text", where=f"{file_name}:{number}", found=wrong_value)
            continue
        source, target, *names = needed
        document = names.pop(0) if config.document is not None else None
        split = names.pop(0) if config.split is not None else None
        texts = (source, target, *(text or None for text in references))
        yield PairRow(file_name, number, split, document, texts, number if is_whole else None)


def _text(value: object) -> str | None:
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else None


def _between_blank_rows(
    pairs: Iterator[PairRow], inputs: ReaderInputs, paths: Sequence[str]
) -> Iterator[list[PairRow]]:
    documents = sentences = 0
    for (_, is_blank, _), group in groupby(pairs, key=lambda pair: (pair.split, pair.is_blank, pair.whole)):
        if not is_blank:
            run = list(group)
            documents, sentences = documents + 1, sentences + len(run)
            yield run
    if documents == 1 and sentences > MANY_SENTENCES:
        inputs.problems.report(
            "no row without text separates documents",
            where=", ".join(map(inputs.display_name, paths)),
            found=f"one document of {sentences:,} sentences",
            expected="a row without text between documents, or a column with their names (reader.document)",
        )


def _document(split: str, name: str, run: Sequence[PairRow]) -> Document:
    files = list(dict.fromkeys(pair.file for pair in run))
    # A document in several files has places without lines.
    lines = [pair.line for pair in run] if len(files) == 1 else []
    columns = zip(*(pair.texts for pair in run), strict=True)
    source, target, *references = (SideText(texts, " and ".join(files), lines) for texts in columns)
    return Document(split, name, source, target, f"{run[0].file}:{run[0].line}", tuple(references))


def write(config: TableReaderConfig, stock: Stock) -> FixtureFiles:
    """Yield each table of a fixture; documents are named `<file>.<split><number>`."""
    for stated, paths in config.tables:
        for path in paths:
            records: list[dict[Column, str]] = []
            for split in SPLITS if stated is None else (stated,):
                documents = stock.draw_documents(config, split, path, 1 + len(config.references))
                records += _records(config, documents, split, PurePosixPath(path).name)
            content = table_bytes(records, config.format_of(path), config.header)
            # Of the other formats, each is a file.
            is_folder = config.format_of(path) == "arrow" and format_of(path) != "arrow"
            yield from saved_data_set(path, content) if is_folder else [(path, content)]


def _records(
    config: TableReaderConfig, documents: Sequence[Sequence[tuple[str, ...]]], split: str, file_name: str
) -> Iterator[dict[Column, str]]:
    columns = [config.source, config.target, *config.references]
    for number, rows in enumerate(documents, 1):
        names = {config.document: f"{file_name}.{split}{number}", config.split: split}
        stated = {column: text for column, text in names.items() if column is not None}
        yield from (stated | dict(zip(columns, row, strict=True)) for row in rows)
        # A row without text ends each document that has no name.
        if config.document is None:
            yield dict.fromkeys([*stated, *columns], "") | ({config.split: split} if config.split else {})


Records = Sequence[dict[Column, str]]  # Rows of a table; all have the same columns


def table_bytes(records: Records, form: TableFormat, has_header: bool) -> bytes:
    """Return the content of a table; columns that are numbers have empty columns between them."""
    return WRITERS[form](records, has_header)


def saved_data_set(folder: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder as Hugging Face datasets saves it; `content` is that of its one Arrow file."""
    name = "data-00000-of-00001.arrow"
    yield f"{folder}/{name}", content
    yield f"{folder}/state.json", json.dumps({"_data_files": [{"filename": name}]}).encode()


def _grid(records: Records, has_header: bool) -> list[list[str]]:
    numbers = [column for column in records[0] if isinstance(column, int)]
    if not numbers:
        rows = [list(record.values()) for record in records]
        return [list(map(str, records[0])), *rows] if has_header else rows
    # A column's number is its place.
    places = range(1, max(numbers) + 1)
    rows = [[record.get(place, "") for place in places] for record in records]
    return [[f"column {place}" for place in places], *rows] if has_header else rows


def _tsv(records: Records, has_header: bool) -> bytes:
    return text_of(map(tsv_line, _grid(records, has_header))).encode()


def _csv(records: Records, has_header: bool) -> bytes:
    return csv_lines(_grid(records, has_header)).encode()


def _json_lines(records: Records, has_header: bool) -> bytes:
    return text_of(json.dumps(_nested(record), ensure_ascii=False) for record in records).encode()


def _json(records: Records, has_header: bool) -> bytes:
    return json.dumps([_nested(record) for record in records], ensure_ascii=False, indent=1).encode()


def _arrow(records: Records, has_header: bool) -> bytes:
    import pyarrow as pa

    table, stream = pa.Table.from_pylist([_nested(record) for record in records]), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue().to_pybytes()


def _parquet(records: Records, has_header: bool) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([_nested(record) for record in records]), stream)
    return stream.getvalue()


def _nested(record: dict[Column, str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    # A name with dots is a path of nested values.
    for name, text in record.items():
        *outer, last = name.split(".")
        inner = row
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = text
    return row


WRITERS: dict[TableFormat, Callable[[Records, bool], bytes]] = {
    "tsv": _tsv,
    "csv": _csv,
    "json": _json,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
}
"""The function that returns the content of a table, by its format."""
