"""`table`: a row a sentence pair, in order; TSV with a header, Parquet or JSON lines, by the file's ending."""

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
"""The number of a row (of its line, where there are lines), and its values: of source, target, document, the split
where a column says it, and references."""

ENDINGS = {".tsv": "tsv", ".tsv.gz": "tsv", ".jsonl": "jsonl", ".jsonl.gz": "jsonl", ".parquet": "parquet"}
ENDS_IN = f"a file that ends in {', '.join(ENDINGS)}"


def table_form(path: str) -> str | None:
    """What kind of table a file is, by its name."""
    return next((form for ending, form in ENDINGS.items() if path.endswith(ending)), None)


@dataclass(frozen=True)
class TableReaderConfig(SplitsReaderConfig):
    """Either `splits` names a file each, or `file` has all of them and `split` is the column that says which."""

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
        need(bool(self.splits) != (self.file is not None), "file", self.file, "a file, or splits, and not both")
        need((self.file is None) == (self.split is None), "split", self.split, "a column with file, and only with it")
        for split, path in self.tables:
            need(table_form(path) is not None, "file" if split is None else f"splits.{split}", path, ENDS_IN)
        if self.splits:
            super().__post_init__()

    @property
    def tables(self) -> list[tuple[str | None, str]]:
        """Split (None = a column says it) and path of each file."""
        return [(None, self.file)] if self.file is not None else self.in_order

    def files_of_splits(self, languages: Languages) -> dict[str, list[str]]:
        return {split: [path] for own, path in self.tables for split in ((own,) if own else SPLITS)}

    def shares(self) -> dict[str, int]:
        return dict.fromkeys(self.splits or SPLITS, 1)


def documents(config: TableReaderConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Rows of one document follow each other; documents come in the order of the table.

    An empty reference, or none, is left out. Reports rows with another number of columns than the header, and
    values that are missing or no text. Raises UserError for a file that is missing or damaged, or lacks a column.
    """
    needed = [config.source, config.target, config.document, *([config.split] if config.split else [])]
    columns = [*needed, *config.references]
    for split, path in config.tables:
        shown = inputs.display_name(path)
        read, _ = TABLE_FORMS[table_form(path)]
        texts = _texts(read(inputs, path, columns), needed, inputs, shown)
        for (own, name), group in groupby(texts, key=lambda row: (split or row[1][3], row[1][2])):
            rows = [(number, (*row[:2], *(text or None for text in row[len(needed) :]))) for number, row in group]
            yield aligned_document(own, name, rows, [shown] * (2 + len(config.references)))


def _texts(
    rows: Iterator[Row], needed: Sequence[str], inputs: ReaderInputs, shown: str
) -> Iterator[tuple[int, list[str]]]:
    """Whole numbers count as texts, since documents may have such names. `needed`: the first columns."""
    for number, values in rows:
        texts = [str(value).strip() if isinstance(value, str | int) else None for value in values]
        if None in texts[: len(needed)]:
            column = texts.index(None)
            found = f"{needed[column]}: {values[column]!r}"
            inputs.problems.report("not a text", where=f"{shown}:{number}", found=found)
        else:
            yield number, texts


def _json_lines(inputs: ReaderInputs, path: str, columns: Sequence[str]) -> Iterator[Row]:
    shown = inputs.display_name(path)
    for number, line in enumerate(inputs.lines(path), 1):
        where = f"{shown}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:  # also digits by the thousand, lists in lists in lists ...
            is_json = isinstance(problem, json.JSONDecodeError)
            found = f"{problem.msg}, column {problem.colno}" if is_json else first_line(problem)
            inputs.problems.report("not JSON", where=where, found=found)
            continue
        if isinstance(row, dict):
            yield number, [row.get(name) for name in columns]
        else:
            inputs.problems.report("not a JSON object", where=where, found=type(row).__name__)


def _parquet(inputs: ReaderInputs, path: str, columns: Sequence[str]) -> Iterator[Row]:
    import pyarrow.parquet as pq

    shown = inputs.display_name(path)
    place_ = inputs.path(path)
    with reading(shown, "not a Parquet file"):
        need_file(place_)
        file = pq.ParquetFile(place_)
    need_columns(file.schema_arrow.names, columns, f"{shown}:1")
    number = 0
    with reading(shown, "damaged Parquet file"):
        for batch in file.iter_batches(columns=list(dict.fromkeys(columns))):
            for values in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                number += 1
                yield number, values


def write(config: TableReaderConfig, stock: Stock) -> FixtureFiles:
    columns = [config.document, config.source, config.target, *config.references]
    for own, path in config.tables:
        records: list[dict[str, str]] = []
        for split in SPLITS if own is None else (own,):
            documents = stock.draw_documents(config, split, path, 1 + len(config.references))
            told = {config.split: split} if own is None else {}
            records += [
                {**told, **dict(zip(columns, (f"{PurePosixPath(path).name}.{split}{number}", *row), strict=True))}
                for number, rows in enumerate(documents, 1)
                for row in rows
            ]
        _, written = TABLE_FORMS[table_form(path)]
        yield path, written(records)


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
"""By the kind of table: what reads some columns of a file, and what makes the content of a fixture's."""
